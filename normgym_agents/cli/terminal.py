"""A person at a terminal: what they are shown, and what they type.

Shown is the observation's text and nothing beside it. How it is set (headings, indents) marks its parts; nothing of
what happened is set apart, as that would tell a person what matters and an agent not. Where input or output is no
terminal, lines are read as they come.
"""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from normgym_agents.errors import LeftEarly
from normgym_agents.evaluation.texts import printable
from normgym_agents.newcomers.containment import in_thread
from normgym_agents.newcomers.person import phrases
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import NewcomerView, Observation

if TYPE_CHECKING:
    from normgym_agents.cli.prompting import Prompt

_HEADINGS: Final = ("Day ", "A new day", "Now the work", "Since you last", "From today")
_LEAST: Final = 24
"""Columns that text is given, however narrow the terminal."""


class Ended(Exception):
    """There is nothing more to read."""


class Terminal:
    """Where a person sits, for one episode.

    Args:
        console: Where they are shown things.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._so_far: list[str] = []
        self._prompt: Prompt | None = None
        self._interactive = sys.stdin is not None and sys.stdin.isatty() and console.is_terminal
        self.interrupted = False

    async def hear(self, observation: Observation) -> str:
        """Show an observation and bring back what is typed.

        Raises:
            LeftEarly: They got up.
        """
        self._show(observation.text, again=observation.retry is not None)
        while True:
            line = await self._line(observation.view)
            match line.casefold():
                case "":
                    continue
                case "?":
                    self._help(observation.view)
                case "history":
                    await self._history()
                case "quit" | "exit":
                    raise LeftEarly("the person left")
                case _:
                    self._so_far.append(f"> {line}")
                    return line

    async def hear_rules(self, question: Question) -> str:
        """Ask what one may and must not do; ends at an empty line."""
        self._show(question.text, again=False)
        self._console.print(Text("One rule on each line; an empty line ends it.", style="dim"))
        lines: list[str] = []
        while True:
            try:
                line = await self._line(None)
            except LeftEarly:
                break
            if not line:
                break
            lines.append(line)
        return "\n".join(lines)

    def _show(self, text: str, *, again: bool) -> None:
        self._so_far.append(text)
        console = self._console
        console.print()
        for line in laid_out(text, console.width):
            console.print(Text(line, style="yellow" if again else _style(line)), soft_wrap=True)
        console.print()

    async def _line(self, view: NewcomerView | None) -> str:
        try:
            line = await (self._typed(view) if self._interactive else self._piped())
        except (EOFError, Ended):
            raise LeftEarly("the person left") from None
        except KeyboardInterrupt:
            self.interrupted = True
            raise LeftEarly("the person left") from None
        return line.strip()

    async def _typed(self, view: NewcomerView | None) -> str:
        # Here, because it takes a while to import, which nobody waits for who pipes lines.
        from normgym_agents.cli.prompting import Prompt

        if self._prompt is None:
            self._prompt = Prompt(lambda: laid_out(self._past, self._console.width - 1))
        return await self._prompt.line([] if view is None else phrases(view))

    async def _piped(self) -> str:
        line = "" if sys.stdin is None else await in_thread(sys.stdin.readline)
        if not line:
            raise Ended
        self._console.print(Text(f"> {printable(line.strip())}", style="bold"), soft_wrap=True)
        return line

    @property
    def _past(self) -> str:
        return "\n\n".join(self._so_far)

    async def _history(self) -> None:
        if self._prompt is not None:
            await self._prompt.look_back()
        else:
            self._console.print(
                "\n".join(laid_out(self._past, self._console.width)), markup=False, soft_wrap=True
            )

    def _help(self, view: NewcomerView) -> None:
        console = self._console
        console.print()
        console.print("Say what you do, one act at a time, in your own words or in these:")
        for phrase in phrases(view):
            console.print(Padding(Text(f"{phrase}…" if phrase.endswith(" ") else phrase), (0, 0, 0, 2)))
        console.print()
        console.print(
            Text(
                "If it is not clear you are asked once more; then the turn passes. "
                "Type history to see all that was so far, quit to leave.",
                style="dim",
            )
        )
        console.print()


def laid_out(text: str, width: int) -> list[str]:
    """The text in lines of at most a width; what does not fit goes on below itself, a little further in."""
    lines: list[str] = []
    for line in text.split("\n"):
        body = line.lstrip(" ")
        first = " " * (len(line) - len(body))
        hang = f"{first}  "
        parts = textwrap.wrap(
            printable(body),
            max(width, _LEAST),
            initial_indent=first,
            subsequent_indent=hang,
            break_on_hyphens=False,
        )
        lines += parts or [""]
    return lines


def _style(line: str) -> str:
    """Headings stand out; nothing that happened does."""
    return "bold" if line.startswith(_HEADINGS) else ""
