"""Text that somebody else wrote, made fit to be shown: nothing in it is obeyed by a terminal or a page."""

from __future__ import annotations


def printable(text: str) -> str:
    """The same text, with everything that is not a visible character or a plain space written as an escape.

    That covers control characters (ANSI codes begin with one), direction marks, and halves of surrogate
    pairs, so that the result can be encoded and shows what is there.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def on_one_line(text: str) -> str:
    """The same text with runs of white space as one space, then `printable`."""
    return printable(" ".join(text.split()))


def counted(number: int, thing: str) -> str:
    """`1 episode`, `2 episodes`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
