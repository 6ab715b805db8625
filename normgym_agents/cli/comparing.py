"""How a comparison looks in a terminal: who, what differs, the primary tests, and what to conclude."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.render import caution, percent
from normgym_agents.evaluation.compare import (
    Comparison,
    ConditionComparison,
    Difference,
    PairComparison,
    Primary,
)
from normgym_agents.evaluation.compare.unscored import in_words
from normgym_agents.evaluation.compare.words import chance, signed
from normgym_agents.evaluation.metrics import METRICS
from normgym_agents.evaluation.texts import counted, on_one_line
from normgym_agents.worlds.conditions import Condition

_SHOWN: Final = (
    "joint_success",
    "twin_success",
    "task_success",
    "violation_rate",
    "over_compliance",
    "invalid_act_rate",
)
"""Metrics that the table shows; `--json` has them all."""

_NARROW: Final = 75
"""Below this width a row has no room for its numbers."""

_MOST: Final = 6
"""Worlds that are named; the rest are counted."""


def comparison(found: Comparison, console: Console) -> RenderableType:
    """The runs, then each of the others against the first, then cautions."""
    parts: list[RenderableType] = [_runs(found)]
    for one in found.comparisons:
        parts += [Text(), *_against(one, console)]
    parts += [Text(), _legend()]
    if warnings := list(_cautions(found)):
        parts += [Text(), *warnings]
    return Group(*parts)


def _runs(found: Comparison) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold", style="dim")
    for run in found.runs:
        grid.add_row(
            Text(run.label, style="bold"), Text(on_one_line(run.newcomer)), Text(on_one_line(run.folder))
        )
    suite = Text.assemble(
        "suite ", on_one_line(found.suite.name), (f"  version {found.suite.version}", "dim")
    )
    return Group(grid, suite)


def _against(one: PairComparison, console: Console) -> Iterator[RenderableType]:
    yield Text(f"{one.second} against {one.first}", style="bold")
    for condition, found in one.conditions.items():
        yield Text()
        worlds = f"{counted(found.worlds, 'world')} in {counted(found.pairs, 'pair')} of twins"
        yield Text.assemble((condition.value, "bold"), (f"  {worlds}", "dim"))
        if found.worlds:
            yield Padding(_metrics(one, found, console.width), (0, 0, 0, 2))
        for sentence in found.conclusions:
            yield Padding(Text(sentence), (0, 0, 0, 2))
    yield Text()
    yield Text.assemble(("primary tests", "bold"), ("  adjusted together (Holm)", "dim"))
    yield Padding(_primary(one), (0, 0, 0, 2))


def _metrics(one: PairComparison, found: ConditionComparison, width: int) -> RenderableType:
    shown = {m.title: found.metrics[m.name] for m in METRICS if m.name in _SHOWN and m.name in found.metrics}
    if width < _NARROW:
        grid = Table.grid(padding=(0, 2))
        grid.add_column(overflow="fold")
        grid.add_column(overflow="fold")
        for title, metric in shown.items():
            grid.add_row(title, _change(metric))
            grid.add_row("", Text(_p(metric), style="dim"))
        return grid
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    table.add_column("")
    for label in (one.first, one.second, f"{one.second} − {one.first}"):
        table.add_column(label, justify="right", no_wrap=True)
    table.add_column("p", no_wrap=True)
    table.add_column("within ±5", no_wrap=True)
    for title, metric in shown.items():
        table.add_row(
            title,
            percent(metric.first),
            percent(metric.second),
            _difference(metric),
            Text(_p(metric).removeprefix("p = ").removeprefix("p ")),
            _within(metric),
        )
    return table


def _change(metric: Difference) -> Text:
    return Text.assemble(f"{percent(metric.first)} → {percent(metric.second)}  ", _difference(metric))


def _difference(metric: Difference) -> Text:
    if metric.value is None:
        return Text("–")
    bounds = (
        ""
        if metric.low is None or metric.high is None
        else f" [{signed(metric.low)} to {signed(metric.high)}]"
    )
    return Text.assemble((signed(metric.value), "cyan"), (bounds, "dim"))


def _p(metric: Difference) -> str:
    return "–" if metric.p is None else chance(metric.p)


def _within(metric: Difference) -> str:
    return "–" if metric.within is None else "yes" if metric.within.shown else "not shown"


def _primary(one: PairComparison) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for test in one.primary:
        grid.add_row(_named(test), _tested(test))
    for name, reason in one.untested.items():
        grid.add_row(name.replace("_", " "), Text(f"not tested: {reason}", style="dim"))
    return grid


def _named(test: Primary) -> str:
    name = test.metric.replace("_", " ")
    return name if test.condition is None else f"{name}, {test.condition}"


def _tested(test: Primary) -> Text:
    verdict = "a difference" if test.significant else "no difference shown"
    return Text.assemble(
        (f"{signed(test.value)} points", "cyan"),
        (f"  {chance(test.p)}, adjusted {chance(test.p_adjusted)}: ", "dim"),
        verdict,
    )


def _legend() -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(style="dim", overflow="fold")
    grid.add_row(
        Text("[low to high]"),
        "95% interval of the difference, in points: bootstrap over pairs of twins; "
        "all that so few leave open if they agree or are under 6",
    )
    grid.add_row("p", "joint success: exact McNemar over pairs; the rest: paired permutation; not adjusted")
    grid.add_row("within ±5", "shown to differ by less than 5 points: two one-sided t tests at 5%")
    return grid


def _cautions(found: Comparison) -> Iterator[RenderableType]:
    for run in found.runs:
        if run.partial is not None:
            yield caution(f"{run.label}: only a part of the run: {run.partial}")
        total = counted(run.episodes, "episode")
        for scored, how in ((False, "not scored"), (True, "scored as failed, since the newcomer broke")):
            faults = [fault for fault in run.faults if fault.outcome.scored is scored]
            if faults:
                count = sum(fault.episodes for fault in faults)
                yield caution(f"{run.label}: {count} of {total} {how}: {in_words(faults)}")
    for one in found.comparisons:
        for label, only in ((one.first, one.only_first), (one.second, one.only_second)):
            if only:
                yield caution(f"only {label} has {', '.join(only)}: not compared with {_other(one, label)}")
        for condition, compared in one.conditions.items():
            yield from _left_out(one, condition, compared)
    for note in found.notes:
        yield caution(note)


def _left_out(
    one: PairComparison, condition: Condition, compared: ConditionComparison
) -> Iterator[RenderableType]:
    for label, worlds in ((one.first, compared.only_first), (one.second, compared.only_second)):
        if worlds:
            yield caution(f"{condition}: only {label} has {_listed(worlds)}: left out")
    if compared.unscored:
        sides = f"{one.first} or {one.second}"
        yield caution(f"{condition}: not scored in {sides}: {_listed(compared.unscored)}: left out")


def _other(one: PairComparison, label: str) -> str:
    return one.second if label == one.first else one.first


def _listed(worlds: tuple[str, ...]) -> str:
    named = ", ".join(worlds[:_MOST])
    more = f" and {len(worlds) - _MOST} more" if len(worlds) > _MOST else ""
    return f"{counted(len(worlds), 'world')} ({named}{more})"
