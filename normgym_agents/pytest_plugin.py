"""Pytest fixtures, a marker and options for whoever tests an agent with this library.

Loaded into every pytest session of an environment that has the package, so it imports nothing heavy at
import: each fixture brings in what it needs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from normgym_agents.evaluation.bench import Bench
    from normgym_agents.testing import Answer, Script, ScriptedEndpoint, ScriptedEndpointFactory

_MARKER = "normgym"
_TOLD = "normgym"
"""Under which name a result's line travels with the report of its test, also from the workers of xdist."""
_LONGEST_NAME = 100

_RIVALS = (
    "OPENAI_API_BASE",
    "OPENAI_ORG_ID",
    "OPENAI_ORGANIZATION",
    "OPENAI_PROJECT_ID",
    "OPENAI_PROXY",
    "LANGSMITH_GATEWAY",
)
"""Variables that clients heed before, or beside, the two that the endpoint sets."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say where records are kept, and how many worlds there may be."""
    group = parser.getgroup("normgym", "normgym: agents among unwritten rules")
    group.addoption(
        "--normgym-out",
        metavar="DIR",
        help="Keep the records of evaluations there, a folder for each (default: under pytest's base folder "
        "for temporary files).",
    )
    group.addoption(
        "--normgym-worlds", metavar="N", type=_worlds, help="Run at most N worlds in each evaluation."
    )


def _worlds(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of worlds (expected: 1 or more)")
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; a folder that is given is meant from where pytest was started, also in workers."""
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(suite=, conditions=, worlds=, …): the test evaluates an agent with the fixture `normgym`; what is "
        "said here holds for each of its evaluations that does not say otherwise.",
    )
    out = config.getoption("--normgym-out", default=None)
    if out is not None:
        config.option.normgym_out = str(config.invocation_params.dir / out)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark whatever uses the fixture, so that `-m 'not normgym'` leaves it out."""
    if _MARKER in getattr(item, "fixturenames", ()) and item.get_closest_marker(_MARKER) is None:
        item.add_marker(_MARKER)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what came of each evaluation, and where its records are."""
    lines = [
        f"{report.nodeid}  {line}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, line in getattr(report, "user_properties", ())
        if name == _TOLD
    ]
    if lines:
        terminalreporter.section("normgym")
        for line in lines:
            terminalreporter.write_line(line)


@pytest.fixture
def normgym(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Evaluate agents in a test: `result = await normgym.evaluate(graph, conditions=["live", "told"])`.

    `normgym.evaluate_sync` does the same in a test that is not asynchronous. The result has metrics as attributes
    (`result.joint_success.low`), of a condition as `result["told"].task_success`; its records are kept.
    """
    from normgym_agents.evaluation.bench import Bench

    out = request.config.getoption("--normgym-out", default=None)
    node = request.node
    # A worker of xdist has a name of its own, so that no two processes ever want the same folder.
    name = "-".join(filter(None, [_name_of(node.nodeid), os.environ.get("PYTEST_XDIST_WORKER")]))
    return Bench(
        place=tmp_path_factory.getbasetemp() / "normgym" if out is None else Path(out),
        name=name,
        most_worlds=request.config.getoption("--normgym-worlds", default=None),
        defaults=_said_by_marker(node),
        tell=lambda line: node.user_properties.append((_TOLD, line)),
    )


def _name_of(nodeid: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", nodeid)[-_LONGEST_NAME:].strip("-.")


def _said_by_marker(node: pytest.Item) -> dict[str, Any]:
    """What the nearest markers say; those of a test before those of its class and module."""
    from normgym_agents.evaluation.bench import DEFAULTS

    said: dict[str, Any] = {}
    for marker in node.iter_markers(_MARKER):
        unknown = sorted(set(marker.kwargs) - set(DEFAULTS))
        if marker.args or unknown:
            wrong = repr(marker.args[0]) if marker.args else unknown[0]
            raise pytest.UsageError(
                f"{node.nodeid}: the marker {_MARKER} takes no {wrong} (expected: {', '.join(DEFAULTS)}, by name)"
            )
        said = {**marker.kwargs, **said}
    return said


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
