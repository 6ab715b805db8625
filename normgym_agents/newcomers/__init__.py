"""Newcomers: the contract, the adapters that fit existing agents to it, and loading them by name.

Adapters, and the frameworks they adapt, are imported only when an agent of theirs is used.
"""

from normgym_agents.newcomers.acting import Answer, read_answer, read_object, read_text
from normgym_agents.newcomers.adapting import Adapted, ModelEffect, adapt
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory, WaitsForModel
from normgym_agents.newcomers.loading import ImportFailed, LoadedNewcomer, load_newcomer
from normgym_agents.newcomers.registry import Adapter

__all__ = [
    "Adapted",
    "Adapter",
    "Answer",
    "ImportFailed",
    "LoadedNewcomer",
    "ModelEffect",
    "Newcomer",
    "NewcomerFactory",
    "WaitsForModel",
    "adapt",
    "load_newcomer",
    "read_answer",
    "read_object",
    "read_text",
]
