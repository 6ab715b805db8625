"""What holds for every test: no machine but this one is ever spoken to, and no key of the user's is used."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest

_LOOPBACK = ("127.", "::1", "localhost")
# Keys, addresses and switches of the developer's own shell would change what a test does, or send it away.
_FOREIGN = ("OPENAI_", "AZURE_OPENAI_", "ANTHROPIC_", "LANGCHAIN_", "LANGSMITH_", "LANGGRAPH_", "OTEL_")


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that would leave this machine, and forget the settings that ask for one."""
    connect = socket.socket.connect
    connect_ex = socket.socket.connect_ex

    def check(address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(_LOOPBACK):
            raise AssertionError(f"a test may only talk to loopback, not to {address[0]}")

    def guarded(self: socket.socket, address: Any) -> None:
        check(address)
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        check(address)
        return connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)
    for name in list(os.environ):
        if name.startswith(_FOREIGN):
            monkeypatch.delenv(name)
