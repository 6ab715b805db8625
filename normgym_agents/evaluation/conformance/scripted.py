"""A place to check an agent in without spending anything: a scripted model, and no way off this machine.

It stands for the whole process, because an agent's clients read the environment of the process; so there is one at
a time.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from unittest import mock

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.conformance.standing_in import StandIn
from normgym_agents.testing import ChatRequest, ScriptedEndpoint, forbid_remote_sockets

MODEL: Final = f"openai:{ScriptedEndpoint.model}"
"""What the scripted model is called, where an agent runs only with a model that it is given."""

_TOKEN: Final = 4
"""Characters of a token, about."""
_TAKEN_AWAY: Final = (
    "OPENAI_ORG_ID",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT_ID",
    "OPENAI_PROXY",
    "LANGSMITH_GATEWAY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
)
_TRACING: Final = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_ONE_AT_A_TIME: Final = threading.Lock()


@dataclass
class Scripted:
    """The place; one in which nothing is scripted, where an agent uses its own model.

    Attributes:
        script: What the model answers; None where there is no scripted one.
        endpoint: Where it is reached.
        refused: Where the agent wanted to go, as `HOST (CALL)`.
    """

    script: StandIn | None = None
    endpoint: ScriptedEndpoint | None = None
    refused: Sequence[str] = field(default_factory=list)

    @property
    def requests(self) -> Sequence[ChatRequest]:
        """What the scripted model was asked so far."""
        return () if self.endpoint is None else self.endpoint.requests

    @property
    def rejected(self) -> Sequence[str]:
        """What the endpoint does not have, and was asked for."""
        return () if self.endpoint is None else self.endpoint.rejected

    @property
    def hosts(self) -> list[str]:
        """The hosts that the agent was kept from, each once."""
        return sorted({one.rpartition(" (")[0] for one in self.refused})


@contextlib.contextmanager
def scripted() -> Iterator[Scripted]:
    """Have OpenAI clients of this process speak with a scripted model inside of the block, and with nothing else.

    Raises:
        BadInput: Another check is under way in this process.
    """
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        raise BadInput("another check is under way in this process", expected="one after the other")
    try:
        script = StandIn()
        endpoint = ScriptedEndpoint(script, strict=False, any_key=True)
        with endpoint, mock.patch.dict(os.environ), forbid_remote_sockets() as refused:
            for name in _TAKEN_AWAY:
                os.environ.pop(name, None)
            # Set, and not taken away: a .env file of the agent's does not replace what is set.
            os.environ.update(dict.fromkeys(_TRACING, "false"))
            os.environ.update(
                endpoint.env(), OPENAI_API_BASE=endpoint.base_url, NO_PROXY="127.0.0.1,localhost"
            )
            yield Scripted(script, endpoint, refused)
    finally:
        _ONE_AT_A_TIME.release()


def text_of(request: ChatRequest) -> str:
    """All that the model was told."""
    return json.dumps(request.body["messages"], ensure_ascii=False)


def tokens_of(request: ChatRequest) -> int:
    """The tokens of a request, about: its messages and the tools that it offers."""
    tools = json.dumps(request.body.get("tools") or (), ensure_ascii=False)
    return (len(text_of(request)) + len(tools)) // _TOKEN


def tokens_in(text: str) -> int:
    """The tokens of a text, about."""
    return len(text) // _TOKEN
