"""`normgym validate`: do the metrics recover the truth about learners whose truth is known?"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from normgym_agents.cli.console import Status, err, named, show
from normgym_agents.errors import BadInput


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="validate", rich_help_panel="Evaluate")(_validate)


def _validate(
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="A new file for the list as JSON; the table goes beside it, as .md.",
            show_default=False,
        ),
    ],
    suite: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Worlds; those with a certified transcript are used.")
    ] = "core",
    worlds: Annotated[int, typer.Option(metavar="N", help="How many of them, in pairs.", min=2)] = 150,
    samples: Annotated[
        int,
        typer.Option(
            metavar="N", help="Also draw N samples of worlds for each learner, for the rate.", min=0
        ),
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="N", help="Seeds learners, intervals and samples.", min=0)] = 0,
) -> int:
    """Try the instrument on simulated learners: does it recover what is known of them?

    Some minutes. Each learner goes through episodes, records and metrics like any newcomer.
    """
    from rich.markdown import Markdown

    from normgym_agents.evaluation.validation.measuring import as_list, validate
    from normgym_agents.evaluation.validation.table import as_markdown
    from normgym_agents.worlds.suites import load_suite

    listed, table = _places(out)
    with named("--suite", instead_of="SUITE"):
        loaded = load_suite(suite)

    def tell(what: str) -> None:
        err().print(what, markup=False, soft_wrap=True)

    found = asyncio.run(validate(loaded, worlds=worlds, samples=samples, seed=seed, on_progress=tell))
    text = as_markdown(found)
    for place, content in ((listed, json.dumps(as_list(found), indent=2) + "\n"), (table, text)):
        try:
            with place.open("x", encoding="utf-8") as file:
                file.write(content)
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", file=place) from error
    show(lambda console: Markdown(text) if console.is_terminal else text.rstrip("\n"))
    return Status.DONE


def _places(out: str) -> tuple[Path, Path]:
    """Where the list goes and where the table goes; both must be new, and are looked at before minutes go by."""
    place = Path(out)
    if not out or place.name in ("", ".", ".."):
        raise BadInput(f"{out!r} names no file", field="--out", expected="--out FILE")
    listed = place.with_suffix(".json") if place.suffix == ".md" else place
    for one in (listed, table := listed.with_suffix(".md")):
        if one.exists() or one.is_symlink():
            raise BadInput("is there already", file=one, field="--out", expected="a new file")
    if not place.parent.is_dir():
        raise BadInput(
            "there is no such folder", file=place.parent, field="--out", expected="a folder that is"
        )
    return listed, table
