"""Whether an error is a client's that tripped over an answer which is none, such as a proxy's page.

No client has an exception of its own for that: what comes is whatever their code raises where it expects an answer.
So it is told by the place alone, and only for the common clients; elsewhere it stays the agent's own error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Final

_DECODING: Final = re.compile(r"(openai|anthropic)\._(base_client|response|legacy_response|streaming)$")
"""Where clients take a body apart; what a model wrote into an answer is taken apart elsewhere."""

_READING: Final = {
    "langchain_openai.chat_models.base": {"_create_chat_result", "_convert_chunk_to_generation_chunk"},
    "langchain_anthropic.chat_models": {"_format_output"},
    "autogen_ext.models.openai._openai_client": {"create", "create_stream"},
    "autogen_ext.models.anthropic._anthropic_client": {"create", "create_stream"},
}
"""Where what came is read as an answer: functions by module."""

_TRIPPED: Final = (AttributeError, KeyError, IndexError, TypeError, AssertionError)
"""What code raises for an object that is not what it expects."""


def garbled(error: BaseException) -> bool:
    """Whether the error is of that kind."""
    places = list(_places(error.__traceback__))
    if isinstance(error, json.JSONDecodeError):
        return any(_DECODING.match(room) for room, _ in places)
    if not places:
        return False
    room, function = places[-1]
    # LangChain refuses in words what it cannot read; AutoGen's clients use such errors for an agent's mistakes.
    tripped = (*_TRIPPED, ValueError) if room.startswith("langchain_") else _TRIPPED
    return isinstance(error, tripped) and function in _READING.get(room, ())


def _places(trace: TracebackType | None) -> Iterator[tuple[str, str]]:
    """Module and function, from where the error was caught to where it was raised."""
    while trace is not None:
        frame = trace.tb_frame
        yield str(frame.f_globals.get("__name__", "")), frame.f_code.co_name
        trace = trace.tb_next
