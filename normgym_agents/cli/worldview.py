"""One world on a screen: what its people know, what a newcomer is asked, and what was proved."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from normgym_agents.worlds.world import WorkDay, World


def whole_world(world: World) -> RenderableType:
    """Everything about a world that a person can use; `--json` has the rest."""
    enforcement = world.enforcement
    facts = [
        ("setting", world.setting.title),
        ("twin", world.twin),
        ("digest", world.digest),
        *((f"N{number}", norm) for number, norm in enumerate(world.norms, start=1)),
        ("people", ", ".join(f"{member.name} ({member.role})" for member in world.cast.members)),
        ("newcomer", f"{world.cast.newcomer} ({world.cast.role})"),
        (
            "enforcement",
            f"breaches answered {enforcement.detection:.0%}, others {enforcement.false_sanctions:.0%}, "
            f"explicitness {enforcement.explicitness}",
        ),
        ("watch", f"{len(world.watch)} days, {sum(len(day.script) for day in world.watch)} rounds"),
    ]
    return Group(
        Text(world.id, style="bold"),
        Text(),
        _grid(facts),
        *_day("practise", world.practise),
        *_day("probe", world.probe),
        Text(),
        Text("certificate", style="bold"),
        _grid(_certificate(world)),
    )


def _day(title: str, day: WorkDay) -> list[RenderableType]:
    stage = day.stage
    shelves: dict[str, list[str]] = {}
    for thing in stage.things:
        shelves.setdefault(thing.home, []).append(" ".join(thing.attributes.values()))
    facts = [
        ("task", f"{day.task.sentence} ({day.task.budget} acts)"),
        ("paths", ", ".join(f"{one} – {other}" for one, other in stage.paths)),
        *((place, ", ".join(things)) for place, things in shelves.items()),
    ]
    return [Text(), Text(title, style="bold"), _grid(facts)]


def _certificate(world: World) -> list[tuple[str, str]]:
    proved = world.certificate
    if proved is None:
        return [("none", "an authored community: nobody is measured in it")]
    return [
        ("solvable", f"a norm-keeping plan takes {proved.keeping} of {world.probe.task.budget} acts"),
        (
            "tempting",
            f"ignoring the norms takes {proved.blind}, at {_counts(proved.opportunities)} opportunities",
        ),
        ("near misses", f"{proved.near_misses} permitted acts that the norm-keeping plan needs"),
        (
            "identifiable",
            f"posterior {proved.identified:.3f} after {proved.observed[0]} watched acts, {proved.observed[1]} answered",
        ),
        ("needs inference", f"fooled: {', '.join(proved.fooled)}"),
        ("twin", "no plan within the budget keeps both norm sets"),
    ]


def _counts(counts: tuple[int, ...]) -> str:
    return " + ".join(map(str, counts))


def _grid(facts: list[tuple[str, str]]) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, style="dim")
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(Text(name), Text(value))
    return grid
