"""`normgym audit`: did the members of a run keep to their cards, and to themselves what is on them?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from normgym_agents.cli.console import Status, show
from normgym_agents.evaluation.texts import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from normgym_agents.evaluation.auditing import Audit, AuditedEpisode, Cost
    from normgym_agents.evaluation.fidelity import Conduct

_COLUMNS: Final = {
    "breaches": ("own breaches", "of the acts it chose where a norm could be broken, those that broke one"),
    "missed": ("missed", "of the breaches it was to answer, those that it let pass"),
    "false": ("false", "of the acts without a breach that it could answer, those that it answered"),
    "caught": (
        "caught giving away",
        "times that code refused a line or turn that gave something of a card away",
    ),
    "told": ("told", "times that it told how things are done, as it does when asked"),
    "out_of_character": ("out of character", "times that code refused what nobody there would say"),
    "contradictions": ("beside the act", "times that code refused words that did not fit the act"),
    "invalid": ("invalid", "times that what came was not in the form, or no act that was offered"),
    "fallbacks": ("fallbacks", "of what its model was asked for, what schedule or template stood in for"),
}
_SHARES: Final = {
    "breaches": "chosen",
    "missed": "to_answer",
    "false": "to_leave",
    "fallbacks": "asked",
}
"""Counts that are a part of another."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(name="audit", rich_help_panel="Evaluate")(_audit)


def _audit(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a run.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> int:
    """Hold what members with models did against their cards, and say what their models cost.

    Writes nothing. Exit status 0, or 1 if episodes are reported apart because of what their members did.
    """
    from normgym_agents.evaluation.auditing import audit

    found = audit(folder)
    if as_json:
        typer.echo(json.dumps(found.model_dump(mode="json"), indent=2, sort_keys=True))
    else:
        show(lambda _: _told(found))
    return Status.UNSCORED if any(one.apart for one in found.episodes) else Status.DONE


def _told(found: Audit) -> RenderableType:
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not found.members:
        return f"The members of this run are {found.kind.value}: there is nothing to audit."
    title = f"Fidelity of {found.kind.value} members over {counted(len(found.episodes), 'episode')}"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("member")
    for heading, _ in _COLUMNS.values():
        table.add_column(heading, justify="right", overflow="fold")
    for member, conduct in found.members.items():
        table.add_row(member, *_cells(conduct))
    table.add_section()
    table.add_row("all", *_cells(found.together), style="bold")
    legend = Table.grid(padding=(0, 2))
    for heading, meaning in _COLUMNS.values():
        legend.add_row(Text(heading, style="dim bold"), Text(meaning, style="dim"))
    set_apart = [Text(_why_apart(one), style="yellow") for one in found.episodes if one.apart is not None]
    return Group(Text(title, style="bold"), table, legend, "", *set_apart, Text(_cost(found.cost)))


def _why_apart(one: AuditedEpisode) -> str:
    why = ", ".join(one.beyond) if one.evidence is None or one.beyond else f"evidence {one.evidence:.2f}"
    reason = "" if one.apart is None else one.apart.replace("_", " ")
    return f"apart: {one.world} under {one.condition.value}, {reason} ({why})"


def _cells(conduct: Conduct) -> list[str]:
    counts: dict[str, Any] = conduct.model_dump()
    return [
        f"{counts[name]}/{counts[_SHARES[name]]}" if name in _SHARES else str(counts[name])
        for name in _COLUMNS
    ]


def _cost(cost: Cost) -> str:
    return (
        f"Per episode: {cost.calls:.0f} calls, {cost.input_tokens:,.0f} tokens in, {cost.output_tokens:,.0f} out; "
        f"{100 * cost.prefix_share:.1f} % of the prompts is the verbatim beginning of the member's previous one "
        f"(after a member's first call {100 * cost.later_share:.1f} %, at least {100 * cost.least_share:.1f} %)"
    )
