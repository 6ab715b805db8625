"""Make text safe to record, and short.

What an agent writes may be megabytes, and may hold escape codes, lone surrogates or characters that
reorder what a reader sees. Everything is cut before it is looked at, so that the cost of odd text is bounded.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_SAID: Final = 400
"""Longest words of a `say`, in characters."""

MAX_WORDS: Final = 2_000
"""Longest words kept for the record, in characters."""

_ESCAPES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\^_]?"
)
_THINKING: Final = re.compile(r"<(?P<close>/)?(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs"})
_BREAKS: Final = frozenset({"\n", "\t", "\r", "\v", "\f", "\x85"})


def clean(text: str, limit: int = MAX_WORDS) -> str:
    """The text without anything invisible (line ends stay), at most `limit` characters long."""
    text = _ESCAPES.sub("", text[: 4 * limit]).replace("\r\n", "\n")
    seen = ("\n" if c in _BREAKS and c != "\t" else " " if c == "\t" else c for c in text)
    return "".join(c for c in seen if c == "\n" or unicodedata.category(c) not in _UNSEEN)[:limit].strip()


def one_line(text: str, limit: int = MAX_SAID) -> str:
    """The cleaned text on one line."""
    return " ".join(clean(text, 2 * limit).split())[:limit].rstrip()


def excerpt(text: str, side: int = 4_000) -> str:
    """The head and the tail of a long text, cut at line ends or between words.

    Acts stand at the beginning or at the end of what agents write. A line that the cut goes through is
    dropped where it can be, because half a line can say the opposite of the whole.
    """
    if len(text) <= 2 * side:
        return text
    head, tail = text[:side], text[-side:]
    head = head[: head.rfind("\n") + 1 or head.rfind(" ") + 1]
    start = tail.find("\n") if "\n" in tail else tail.find(" ")
    return f"{head}\n{tail[start + 1 :]}"


def spoken(text: str) -> str:
    """The text without what its writer marked as thinking, which some models put into their words.

    An opening mark without its end, as where a model was cut off, leaves nothing after it; an end without an opening
    mark, which some servers swallow, leaves nothing before it.
    """
    kept: list[str] = []
    at = 0
    for mark in _THINKING.finditer(text):
        if mark["close"]:
            if at >= 0:
                kept.clear()
            at = mark.end()
        elif at >= 0:
            kept.append(text[at : mark.start()])
            at = -1
    return "".join([*kept, text[at:]] if at >= 0 else kept)


def legible(text: str) -> str:
    """What of a text is read for an act: an excerpt of what was not just thought, cleaned."""
    short = excerpt(spoken(text))
    return clean(short, len(short))
