"""Errors, named for the boundary that was crossed.

Every message is one line that a user can act on. Where an episode ends on one of these, its outcome
follows from the class alone (`evaluation.episodes` holds the only such table), so that a failing model or
a broken community can never be mistaken for a newcomer's behaviour.
"""

from __future__ import annotations

from pathlib import Path


class NormgymError(Exception):
    """Base of all errors raised on purpose; `str()` of it is one clear line."""


class BadInput(NormgymError):
    """Wrong use or bad input from outside: the command line exits with status 2.

    Args:
        message: What is wrong, in words.
        file: The file it is in, if any.
        line: Its line there, counted from 1.
        field: The field or option at fault.
        expected: What would have been right.
    """

    def __init__(
        self,
        message: str,
        *,
        file: Path | str | None = None,
        line: int | None = None,
        field: str | None = None,
        expected: str | None = None,
    ) -> None:
        self.message, self.file, self.line, self.field, self.expected = message, file, line, field, expected
        place = "" if file is None else f"{file}:{line}: " if line is not None else f"{file}: "
        name = "" if field is None else f"{field}: "
        hint = "" if expected is None else f" (expected: {expected})"
        super().__init__(f"{place}{name}{message}{hint}")


class NotConnected(BadInput):
    """An agent that runs only with something that nobody gave: its owner's to add, and nothing to score."""


class NewcomerError(NormgymError):
    """The newcomer broke: an exception of its own, a deadline, a recursion limit, a budget."""


class NoAnswer(NewcomerError):
    """The newcomer was asked for the norms, and what it answered says nothing: a report of nothing, not a crash."""


class LeftEarly(NormgymError):
    """A person got up before the end: nobody's behaviour, so nothing is scored."""


class ModelError(NormgymError):
    """A model provider failed after its retries: nobody's behaviour, so nothing is scored."""


class CommunityError(NormgymError):
    """The community itself failed: our fault, so nothing is scored."""
