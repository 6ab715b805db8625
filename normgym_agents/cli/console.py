"""Where words go: results to stdout, everything else to stderr, and nothing a newcomer wrote as it is."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum

from rich.console import Console, RenderableType
from rich.text import Text

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.texts import on_one_line

_NARROW = 80


class Status(IntEnum):
    """Exit status of the command line."""

    DONE = 0
    UNSCORED = 1
    BAD_INPUT = 2
    INTERRUPTED = 130
    PIPE_CLOSED = 141


def tolerate_odd_text() -> None:
    """Never fail on text that the terminal's encoding lacks: write it escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _Console(Console):
    """Leaves it to the command line to end when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def out() -> Console:
    """The console for results. Piped, it is as wide as a narrow terminal and has no colour."""
    return _Console(highlight=False, width=None if sys.stdout.isatty() else _width())


def err() -> Console:
    """The console for progress, notes and errors."""
    return _Console(stderr=True, highlight=False)


def show(draw: Callable[[Console], RenderableType]) -> None:
    """Print a result. Piped, lines end where their text ends, so that they diff and grep well."""
    console = out()
    what = draw(console)
    if console.is_terminal:
        console.print(what)
        return
    with console.capture() as captured:
        console.print(what)
    sys.stdout.write("".join(part.rstrip() + "\n" for part in captured.get().splitlines()))


def say_error(message: str) -> None:
    """One clear line on stderr."""
    err().print(Text.assemble(("normgym: ", "bold red"), on_one_line(message)), soft_wrap=True)


@contextmanager
def named(option: str, *, instead_of: str) -> Iterator[None]:
    """Let bad input name the option or argument that the user gave, where several lead to the same check."""
    try:
        yield
    except BadInput as error:
        if error.field != instead_of:
            raise
        raise BadInput(
            error.message, file=error.file, line=error.line, field=option, expected=error.expected
        ) from error


def _width() -> int | None:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else _NARROW
