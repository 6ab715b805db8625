"""`normgym list`: what there is to choose from."""

from __future__ import annotations

import ast
import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgym_agents.cli.console import show
from normgym_agents.evaluation.texts import on_one_line
from normgym_agents.specs import FORMS

_LEAST = 36
"""Columns that the last text needs, to be read with ease."""

Row = dict[str, str | int | float | None]


def register(app: typer.Typer) -> None:
    """Add the commands, one per kind of thing."""
    group = typer.Typer(no_args_is_help=True)
    for name, (rows, summary) in _KINDS.items():
        group.command(name=name, help=summary)(_command(rows, _DRAWN.get(name, _table)))
    app.add_typer(
        group,
        name="list",
        help="List newcomers, suites, settings, personas, conditions or metrics.",
        rich_help_panel="Look inside",
    )


def _command(
    rows: Callable[[], Iterator[Row]], draw: Callable[[list[Row], Console], RenderableType]
) -> Callable[[bool], None]:
    def command(
        as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    ) -> None:
        list_rows(rows(), as_json, draw)

    return command


def list_rows(
    rows: Iterator[Row], as_json: bool, draw: Callable[[list[Row], Console], RenderableType] | None = None
) -> None:
    """Show rows as a table, or as JSON."""
    found = list(rows)
    if as_json:
        typer.echo(json.dumps(found, indent=2))
    else:
        show(lambda console: (draw or _table)(found, console))


def _table(rows: list[Row], console: Console) -> RenderableType:
    """Columns without a heading; where the first one leaves no room, the rest stands below it."""
    if not rows:
        return Text("(none)", style="dim")
    texts = [["–" if value is None else on_one_line(str(value)) for value in row.values()] for row in rows]
    fixed = sum(max(map(len, column)) + 2 for column in list(zip(*texts, strict=True))[:-1])
    if console.width - fixed < _LEAST:
        return Group(*(_stacked(row) for row in texts))
    grid = Table.grid(padding=(0, 2))
    for number in range(len(texts[0])):
        grid.add_column(no_wrap=number < len(texts[0]) - 1, style="bold" if number == 0 else "")
    for row in texts:
        grid.add_row(*map(Text, row))
    return grid


def _stacked(row: list[str]) -> RenderableType:
    head, *rest = row
    return Group(Text(head, style="bold", overflow="fold"), Padding(Text("  ".join(rest)), (0, 0, 0, 4)))


def _newcomers() -> Iterator[Row]:
    from normgym_agents.assets import asset
    from normgym_agents.newcomers.reference import POLICIES
    from normgym_agents.worlds.simulated import SimulatedLearner

    for name in sorted(POLICIES):
        doc = (type(POLICIES[name](0)).__doc__ or "").strip().partition("\n")[0]
        yield {"spec": f"reference:{name}", "summary": doc}
    doc = (SimulatedLearner.__doc__ or "").strip().partition("\n")[0]
    yield {"spec": "reference:simulated?own=0.9&vicarious=0.2", "summary": doc}
    yield from _plug_ins()
    for path in sorted(asset("graphs").glob("*.py")):
        if path.name == "community.py":  # where newcomers come to, not one of them
            continue
        module = ast.parse(path.read_text("utf-8"))
        summary = (ast.get_docstring(module) or "").partition("\n")[0]
        for name in _offered(module):
            yield {"spec": f"{_short(path)}:{name}", "summary": summary}


def _plug_ins() -> Iterator[Row]:
    """What other packages bring; an adapter under the spec by which what it adapts is named."""
    from normgym_agents.newcomers.registry import plug_ins

    for one in plug_ins():
        source = "" if one.package is None else f" of {one.package}"
        if one.broken is not None:
            yield {"spec": f"plug-in:{one.name}", "summary": f"(broken) {one.broken}"}
        elif one.adapts is not None:
            summary = f"An agent of the kind {one.adapts}, adapted by the plug-in {one.name!r}{source}."
            yield {"spec": FORMS[0].text, "summary": summary}
        else:
            yield {"spec": f"plug-in:{one.name}", "summary": f"A newcomer{source}."}


def _with_forms(rows: list[Row], console: Console) -> RenderableType:
    """The newcomers that there are, and how any other is named."""
    forms: list[Row] = [{"spec": form.text, "summary": form.names} for form in FORMS]
    return Group(_table(rows, console), Text("\nAny other:", style="bold"), _table(forms, console))


