"""How results look in a terminal: one table, what its columns mean, and what to be careful about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.further import TITLES, contrasts, further, learned
from normgym_agents.evaluation.fidelity import APART
from normgym_agents.evaluation.metrics import binds
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.report import REPORT_FILE
from normgym_agents.evaluation.results import ConditionResult, MetricValue, RunResult
from normgym_agents.evaluation.runner import SPANS_FILE
from normgym_agents.evaluation.showing import KNOWN, contrasts_shown
from normgym_agents.evaluation.showing import percent as percent
from normgym_agents.evaluation.showing import signed as signed
from normgym_agents.evaluation.store import RECORDS_FILE
from normgym_agents.evaluation.texts import counted, on_one_line

_COLUMNS: Final = {
    "joint_success": "joint success",
    "twin_success": "twins",
    "task_success": "task",
    "violation_rate": "violations",
    "over_compliance": "over-compliance",
    "invalid_act_rate": "invalid",
}
"""Metrics that the table shows, under short titles."""

_BAR: Final = 20
_NARROW: Final = 75
"""Below this width a table has no room for its numbers."""

_ENDLESS: Final = 1000

_FEW: Final = 6
"""More conditions than this are not explained each."""

_WIDE: Final = 100
"""From this width on there may be room for bars."""


def results(result: RunResult, console: Console) -> RenderableType:
    """A run's result: heading, tables, contrasts, legend and cautions."""
    parts: list[RenderableType] = [heading(result), Text(), conditions(result, console)]
    if found := further(result):
        parts += [Text(), learned(result, found, console)]
    if result.contrasts:
        parts += [Text(), contrasts(result, console)]
    parts += [Text(), legend(result)]
    if warnings := list(cautions(result)):
        parts += [Text(), *warnings]
    return Group(*parts)


def places(folder: Path, shown: Path) -> RenderableType:
    """Where to look further: what is in a folder, by the name that the user knows it by."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for title, name in (("records", RECORDS_FILE), ("spans", SPANS_FILE), ("report", REPORT_FILE)):
        if (folder / name).exists():
            grid.add_row(title, Text(on_one_line(str(shown / name))))
    return Group(Text(), grid)


def heading(result: RunResult) -> Text:
    """Who ran where."""
    suite = result.suite
    scale = counted(suite.worlds, "world")
    return Text.assemble(
        (on_one_line(result.newcomer), "bold"),
        f" in suite {on_one_line(suite.name)}",
        (f"  version {suite.version}, {scale}", "dim"),
    )


def conditions(result: RunResult, console: Console) -> RenderableType:
    """The table, with bars if there is room; where it would have to cut a number, a block per condition."""
    for bars in (True, False) if console.width >= _WIDE else (False,):
        drawn = table(result, bars=bars)
        natural = console.measure(drawn, options=console.options.update(max_width=_ENDLESS)).maximum
        if _NARROW <= console.width >= natural:
            return drawn
    return blocks(result)


def blocks(result: RunResult) -> RenderableType:
    """One block per condition: a line for every metric."""
    parts: list[RenderableType] = []
    for condition, found in result.conditions.items():
        grid = Table.grid(padding=(0, 2))
        grid.add_column(overflow="fold")
        grid.add_column(no_wrap=True, justify="right")
        grid.add_column(no_wrap=True, style="dim")
        for name, title in _COLUMNS.items():
            metric = found.metrics[name]
            headline = name == "joint_success"
            shown = interval(metric).strip() if headline else ""
            grid.add_row(title, Text(percent(metric.value), style="bold cyan" if headline else ""), shown)
        parts += [
            *([Text()] if parts else []),
            Text(condition.value, style="bold"),
            Padding(grid, (0, 0, 0, 2)),
        ]
    return Group(*parts) if parts else Text("no episode has ended")


def table(result: RunResult, *, bars: bool) -> Table:
    """One row per condition; the first metric is the headline and has its interval."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    drawn.add_column("condition", style="bold", no_wrap=True)
    if bars:
        drawn.add_column("", no_wrap=True, width=_BAR)
    for title in _COLUMNS.values():
        drawn.add_column(title.replace("over-", "over-\n"), justify="right", vertical="bottom", no_wrap=True)
    for condition, found in result.conditions.items():
        drawn.add_row(condition.value, *_cells(found, bars))
    return drawn


def _cells(found: ConditionResult, bars: bool) -> Iterator[RenderableType]:
    headline = found.metrics["joint_success"]
    if bars:
        yield bar(headline)
    yield Text.assemble((percent(headline.value), "bold cyan"), (f" {interval(headline)}", "dim"))
    for name in _COLUMNS:
        if name != "joint_success":
            yield percent(found.metrics[name].value)


def bar(metric: MetricValue) -> Text:
    """A bar of the value; what is missing to 1 is drawn faintly."""
    if metric.value is None:
        return Text()
    full = round(metric.value * _BAR)
    return Text.assemble(("━" * full, "cyan"), ("╌" * (_BAR - full), "dim"))


