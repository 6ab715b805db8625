"""`normgym report`: the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from normgym_agents.cli.console import err
from normgym_agents.errors import BadInput

if TYPE_CHECKING:
    from normgym_agents.evaluation.config import RunConfig
    from normgym_agents.worlds.world import World


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="report", rich_help_panel="Evaluate")(_report)


def _report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)],
) -> None:
    """Write report.html into the folder of a run, from its records. Also for an interrupted run."""
    from normgym_agents.evaluation.manifest import read_manifest
    from normgym_agents.evaluation.report import write_report
    from normgym_agents.evaluation.rescoring import rescore

    result = rescore(folder).result
    path = write_report(folder, result, _worlds(read_manifest(folder).config))
    typer.echo(str(path))


def _worlds(config: RunConfig) -> dict[str, World]:
    """The worlds of a suite by id, where it can still be read: they only make the page read better."""
    from normgym_agents.evaluation.api import suite_place
    from normgym_agents.worlds.suites import load_suite

    try:
        suite = load_suite(suite_place(config.suite, Path(config.base or ".")))
        return {world.id: world for world in suite.worlds}
    except BadInput as error:
        err().print(f"Things go by their ids in the report: {error}", markup=False, soft_wrap=True)
        return {}
