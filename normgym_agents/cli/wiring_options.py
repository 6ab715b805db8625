"""How an agent is connected, as options that every command with a newcomer has."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from normgym_agents.cli.options import option
from normgym_agents.specs import FORMS

PANEL: Final = "Who comes"

SPECS: Final = "NEWCOMER is one of\n" + "\n".join(
    f"  [bold]{form.text}[/]  [dim]{form.names}[/]" for form in FORMS
)
"""How a newcomer is named, as a paragraph of a command's help."""

Model = Annotated[
    str | None,
    option("--model", text="Model for a newcomer that takes one.", panel=PANEL, metavar="SPEC"),
]
Mapping = Annotated[
    str | None,
    typer.Option(
        "--mapping",
        metavar="FILE|KEY=VALUE,…",
        help="The keys of a graph without messages, as input=KEY,output=KEY; also state.KEY=, configurable.KEY= and "
        "context.KEY=VALUE. [dim]\\[NAME.mapping.yaml beside NAME.py][/dim]",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
OnInterrupt = Annotated[
    str | None,
    typer.Option(
        "--on-interrupt",
        metavar="reply|approve|reject|FILE",
        help="Where the agent pauses to ask: its question is its reply, or it is told yes, no, or what a YAML "
        "file says. [dim]\\[reply][/dim]",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]
Trust = Annotated[
    bool | None,
    typer.Option(
        "--trust",
        help="Run code that came inside of data, as in a component of AutoGen's that was written out.",
        show_default=False,
        rich_help_panel=PANEL,
    ),
]


def wiring_given(mapping: str | None, on_interrupt: str | None, trust: bool | None) -> dict[str, object]:
    """The fields of a configuration, as far as they were given."""
    given = {"mapping": mapping, "on_interrupt": on_interrupt, "trust": trust}
    return {name: value for name, value in given.items() if value is not None}