def interval(metric: MetricValue) -> str:
    """The bounds of a share, in percent, as wide as the widest."""
    if metric.low is None or metric.high is None:
        return ""
    return f"[{100 * metric.low:.0f}–{100 * metric.high:.0f}]".rjust(9)


def legend(result: RunResult) -> Table:
    """What the rows and columns mean, and how to read the intervals."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(overflow="fold", style="dim bold")
    grid.add_column(overflow="fold", style="dim")
    if len(result.conditions) <= _FEW:
        for condition in result.conditions:
            grid.add_row(condition.value, condition.summary)
    else:
        grid.add_row("conditions", "normgym list conditions says what each of them is")
    grid.add_row("", "")
    for name, title in (*_COLUMNS.items(), *((name, TITLES[name]) for name in further(result))):
        grid.add_row(title, KNOWN[name].explanation)
    for metric, _ in contrasts_shown(result.contrasts):
        if metric.test == "permutation":  # the others say by their title what they are
            grid.add_row(metric.title, metric.explanation)
    grid.add_row(
        Text("[low–high]"),
        "95% interval: bootstrap over pairs of twins; all that so few leave open if they agree or are under 6",
    )
    if result.contrasts:
        grid.add_row("p", "over pairs of twins: exact McNemar for joint success, else permutation")
    grid.add_row("+, −", "differences, in percentage points; normgym list metrics has all that is measured")
    return grid


def cautions(result: RunResult) -> Iterator[RenderableType]:
    """What a reader must know before believing the table."""
    if result.partial is not None:
        yield caution(f"only a part of the run: {result.partial}")
    yield from _unscored(result)
    yield from _apart(result)
    yield from _vacuous(result)
    yield from _faults(result)
    yield from _unreported(result)
    for warning in result.warnings:
        yield caution(warning)


def _apart(result: RunResult) -> Iterator[RenderableType]:
    for reason, why in APART.items():
        named = [
            f"{condition} {found.apart[reason]} of {found.episodes}"
            for condition, found in result.conditions.items()
            if reason in found.apart
        ]
        if named:
            yield caution(f"reported apart, and in no number above: {', '.join(named)} {why} (normgym audit)")


def _vacuous(result: RunResult) -> Iterator[RenderableType]:
    empty = [
        f"{condition} {found.vacuous} of {found.scored}"
        for condition, found in result.conditions.items()
        if found.vacuous and binds(condition)
    ]
    if empty:
        yield caution(f"episodes with nothing to break, and so no success: {', '.join(empty)}")


def _unscored(result: RunResult) -> Iterator[RenderableType]:
    if not result.unscored:
        return
    outcomes: Counter[Outcome] = Counter()
    bounds = []
    for condition, found in result.conditions.items():
        outcomes.update(found.unscored)
        if found.unscored and binds(condition):
            low, high = (found.metrics[f"joint_success_if_all_{end}"].value for end in ("failed", "passed"))
            bounds.append(f"{condition} {percent(low)} to {percent(high)}")
    named = ", ".join(f"{count} {_words(outcome)}" for outcome, count in outcomes.items())
    total = sum(found.episodes for found in result.conditions.values())
    yield caution(
        f"{result.unscored} of {counted(total, 'episode')} not scored ({named}), and owed when resumed"
    )
    if bounds:
        yield caution(f"joint success had all of them failed or passed: {', '.join(bounds)}")


def _words(outcome: Outcome) -> str:
    return outcome.replace("_", " ")


def _faults(result: RunResult) -> Iterator[RenderableType]:
    """What made episodes fail, most frequent first."""
    faults = Counter(
        (record.outcome, record.error or "")
        for record in result.records
        if record.outcome is not Outcome.COMPLETED
    )
    for (outcome, error), count in sorted(faults.items(), key=lambda item: (-item[1], item[0]))[:3]:
        yield caution(f"{count} × {_words(outcome)}: {error}")
    if len(faults) > 3:
        yield caution(f"and {counted(len(faults) - 3, 'other fault')}: see `error` in the records")


def _unreported(result: RunResult) -> Iterator[RenderableType]:
    """How often asking for the norms came to nothing, and what that counts as."""
    faults = Counter(
        (record.report is not None, record.report_fault)
        for record in result.records
        if record.outcome.scored and record.report_fault is not None
    )
    for (scored, fault), count in sorted(faults.items(), key=lambda item: (-item[1], item[0]))[:3]:
        counts = "scored as a report of nothing" if scored else "the report not scored"
        yield caution(f"{count} × asked for the norms, {counts}: {fault}")
    if len(faults) > 3:
        yield caution(f"and {counted(len(faults) - 3, 'other fault')}: see `report_fault` in the records")


def caution(text: str) -> Table:
    """Something that a reader must know, with a mark before it."""
    grid = Table.grid(padding=(0, 1))
    grid.add_row(Text("!", style="bold yellow"), Text(on_one_line(text)))
    return grid
