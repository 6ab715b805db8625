"""`normgym world`: look at worlds, draw new ones, and prove them again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.console import Status, err, say_error, show
from normgym_agents.errors import BadInput

if TYPE_CHECKING:
    from normgym_agents.worlds.suites import Suite
    from normgym_agents.worlds.world import World

_SUITE = typer.Argument(metavar="SUITE", help="Name or file of a suite.")
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
    from normgym_agents.worlds.suites import load_suite

    loaded = load_suite(suite)
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
    seed: Annotated[int, typer.Option(metavar="N", help="What worlds are drawn from.")] = 0,
    pairs: Annotated[int, typer.Option(metavar="N", help="How many pairs of twins.", min=1)] = 1,
    setting: Annotated[str, typer.Option(metavar="NAME", help="See normgym list settings.")] = "pottery-yard",
    name: Annotated[str, typer.Option(metavar="NAME", help="Name of the suite that they make.")] = "sample",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write them as a suite for normgym run --suite FILE.", show_default=False
        ),
    ] = None,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Draw certified twin worlds from a setting. The same seed gives the same worlds."""
    from normgym_agents.worlds.suites import dump_suite, make_suite

    if out is not None and out.exists():
        raise BadInput("is there already", file=out, expected="a new file")
    worlds: list[World] = []
    with err().status("drawing") as status:
        for index in range(pairs):
            status.update(
                f"drawing pair {index + 1} of {pairs}: each is searched for until it can be certified"
            )
            worlds += _drawn(setting, name, seed, index)
    suite = make_suite(name, 1, seed, worlds)
    if out is not None:
        try:
            out.write_bytes(dump_suite(suite))
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", file=out) from error
    if as_json:
        _echo_json(worlds)
    else:
        show(lambda _: _overview(suite))


def _drawn(setting: str, name: str, seed: int, index: int) -> tuple[World, World]:
    from normgym_agents.community.personas import read_community, read_setting
    from normgym_agents.worlds import sampling

    # The people of a setting are those of the community that bears its name, in the order written there.
    community, members = read_community(setting)
    personas = tuple((member.key, member.persona.name) for member in members)
    recipe = sampling.Recipe(
        read_setting(community.setting), personas, f"{name}-1", seed, community.enforcement
    )
    return sampling.sample_twins(recipe, index).twins


def _certify(
    suite: Annotated[str, _SUITE] = "quick",
    worlds: Annotated[
        int | None, typer.Option(metavar="N", help="Only the first N worlds.", show_default="all", min=2)
    ] = None,
) -> int:
    """Prove the worlds of a suite again: solvable, tempting, identifiable, twins that no plan keeps both of.

    Exit status 0 if every certificate holds and is the stored one, 2 if one does not.
    """
    from normgym_agents.worlds.certificate import NotCertified, certify
    from normgym_agents.worlds.suites import load_suite

    loaded = load_suite(suite)
    chosen = loaded.worlds[:worlds]
    by_id = {world.id: world for world in loaded.worlds}
    failed = 0
    for world in chosen:
        try:
            if world.twin not in by_id:
                raise NotCertified("twin: it is not in the suite")
            certificate = certify(world, by_id[world.twin])
            if certificate != world.certificate:
                raise NotCertified("certificate: the stored one differs from the one that was proved")
        except NotCertified as error:
            failed += 1
            say_error(f"{world.id}: {error}")
        else:
            typer.echo(f"{world.id}  certified")
    typer.echo(f"{len(chosen) - failed} of {len(chosen)} worlds certified")
    return Status.BAD_INPUT if failed else Status.DONE


def _find(suite: Suite, world: str) -> World:
    for candidate in suite.worlds:
        if candidate.id == world:
            return candidate
    from difflib import get_close_matches

    ids = [candidate.id for candidate in suite.worlds]
    near = get_close_matches(world, ids, n=3) or ids[:3]
    raise BadInput(f"suite {suite.name!r} has no world {world!r}", expected=", ".join(near))


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
