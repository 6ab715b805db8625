"""A newcomer beside the reference newcomers, in a terminal: joint success under every condition."""

from __future__ import annotations

from typing import Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgym_agents.evaluation.baselines import Baselines
from normgym_agents.evaluation.metrics import JOINT_SUCCESS
from normgym_agents.evaluation.results import Summary
from normgym_agents.evaluation.showing import NOTHING, percent
from normgym_agents.evaluation.texts import on_one_line
from normgym_agents.worlds.conditions import Condition

_ENDLESS: Final = 1000


def beside(result: Summary, held: Baselines, console: Console) -> RenderableType:
    """One row per newcomer, the measured one first; one block each where there is no room for rows."""
    rows = {on_one_line(result.newcomer): _cells(result, result)}
    rows |= {name: _cells(result, summary) for name, summary in held.items()}
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    drawn.add_column("joint success", style="bold", overflow="fold")
    for condition in result.conditions:
        drawn.add_column(condition.value.replace("-", "\n"), justify="right", vertical="bottom", no_wrap=True)
    for number, (name, cells) in enumerate(rows.items()):
        drawn.add_row(name, *cells.values(), style=None if number == 0 else "dim", end_section=number == 0)
    wanted = console.measure(drawn, options=console.options.update(max_width=_ENDLESS)).maximum
    return Group(Text(), drawn if wanted <= console.width else _blocks(rows))


def _cells(result: Summary, summary: Summary) -> dict[Condition, str]:
    found = {}
    for condition in result.conditions:
        measured = summary.conditions.get(condition)
        value = None if measured is None else measured.metrics[JOINT_SUCCESS.name].value
        found[condition] = NOTHING if value is None else percent(value)
    return found


def _blocks(rows: dict[str, dict[Condition, str]]) -> RenderableType:
    parts: list[RenderableType] = [Text("joint success", style="bold")]
    for name, cells in rows.items():
        text = "  ".join(f"{condition} {cell}" for condition, cell in cells.items())
        parts += [Text(name, style="bold"), Padding(Text(text, overflow="fold"), (0, 0, 0, 2))]
    return Group(*parts)
