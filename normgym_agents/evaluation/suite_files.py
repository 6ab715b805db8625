"""Where the suite of a run is read from, also by somebody who stands in another folder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.evaluation.results import SuiteResult
from normgym_agents.worlds.suites import Suite, available_suites, load_suite
from normgym_agents.worlds.world import World


def suite_place(suite: str, base: Path) -> str:
    """A suite's name if it is a bundled one, else its file, meant from a folder."""
    if suite in available_suites() or not suite or not (base / suite).is_file():
        return suite
    return suite if base == Path.cwd() else str(base / suite)


def load_asked(config: RunConfig) -> Suite:
    """The suite that a configuration asks for.

    Raises:
        BadInput: It cannot be read.
    """
    return load_suite(suite_place(config.suite, Path.cwd() if config.base is None else Path(config.base)))


class WorldsOfRun(NamedTuple):
    """The worlds of an earlier run.

    Attributes:
        worlds: By id; None if they cannot be read any more.
        why_not: Why they cannot.
    """

    worlds: dict[str, World] | None
    why_not: str | None = None


def worlds_of_run(config: RunConfig, suite: SuiteResult, drawn: Suite | None = None) -> WorldsOfRun:
    """The worlds of an earlier run.

    Args:
        config: What the run was asked.
        suite: Which worlds it had.
        drawn: Its suite, if it is at hand, as a private one is once it is drawn again.

    Raises:
        BadInput: The suite at hand is another one.
    """
    if drawn is not None:
        return WorldsOfRun(_worlds(drawn, suite, field="--suite-seed"))
    try:
        return WorldsOfRun(_worlds(load_asked(config), suite))
    except BadInput as error:
        return WorldsOfRun(None, str(error))


def _worlds(found: Suite, suite: SuiteResult, field: str | None = None) -> dict[str, World]:
    cut = found.first(suite.worlds)
    if cut.digest != suite.digest:
        message = f"suite {suite.name!r} has other worlds by now" if field is None else "draws other worlds"
        raise BadInput(message, field=field, expected=f"digest {suite.digest}, and not {cut.digest}")
    return {world.id: world for world in cut.worlds}
