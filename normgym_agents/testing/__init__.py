"""Doubles for tests of agents: a scripted model behind real HTTP, and a guard against the network.

For the tests of whoever uses this library as much as for its own; imports none of it but its errors.
"""

from normgym_agents.testing.answers import (
    Answer,
    CallTool,
    CallTools,
    Drop,
    Fail,
    Garbage,
    Hang,
    Say,
    Structured,
)
from normgym_agents.testing.endpoint import ScriptedEndpoint, ScriptedEndpointFactory
from normgym_agents.testing.request import ChatRequest
from normgym_agents.testing.script import Script, ScriptError, by_content, by_turn, fail_first, sequence
from normgym_agents.testing.sockets import RemoteSocketForbidden, forbid_remote_sockets

__all__ = [
    "Answer",
    "CallTool",
    "CallTools",
    "ChatRequest",
    "Drop",
    "Fail",
    "Garbage",
    "Hang",
    "RemoteSocketForbidden",
    "Say",
    "Script",
    "ScriptError",
    "ScriptedEndpoint",
    "ScriptedEndpointFactory",
    "Structured",
    "by_content",
    "by_turn",
    "fail_first",
    "forbid_remote_sockets",
    "sequence",
]
