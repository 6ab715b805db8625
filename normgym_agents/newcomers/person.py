"""A person as a newcomer: shown what every newcomer is shown, and read as every newcomer is read.

How a person is shown things and heard is a matter of wherever they sit, so it is a callback. What they type is
read by the rules for any agent's text; what is the screen's alone (a list of what can be typed) is here too, since
it must name acts as those rules do.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Final

from normgym_agents.errors import BadInput
from normgym_agents.newcomers._names import Names
from normgym_agents.newcomers.acting import Answer, read_answer
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

PERSON: Final = "person"
"""What a person is known by; one of several is `person:ID`."""

_ID: Final = re.compile(r"[A-Z]{1,3}[0-9]{1,4}")
_BLANK: Final = re.compile(r"\b[A-Z]{2,}\b")
"""What a menu says in place of something."""

Hear = Callable[[Observation], Awaitable[str]]
"""Shows a person an observation (on a re-ask, the fault alone), and brings back what they type.

Raises `LeftEarly` where they get up.
"""

HearRules = Callable[[Question], Awaitable[str]]
"""Asks a person, once the acting is over, what one may and must not do."""


class PersonNewcomer:
    """A person in one episode.

    Args:
        hear: Reaches them in a turn.
        hear_rules: Reaches them at the end.
    """

    def __init__(self, hear: Hear, hear_rules: HearRules) -> None:
        self._hear, self._hear_rules = hear, hear_rules

    async def join(self, name: str) -> None:
        """Nothing to get ready: the first observation says what they are called."""

    async def turn(self, observation: Observation) -> Reply:
        """What they do.

        Raises:
            LeftEarly: They got up.
        """
        return read_answer(Answer(text=await self._hear(observation)), observation.view)

    async def report(self, question: Question) -> str:
        """What they say of the norms."""
        return await self._hear_rules(question)

    async def leave(self) -> None:
        """Nothing to give back."""


def adapt_person(hear: Hear, hear_rules: HearRules) -> NewcomerFactory:
    """A factory of newcomers that are one person."""
    return lambda _: PersonNewcomer(hear, hear_rules)


def person_name(participant: str | None) -> str:
    """What records call a person.

    Args:
        participant: The code that somebody was given, as `P07`; None for somebody who has none.

    Raises:
        BadInput: It is no such code, but something that may tell who they are.
    """
    if participant is None:
        return PERSON
    if _ID.fullmatch(participant):
        return f"{PERSON}:{participant}"
    looks = "is no code"
    if "@" in participant:
        looks = "looks like an e-mail address"
    elif re.search(r"[^\W\d_]{2,}", participant) and not re.search(r"\d", participant):
        looks = "looks like a name"
    # What was typed is not repeated: it may be just what must not end up in a log.
    raise BadInput(
        f"what was given {looks}; records must not tell who somebody is",
        field="--participant",
        expected="one to three capitals and up to four digits, as in P07",
    )


def is_person(name: str) -> bool:
    """Whether a newcomer of this name is a person."""
    return name == PERSON or name.startswith(f"{PERSON}:")


def phrases(view: NewcomerView) -> list[str]:
    """Everything that can be done now, in words that are read as it; what is free to choose is left off."""
    names = Names(view)
    return list(dict.fromkeys(_BLANK.split(names.phrase(act))[0] for act in view.available))
