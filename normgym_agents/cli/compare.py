"""`normgym compare`: runs over the same worlds, each against the first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from normgym_agents.cli.console import Status, show
from normgym_agents.cli.private import AGAIN, to_read


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="compare", rich_help_panel="Evaluate")(_compare)


def _compare(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR DIR…",
            help="Folders of runs; all others are compared with the first.",
            show_default=False,
        ),
    ],
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seeds the intervals and the permutation tests.")
    ] = 0,
    suite_seed: Annotated[str | None, AGAIN] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON, all of it.")] = False,
) -> int:
    """Compare runs over the same worlds: differences, tests, and what can and cannot be concluded.

    Worlds are paired. Runs that differ in more than the newcomer are refused. Writes nothing.
    Exit status 1 if episodes of a run are owed or not scored.
    """
    from normgym_agents.evaluation.compare import compare

    found = compare(*folders, seed=seed, suite=to_read(folders, suite_seed, quiet=as_json))
    if as_json:
        typer.echo(found.to_json(), nl=False)
    else:
        from normgym_agents.cli.comparing import comparison

        show(lambda console: comparison(found, console))
    return Status.DONE if found.complete else Status.UNSCORED
