"""`normgym score`: recompute every number of a run from the logs of its episodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from normgym_agents.cli.console import Status, err, show
from normgym_agents.cli.private import AGAIN, to_read
from normgym_agents.evaluation.texts import counted, on_one_line

if TYPE_CHECKING:
    from normgym_agents.evaluation.rescoring import Rescored

_MOST: Final = 20
"""Differences that are shown; the rest are counted."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="score", rich_help_panel="Evaluate")(_score)


def _score(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)],
    suite_seed: Annotated[str | None, AGAIN] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the recomputed summary.json.")] = False,
) -> int:
    """Recompute every metric from the records, and say where the stored ones differ.

    Writes nothing. Exit status 0 if what is stored follows from the logs, 1 if something differs, or
    episodes are owed or not scored.
    """
    from normgym_agents.evaluation.rescoring import rescore

    rescored = rescore(folder, suite=to_read([folder], suite_seed, quiet=as_json))
    if as_json:
        typer.echo(rescored.result.to_json(), nl=False)
    else:
        from normgym_agents.cli.render import results

        show(lambda console: results(rescored.result, console))
        typer.echo()
    _say(rescored, folder)
    result = rescored.result
    return Status.UNSCORED if rescored.differences or result.partial or result.unscored else Status.DONE


def _say(rescored: Rescored, folder: Path) -> None:
    """Notes go to stderr, so that `--json` stays JSON."""
    count = len(rescored.result.records)
    lines = []
    if rescored.torn:
        lines.append("The last line of the records is torn: its episode is owed.")
    if rescored.replaced:
        lines.append(f"{counted(rescored.replaced, 'line')} replaced by later ones of the same episodes.")
    if rescored.uncompared is not None:
        lines.append(f"Not compared with the worlds: {rescored.uncompared}")
    for difference in rescored.differences[:_MOST]:
        lines.append(f"{difference.where}: stored {difference.stored}, recomputed {difference.recomputed}")
    if len(rescored.differences) > _MOST:
        lines.append(f"and {counted(len(rescored.differences) - _MOST, 'more difference')}")
    if not rescored.summarised:
        lines.append(
            f"Recomputed from {counted(count, 'record')}; the run has no summary yet, so there is nothing to compare."
        )
    elif not rescored.differences:
        lines.append(f"Recomputed from {counted(count, 'record')}: equal to the summary in {folder}.")
    else:
        lines.append(f"{counted(len(rescored.differences), 'difference')}: what is stored does not follow.")
    console = err()
    for text in lines:
        console.print(on_one_line(text), markup=False, soft_wrap=True)
