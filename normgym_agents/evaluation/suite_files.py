"""Where the suite of a run is read from, also by somebody who stands in another folder."""

from __future__ import annotations

from pathlib import Path

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


def worlds_of_run(config: RunConfig, suite: SuiteResult) -> dict[str, World]:
    """The worlds of an earlier run by id.

    Raises:
        BadInput: Its suite cannot be read any more, or holds other worlds by now.
    """
    found = load_asked(config).first(suite.worlds)
    if found.digest != suite.digest:
        raise BadInput(f"suite {suite.name!r} has other worlds by now", expected=f"digest {suite.digest}")
    return {world.id: world for world in found.worlds}
