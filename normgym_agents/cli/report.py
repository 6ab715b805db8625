"""`normgym report`: the page of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from normgym_agents.cli.console import Status, err
from normgym_agents.cli.private import AGAIN, to_read
from normgym_agents.evaluation.texts import on_one_line


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="report", rich_help_panel="Evaluate")(_report)


def _report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)],
    suite_seed: Annotated[str | None, AGAIN] = None,
) -> int:
    """Write report.html into the folder of a run, from its records. Also for an interrupted run.

    Exit status 1 if episodes are owed or not scored.
    """
    from normgym_agents.evaluation.report import write_report
    from normgym_agents.evaluation.rescoring import rescore

    rescored = rescore(folder, strict=True, suite=to_read([folder], suite_seed, quiet=False))
    result = rescored.result
    path = write_report(folder, result, rescored.worlds)
    notes = []
    if rescored.uncompared is not None:
        notes.append(f"Things go by their ids in the report: {rescored.uncompared}")
    if result.partial is not None:
        notes.append(f"Only a part of the run: {result.partial}.")
    for note in notes:
        err().print(on_one_line(note), markup=False, soft_wrap=True)
    typer.echo(str(path))
    return Status.UNSCORED if result.partial or result.unscored else Status.DONE
