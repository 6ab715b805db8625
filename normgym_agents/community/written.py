"""What people write about a community: who somebody is, who lives together, in which words and on which terms.

Only the form is checked here. Whether files fit each other is told where they are read together (`personas`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from normgym_agents.community.held import Data, HeldNorms, NormCard
from normgym_agents.community.negotiation import Agreement
from normgym_agents.norms.norm import Name
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.expectations import SignalValue
from normgym_agents.worlds.lines import Phrase, Statement

MOST_AGREEMENTS = 8
"""Agreements of one community."""


class Disclosure(StrEnum):
    """What a member does when asked for the rules."""

    NEVER = "never"
    HINT = "hint"
    TELL = "tell"


class Persona(Data):
    """An authored character.

    Attributes:
        name: What people call them.
        story: Who they are, in a few sentences.
        voice: How they speak.
        goal: What they want.
        temperament: Their temper, in a word or two.
        disclosure: What they do when a newcomer asks how things are done: say nothing (never), name somebody worth
            watching (hint), or say it (tell).
        secret: What nobody else knows of them: told to whoever speaks for them, and to nobody besides.
    """

    name: Phrase
    story: Statement
    voice: Phrase
    goal: Phrase
    temperament: Phrase
    disclosure: Disclosure
    secret: Statement | None = None


class MemberEntry(Data):
    """A member of an authored community.

    Attributes:
        persona: Name of the persona's file, without `.yaml`.
        card: Name of the card's file, without `.yaml`.
        role: One of `words.roles`.
    """

    persona: Name
    card: Name
    role: Name


class RoleNorms(Data):
    """Norms that come with a role.

    Attributes:
        minds: What everybody of the role minds, whoever does it: these stand on the cards of its holders.
        owes: What is asked of everybody of the role: these bind its holders only, as if they ended in `for ROLE`, and
            stand on the cards of all members.
    """

    minds: HeldNorms = ()
    owes: HeldNorms = ()


def _distinct(words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        if words.count(word) > 1:
            raise ValueError(f"{word!r} stands twice")
    return words


Distinct = Annotated[tuple[Name, ...], Field(max_length=12), AfterValidator(_distinct)]
"""Words, each once; more than a dozen of a kind make more norms to think of than a day can show."""

MOST_LOOKS = 120
"""Ways that things of one community can look."""


class Words(Data):
    """The words of an authored community, where a sampled world would draw them.

    Attributes:
        places: Words for the places.
        attributes: Words for how things differ, by the attributes of the setting.
        signals: Public signals and their two values.
        roles: Words for the roles; the first one oversees.
        topics: What may be spoken of, where the setting has topics, and only there.
        addresses: How somebody may be addressed, where the setting has addresses, and only there.
        newcomer: What the newcomer is called.
        newcomer_role: The newcomer's role, one of `roles`.
    """

    places: Distinct = Field(min_length=2)
    attributes: dict[Name, Annotated[Distinct, Field(min_length=2)]]
    signals: dict[Name, tuple[SignalValue, SignalValue]] = Field(min_length=1, max_length=6)
    roles: Distinct = Field(min_length=2)
    topics: Distinct = ()
    addresses: Distinct = ()
    newcomer: Phrase
    newcomer_role: Name


class CommunityFile(Data):
    """An authored community.

    Attributes:
        name: Its file name, without `.yaml`.
        setting: Name of the setting it is in.
        enforcement: How it enforces its norms.
        members: Who lives there.
        words: Its words.
        roles: Norms that come with a role, by role.
        agreements: Norms that the members talked about and voted on before the newcomer came.
    """

    name: Name
    setting: Name
    enforcement: Enforcement
    members: tuple[MemberEntry, ...] = Field(min_length=4, max_length=6)
    words: Words
    roles: dict[Name, RoleNorms] = Field(default_factory=dict)
    agreements: tuple[Agreement, ...] = Field(default=(), max_length=MOST_AGREEMENTS)


class AuthoredMember(Data):
    """A member with everything read.

    Attributes:
        key: Name of its persona's file.
        persona: Who it is.
        card: What it holds: its own card, what its role brings, and what was agreed.
        role: Its role.
    """

    key: str
    persona: Persona
    card: NormCard
    role: str
