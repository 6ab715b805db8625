"""What a run says beyond success, in a terminal: what was learned, by condition, and contrasts of conditions."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgym_agents.evaluation.metrics import Metric
from normgym_agents.evaluation.results import ConditionResult, Contrast, RunResult
from normgym_agents.evaluation.showing import KNOWN, NOTHING, RAW, contrasts_shown, shown, why_missing
from normgym_agents.worlds.conditions import Condition

TITLES: Final = {
    "learning_gain": "gain",
    "over_compliance_excess": "excess",
    "sanction_responsiveness": "sanctioned",
    "sanction_responsiveness_peer": "peer sanctioned",
    "regret": "regret",
    "report_f1": "report F1",
}
"""Metrics that the table of what was learned shows, under short titles, as far as a run has values of them."""

_ENDLESS: Final = 1000


def further(result: RunResult) -> list[str]:
    """Names of the further metrics that have a value under some condition."""
    return [name for name in TITLES if any(_cell(*one, name) for one in result.conditions.items())]


def learned(result: RunResult, names: list[str], console: Console) -> RenderableType:
    """One row per condition, or one block where there is no room for rows."""
    rows = {
        condition.value: cells
        for condition, found in result.conditions.items()
        if any(cells := [_cell(condition, found, name) for name in names])
    }
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    drawn.add_column("condition", style="bold", no_wrap=True)
    for name in names:
        drawn.add_column(TITLES[name].replace(" ", "\n"), justify="right", vertical="bottom", no_wrap=True)
    for condition, cells in rows.items():
        drawn.add_row(condition, *(cell or Text(NOTHING, style="dim") for cell in cells))
    return drawn if _fits(drawn, console) else _blocks(rows, names)


def _blocks(rows: dict[str, list[str]], names: list[str]) -> RenderableType:
    parts: list[RenderableType] = []
    for condition, cells in rows.items():
        grid = Table.grid(padding=(0, 2))
        grid.add_column(overflow="fold")
        grid.add_column(no_wrap=True, justify="right")
        for name, cell in zip(names, cells, strict=True):
            if cell:
                grid.add_row(TITLES[name], cell)
        parts += [*([Text()] if parts else []), Text(condition, style="bold"), Padding(grid, (0, 0, 0, 2))]
    return Group(*parts)


def _cell(condition: Condition, found: ConditionResult, name: str) -> str:
    """The value of a metric; for a gain relative to next to nothing the difference, in points."""
    if not KNOWN[name].applies(condition):
        return ""
    for one in (name, name + RAW):
        if one in found.metrics and (value := found.metrics[one].value) is not None:
            text = shown(KNOWN[one], value)
            return f"{text} pts" if one.endswith(RAW) else text
    return ""


def _fits(drawn: Table, console: Console) -> bool:
    """Whether a table can be shown without cutting anything."""
    return console.measure(drawn, options=console.options.update(max_width=_ENDLESS)).maximum <= console.width


def contrasts(result: RunResult, console: Console) -> RenderableType:
    """Differences over the same worlds, those of joint success first."""
    rows = [(metric.title, _difference(metric, one)) for metric, one in contrasts_shown(result.contrasts)]
    grid = Table.grid(padding=(0, 2))
    for style in ("bold", "cyan", "dim", "dim", "dim"):
        grid.add_column(no_wrap=True, style=style, justify="right" if style == "cyan" else "left")
    for title, cells in rows:
        grid.add_row(title, *map(Text, cells))
    if _fits(grid, console):
        return grid
    parts: list[RenderableType] = []
    for title, (value, *details) in rows:
        text = Text.assemble(
            (value, "cyan"), ("  " + "  ".join(filter(None, details)), "dim"), overflow="fold"
        )
        parts += [Text(title, style="bold"), Padding(text, (0, 0, 0, 2))]
    return Group(*parts)


def _difference(metric: Metric, contrast: Contrast) -> tuple[str, str, str, str]:
    """Value, interval, p and worlds."""
    if contrast.value is None:
        return NOTHING, why_missing(metric, contrast), "", ""
    unit = " points" if metric.high == 1 else ""
    interval = "no interval"
    if contrast.low is not None and contrast.high is not None:
        interval = f"[{shown(metric, contrast.low)} to {shown(metric, contrast.high)}]"
    p = "" if contrast.p is None else "p < 0.001" if contrast.p < 0.001 else f"p = {contrast.p:.3f}"
    return shown(metric, contrast.value) + unit, interval, p, f"n = {contrast.n}"
