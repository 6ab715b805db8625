"""Which key is missing, where an agent cannot be imported or made for want of one.

Clients of providers say so in words of their own, and people look keys up in the environment themselves; told by
the names that such variables have.
"""

from __future__ import annotations

import os
import re
from typing import Final

from normgym_agents.newcomers._failures import chain, rooms

_NAMED: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PASSWORD|ENDPOINT)\b")

TO_SET: Final = "export {key}=…, or `env` in langgraph.json"
"""What would help, as an error's `expected`."""


def missing_key(error: BaseException) -> str | None:
    """The environment variable that was looked for and is not set; None where that was not the trouble."""
    for one in chain(error):
        if isinstance(one, KeyError) and rooms(one)[-1:] == ["os"]:
            return str(one.args[0])
        try:
            text = str(one)
        except Exception:  # noqa: BLE001 # the agent's own code, which may raise anything
            continue
        for match in _NAMED.finditer(text):
            if match[0] not in os.environ:
                return match[0]
    return None