def _offered(module: ast.Module) -> Iterator[str]:
    """Names that a bundled file offers: a graph, or else the function that makes an agent."""
    assigned = [
        target.id
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    made = [
        node.name
        for node in module.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("make_")
    ]
    yield from ["graph"] if "graph" in assigned else made


def _short(path: Path) -> str:
    """The file as it can be typed here: a path below this folder, else the module it is when installed."""
    if path.is_relative_to(Path.cwd()):
        return str(path.relative_to(Path.cwd()))
    module = f"normgym_agents.graphs.{path.stem}"
    found = importlib.util.find_spec("normgym_agents.graphs")
    return str(path) if found is None else module


def _suites() -> Iterator[Row]:
    from normgym_agents.worlds.suites import available_suites, load_suite

    for name in available_suites():
        suite = load_suite(name)
        yield {
            "name": name,
            "version": suite.version,
            "worlds": len(suite.worlds),
            "digest": suite.digest,
        }


def _settings() -> Iterator[Row]:
    from normgym_agents.assets import asset
    from normgym_agents.files import read_yaml
    from normgym_agents.worlds.settings import Setting

    for path in sorted(asset("personas", "settings").glob("*.yaml")):
        setting = read_yaml(path, Setting)
        yield {"name": setting.name, "title": setting.title, "verbs": ", ".join(setting.verbs)}


def _personas() -> Iterator[Row]:
    from normgym_agents.assets import asset
    from normgym_agents.community.personas import CardFile, Persona, read_community
    from normgym_agents.files import read_yaml

    # Whoever lists personas wants to know of every fault in what was written about them.
    for path in sorted(asset("personas", "cards").glob("*.yaml")):
        read_yaml(path, CardFile)
    for path in sorted(asset("personas", "communities").glob("*.yaml")):
        read_community(path.stem)
    for path in sorted(asset("personas", "personas").glob("*.yaml")):
        persona = read_yaml(path, Persona)
        yield {"id": path.stem, "name": persona.name, "story": persona.story}


def _conditions() -> Iterator[Row]:
    from normgym_agents.worlds.conditions import Condition

    for condition in Condition:
        yield {
            "name": condition.value,
            "phases": " → ".join(condition.phases),
            "summary": condition.summary,
        }


def _metrics() -> Iterator[Row]:
    from normgym_agents.evaluation.metrics import CONTRASTS, METRICS

    rows: list[Row] = [
        {
            "name": metric.name,
            "title": metric.title,
            "theme": metric.theme.value,
            "range": metric.range,
            "better": metric.better,
            "where": metric.where,
            "summary": metric.explanation,
        }
        for metric in (*METRICS, *CONTRASTS)
    ]
    gaps = [row for row in rows if str(row["name"]).endswith("_minus_none")]
    for row in rows:
        if row is gaps[0]:  # one for each condition, and alike
            yield row | {
                "name": "joint_success_CONDITION_minus_none",
                "title": "CONDITION − none",
                "where": "contrasts: CONDITION, none",
                "summary": "joint success under a condition minus joint success under `none`",
            }
        elif row not in gaps:
            yield row


def _by_theme(rows: list[Row], console: Console) -> RenderableType:
    """Metrics under the headings of their themes, and then the contrasts."""
    parts: list[RenderableType] = []
    headings: list[str] = []
    for row in rows:
        where = str(row["where"])
        heading = "contrasts of conditions" if where.startswith("contrasts") else str(row["theme"])
        if heading not in headings:
            headings.append(heading)
            parts += [*([Text()] if parts else []), Text(heading.upper(), style="bold cyan")]
        better = "" if row["better"] == "neither" else f", {row['better']} is better"
        place = "" if where == "metrics" else f"; in {where}"
        facts = Text(f"{row['range']}{better}{place}", style="dim", overflow="fold")
        parts += [
            Text(str(row["name"]), style="bold", overflow="fold"),
            Padding(Group(Text(str(row["summary"])), facts), (0, 0, 0, 4)),
        ]
    return Group(*parts)


_KINDS: dict[str, tuple[Callable[[], Iterator[Row]], str]] = {
    "newcomers": (_newcomers, "Newcomers that are at hand, and how any other is named."),
    "suites": (_suites, "Suites of certified worlds."),
    "settings": (_settings, "Settings that worlds are drawn from."),
    "personas": (_personas, "Characters that live there."),
    "conditions": (_conditions, "Which evidence a newcomer can get."),
    "metrics": (_metrics, "What is measured, and which way is better."),
}

_DRAWN: dict[str, Callable[[list[Row], Console], RenderableType]] = {
    "newcomers": _with_forms,
    "metrics": _by_theme,
}
"""How those are shown that are more than a table."""
