"""How options are declared: with the default in words, because it may come from a resumed run or another place."""

from __future__ import annotations

from typing import Any

import typer


def option(*names: str, text: str, panel: str, metavar: str | None = None, default: str = "") -> Any:
    """An option of a command.

    Args:
        names: What it is called.
        text: What it is for.
        panel: The heading that it stands under.
        metavar: What stands for its value.
        default: What holds without it, in words.
    """
    said = f"{text} [dim]\\[{default}][/dim]" if default else text
    return typer.Option(*names, metavar=metavar, help=said, show_default=False, rich_help_panel=panel)
