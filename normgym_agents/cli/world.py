"""`normgym world`: look at worlds, draw new ones, and prove them again."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.console import Status, err, named, say_error, show
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import counted, on_one_line

if TYPE_CHECKING:
    from normgym_agents.worlds.suites import Suite
    from normgym_agents.worlds.world import World

_SUITE = typer.Argument(metavar="SUITE", help="Name or file of a suite.")
_NAME = "Name of the suite that they make; with the seed, decides which worlds are drawn."
_ALIGNMENT = "How one would expect every world's norm: congruent, arbitrary or counter."
_NAMES = re.compile(r"[a-z0-9][a-z0-9-]*")
_JSON = typer.Option("--json", help="Print as JSON, complete.")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True)
    group.command(name="show")(_show)
    group.command(name="sample")(_sample)
    group.command(name="certify")(_certify)
    app.add_typer(
        group,
        name="world",
        help="Look at worlds, draw new ones, prove them again.",
        rich_help_panel="Look inside",
    )


def _show(
    suite: Annotated[str, _SUITE] = "quick",
    world: Annotated[
        str | None, typer.Argument(metavar="WORLD", help="Id of one world; without it, all.")
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Show the worlds of a suite, or everything about one of them: its norms, people, tasks and certificate."""
    loaded = _load(suite)
    if world is None:
        if as_json:
            _echo_json(loaded.worlds)
        else:
            show(lambda _: _overview(loaded))
        return
    found = _find(loaded, world)
    if as_json:
        typer.echo(found.model_dump_json(indent=2))
    else:
        from normgym_agents.cli.worldview import whole_world

        show(lambda _: whole_world(found))


def _sample(
    seed: Annotated[
        int, typer.Option(metavar="N", help="With the name, decides which worlds are drawn.", min=0)
    ] = 0,
    pairs: Annotated[int, typer.Option(metavar="N", help="How many pairs of twins.", min=1)] = 1,
    setting: Annotated[str, typer.Option(metavar="NAME", help="See normgym list settings.")] = "pottery-yard",
    family: Annotated[
        str | None,
        typer.Option(metavar="F1..F10", help="Family of every world's norm.", show_default="in turn"),
    ] = None,
    alignment: Annotated[
        str | None, typer.Option(metavar="NAME", help=_ALIGNMENT, show_default="any")
    ] = None,
    attempts: Annotated[
        int, typer.Option(metavar="N", help="Candidates drawn before a pair is given up.", min=1)
    ] = 2000,
    name: Annotated[str, typer.Option(metavar="NAME", help=_NAME)] = "sample",
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write them as a suite for normgym run --suite FILE, .jsonl or .jsonl.gz (compressed).",
            show_default=False,
        ),
    ] = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="Show how many candidates were kept, and why others were not.")
    ] = False,
    as_json: Annotated[bool, _JSON] = False,
) -> int:
    """Draw certified twin worlds from a setting. The same name and seed give the same worlds.

    With --stats a pair that cannot be found is counted, not an error.
    """
    from normgym_agents.cli.sampling import Asked, draw_pairs, statistics
    from normgym_agents.worlds.suites import dump_suite, make_suite

    if not _NAMES.fullmatch(name):
        raise BadInput(
            f"{name!r} is no name of a suite", field="--name", expected="a-z, 0-9 and -, as in my-suite-2"
        )
    asked = Asked.parse(setting, name, seed, pairs, attempts, family, alignment)
    place = None if out is None else _new_file(out)
    drawn = draw_pairs(asked, keep_going=stats)
    suite = make_suite(name, 1, seed, drawn.worlds)
    if place is not None and drawn.worlds:
        try:
            with place.open("xb") as file:
                file.write(dump_suite(suite, compressed=place.suffix == ".gz"))
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", file=place) from error
    if as_json:
        _echo_json(suite.worlds)
    elif suite.worlds:
        show(lambda _: _overview(suite))
    if not suite.worlds:
        unwritten = "" if place is None else f", so {on_one_line(str(place))} was not written"
        err().print(f"nothing was kept{unwritten}", soft_wrap=True, markup=False)
    if stats and as_json:
        err().print(statistics(drawn))
    elif stats:
        show(lambda _: statistics(drawn))
    return Status.DONE


def _new_file(out: str) -> Path:
    """The file that worlds will be written to: better refused now than after minutes of drawing."""
    place = Path(out)
    try:
        if not out:
            raise BadInput("'' names no file", field="--out", expected="--out FILE")
        if place.suffix not in (".jsonl", ".gz"):
            message = f"{out!r} is no name for a suite's file"
            raise BadInput(message, field="--out", expected="FILE.jsonl, or FILE.jsonl.gz to compress it")
        if place.exists() or place.is_symlink():
            raise BadInput("is there already", file=place, field="--out", expected="a new file")
        if not place.parent.is_dir() or not os.access(place.parent, os.W_OK):
            raise BadInput("cannot be written there", file=place, field="--out", expected="a folder of yours")
    except ValueError as error:  # a null byte in the name
        raise BadInput(f"{out!r} names no file: {error}", field="--out") from error
    return place


def _certify(
    suite: Annotated[str, _SUITE] = "quick",
    worlds: Annotated[
        int | None,
        typer.Option(metavar="N", help="Only the first N worlds, an even number.", show_default="all", min=2),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Processes.", show_default="one per processor", min=1),
    ] = None,
) -> int:
    """Prove the worlds of a suite again: solvable, tempting, identifiable, twins that no plan keeps both of.

    Exit status 0 if every certificate holds and is the stored one, 2 if one does not.
    """
    from normgym_agents.cli.certifying import certify_all

    loaded = _load(suite)
    if worlds is not None and (worlds % 2 or worlds > len(loaded.worlds)):
        message = "twins are proved together" if worlds % 2 else f"suite {loaded.name!r} has fewer worlds"
        expected = f"an even number, 2 to {len(loaded.worlds)}"
        raise BadInput(f"{worlds} will not do: {message}", field="--worlds", expected=expected)
    chosen = loaded.worlds[:worlds]
    failed = 0
    for world, fault in zip(chosen, certify_all(chosen, jobs or os.cpu_count() or 1), strict=True):
        if fault is None:
            typer.echo(f"{world.id}  certified")
        else:
            failed += 1
            say_error(f"{world.id}: {fault}")
    typer.echo(f"{len(chosen) - failed} of {counted(len(chosen), 'world')} certified")
    return Status.BAD_INPUT if failed else Status.DONE


def _load(suite: str) -> Suite:
    from normgym_agents.worlds.suites import load_suite

    with named("SUITE", instead_of="--suite"):
        return load_suite(suite)


def _find(suite: Suite, world: str) -> World:
    for candidate in suite.worlds:
        if candidate.id == world:
            return candidate
    from difflib import get_close_matches

    ids = [candidate.id for candidate in suite.worlds]
    near = get_close_matches(world, ids, n=3) or ids[:3]
    raise BadInput(f"suite {suite.name!r} has no world {world!r}", field="WORLD", expected=", ".join(near))


def _echo_json(worlds: tuple[World, ...] | list[World]) -> None:
    typer.echo("[" + ",\n".join(world.model_dump_json() for world in worlds) + "]")


def _overview(suite: Suite) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    for world in suite.worlds:
        grid.add_row(
            Text(world.id, style="bold"),
            Text(f"{world.probe.task.budget:>2} acts", style="dim"),
            Text("\n".join(world.norms)),
        )
    title = Text.assemble((suite.name, "bold"), (f"  version {suite.version}, digest {suite.digest}", "dim"))
    return Group(title, Text(), grid)
