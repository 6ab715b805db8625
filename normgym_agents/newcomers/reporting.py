"""Ask a newcomer for the norms, and check what comes back before anybody reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import ValidationError

from normgym_agents.errors import NewcomerError, NoAnswer
from normgym_agents.newcomers._cleaning import clean, excerpt
from normgym_agents.newcomers._failures import first_fault
from normgym_agents.newcomers.contract import Newcomer
from normgym_agents.worlds.asking import MOST_REPORTED, Question, ReportedNorm

Told = str | tuple[ReportedNorm, ...]
"""What a newcomer said: words, cleaned and cut, or norms."""

_SIDE: Final = 8_000
"""Characters that are read of the beginning of an answer, and of its end."""


async def ask_for_norms(newcomer: Newcomer, question: Question) -> Told:
    """Put the question to a newcomer.

    Raises:
        NoAnswer: It says nothing, or gives what is neither words nor norms.
        NewcomerError: It cannot be asked, or breaks.
        ModelError: As its contract says.
    """
    report = getattr(newcomer, "report", None)
    if not callable(report):
        raise NewcomerError("this newcomer cannot be asked: it has no `report`")
    return _checked(await report(question))


def _checked(answer: object) -> Told:
    if isinstance(answer, str):
        # Half a line can say the opposite of the whole, so a cut takes whole lines.
        short = excerpt(answer, _SIDE)
        words = clean(short, len(short))
        if not words:
            raise NoAnswer("the agent answered without a word")
        return words
    if not isinstance(answer, Sequence):
        raise NoAnswer(f"the agent answered with {type(answer).__name__}, and not words or norms")
    return tuple(_norm(one) for one in answer[:MOST_REPORTED])


def _norm(one: object) -> ReportedNorm:
    """A norm, or plain data that makes one; validated again, since one that was not may hold anything."""
    if not isinstance(one, ReportedNorm | Mapping):
        raise NoAnswer(f"the agent reported {type(one).__name__}, and not a ReportedNorm")
    try:
        return ReportedNorm.model_validate(dict(one))
    except ValidationError as error:
        raise NoAnswer(f"the agent reported a norm that will not do: {first_fault(error)}") from error
