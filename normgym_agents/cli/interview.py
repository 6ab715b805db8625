"""Asking a person a few questions, one line each: in a terminal with editing, from a pipe as lines come."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from normgym_agents.errors import LeftEarly
from normgym_agents.evaluation.texts import on_one_line

T = TypeVar("T")


class Interview:
    """Somebody who answers.

    Args:
        console: Where questions are shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._interactive = sys.stdin is not None and sys.stdin.isatty() and console.is_terminal

    def ask(self, question: str, read: Callable[[str], T], *, hint: str = "", default: str = "") -> T:
        """Ask until there is an answer that can be used.

        Args:
            question: What is asked.
            read: Makes something of the answer, or says by a `ValueError` why it will not do.
            hint: What helps to answer.
            default: What an empty line stands for, where that is something.

        Raises:
            LeftEarly: There are no more answers.
        """
        self._console.print()
        self._console.print(Text(question, style="bold"))
        if hint:
            self._console.print(Text(hint, style="dim"))
        while True:
            answer = self._line(default).strip() or default
            try:
                return read(answer)
            except ValueError as error:
                self._console.print(Text(f"That will not do: {on_one_line(str(error))}", style="yellow"))

    def _line(self, default: str) -> str:
        shown = f"[{default}] > " if default else "> "
        if self._interactive:
            # Here, because it takes a while to import, which nobody waits for who pipes lines.
            from prompt_toolkit import prompt

            try:
                return prompt(shown)
            except EOFError:
                raise LeftEarly("the answers ended, so nothing was written") from None
        line = "" if sys.stdin is None else sys.stdin.readline()
        if not line:
            raise LeftEarly("the answers ended, so nothing was written")
        return line
