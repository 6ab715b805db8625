"""AutoGen 0.2 and its fork: another library than the one that is supported, which people know by the same name.

Told by names, since neither is imported here.
"""

from __future__ import annotations

from typing import Final

from normgym_agents.newcomers._failures import chain

_MODULES: Final = frozenset({"autogen", "pyautogen"})

TO_PORT: Final = (
    "AutoGen 0.4 or later (from autogen_agentchat.agents import AssistantAgent), see its migration guide; "
    "or a function from text to text that asks the old agent"
)
"""What would help, as an error's `expected`."""


def legacy_import(error: BaseException) -> str | None:
    """The module of AutoGen 0.2 that could not be imported; None where that was not the trouble."""
    for one in chain(error):
        name = one.name if isinstance(one, ImportError) else None
        if name is not None and is_legacy(name):
            return name
    return None


def is_legacy(module: str) -> bool:
    """Whether a module's dotted name is one of AutoGen 0.2."""
    return module.partition(".")[0] in _MODULES
