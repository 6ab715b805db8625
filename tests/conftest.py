"""What holds for every test: no machine but this one is ever spoken to, and no key of the user's is used."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator

import pytest

from normgym_agents import pytest_plugin
from normgym_agents.testing import forbid_remote_sockets

# Keys, addresses and switches of the developer's own shell would change what a test does, or send it away.
_FOREIGN = ("OPENAI_", "AZURE_OPENAI_", "ANTHROPIC_", "LANGCHAIN_", "LANGSMITH_", "LANGGRAPH_", "OTEL_")


def pytest_configure(config: pytest.Config) -> None:
    """Bring in our own fixtures also where the package is on the path without being installed."""
    if not config.pluginmanager.is_registered(pytest_plugin):
        config.pluginmanager.register(pytest_plugin)


@pytest.fixture(autouse=True, scope="session")
def only_loopback() -> Iterator[None]:
    """Refuse every connection that would leave this machine, and fail if one was tried and hushed up."""
    with forbid_remote_sockets() as refused:
        yield
    assert not refused, f"tests tried to reach {', '.join(refused)}"


@pytest.fixture(autouse=True)
def own_environment(process_left_alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the settings of the developer's shell. What a test patches is put back before anybody looks."""
    for name in list(os.environ):
        if name.startswith(_FOREIGN):
            monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def process_left_alone() -> Iterator[None]:
    """See that no test, and no agent in one, changes for the next what belongs to the whole process."""
    before = os.getcwd(), logging.root.level, logging.root.manager.disable
    yield
    assert before == (os.getcwd(), logging.root.level, logging.root.manager.disable)
