"""Pytest fixtures for whoever tests an agent with this library.

Loaded into every pytest session of an environment that has the package, so it imports nothing heavy at
import: each fixture brings in what it needs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from normgym_agents.testing import Answer, Script, ScriptedEndpoint, ScriptedEndpointFactory

_RIVALS = (
    "OPENAI_API_BASE",
    "OPENAI_ORG_ID",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT_ID",
    "OPENAI_PROXY",
    "LANGSMITH_GATEWAY",
)
"""Variables that clients heed before, or beside, the two that the endpoint sets."""


@pytest.fixture
def scripted_endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpointFactory]:
    """A function that starts scripted endpoints.

    Used as `endpoint = scripted_endpoint(script)`. Each call points `OPENAI_BASE_URL` and `OPENAI_API_KEY` at the new endpoint. All are closed when the
    test ends, and a script that was at fault fails the test then.
    """
    from normgym_agents.testing import ScriptedEndpoint, ScriptError

    started: list[ScriptedEndpoint] = []
    with contextlib.ExitStack() as stack:

        def start(script: Script | Answer, *, strict: bool = True) -> ScriptedEndpoint:
            endpoint = stack.enter_context(ScriptedEndpoint(script, strict=strict))
            started.append(endpoint)
            for name in _RIVALS:
                monkeypatch.delenv(name, raising=False)
            for name, value in endpoint.env().items():
                monkeypatch.setenv(name, value)
            # A developer's HTTP_PROXY must not carry loopback requests away.
            monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
            return endpoint

        yield start
    errors = [error for endpoint in started for error in endpoint.errors]
    if errors:
        raise ScriptError("scripted endpoint: " + "; ".join(errors))
