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


_LOCAL = "local_model"
_HOW = "pip install '.[test,local]' && pytest -m local_model   (8 to 15 minutes to build)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the real model to whoever asks for it: building its server takes minutes."""
    if _LOCAL in str(config.getoption("markexpr")):
        return
    for item in items:
        if item.get_closest_marker(_LOCAL) is not None:
            item.add_marker(pytest.mark.skip(reason=f"takes a real model: {_HOW}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say loudly what was left out."""
    left = [one for one in terminalreporter.getreports("skipped") if _HOW in str(one.longrepr)]
    if left:
        terminalreporter.section("LEFT OUT: the real local model", red=True, bold=True)
        terminalreporter.line(
            f"{len(left)} tests with it did not run. To run them: {_HOW}", red=True, bold=True
        )


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
