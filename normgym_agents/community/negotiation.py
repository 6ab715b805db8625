"""Norms that a community agreed on before the newcomer came: who proposed what, who minded, and how it was settled.

The file records the talk, so that a card is its holder's own. Nothing here is played: members remember it, and
the norm that was adopted is on everybody's card, also of those who were against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from pydantic import Field

from normgym_agents.community.held import Data, HeldNorm, Rule
from normgym_agents.norms.norm import Name
from normgym_agents.worlds.lines import Phrase, Statement


class Ballot(StrEnum):
    """What one member votes."""

    YES = "yes"
    NO = "no"
    ABSTAIN = "abstain"


class Needs(StrEnum):
    """How many of all members must vote yes; whoever abstains does not."""

    MAJORITY = "majority"
    TWO_THIRDS = "two_thirds"
    ALL = "all"

    def met(self, yes: int, members: int) -> bool:
        """Whether so many are enough."""
        match self:
            case Needs.MAJORITY:
                return 2 * yes > members
            case Needs.TWO_THIRDS:
                return 3 * yes >= 2 * members
            case Needs.ALL:
                return yes == members


_SHARES: Final = {
    Needs.MAJORITY: "more than half of all members",
    Needs.TWO_THIRDS: "two thirds of all members",
    Needs.ALL: "every member",
}


class Outcome(StrEnum):
    """What came of it."""

    ADOPTED = "adopted"
    REJECTED = "rejected"


class Objection(Data):
    """What somebody had against a proposal.

    Attributes:
        by: Who, by the name of the persona's file.
        words: What they said.
    """

    by: Name
    words: Phrase


class Amendment(Data):
    """Another wording of the proposal.

    Attributes:
        by: Who wanted it, by the name of the persona's file.
        rule: The norm as they wanted it.
        statement: The same in one sentence.
        words: What they said for it.
        accepted: Whether it took the proposal's place, and was voted on instead.
    """

    by: Name
    rule: Rule
    statement: Statement
    words: Phrase | None = None
    accepted: bool


class Agreement(Data):
    """A norm that somebody proposed, and what the community made of it.

    Attributes:
        proposed_by: Who, by the name of the persona's file.
        rule: The norm as it was proposed.
        statement: The same in one sentence.
        because: What the proposer said for it.
        objections: What others had against it.
        amendments: Other wordings, in order; the last one that was accepted is what was voted on.
        vote: What each member voted, by the name of the persona's file.
        needs: How many must vote yes.
        outcome: Whether it was adopted, and is on every card, or rejected, and is on none.
        lightly: Members who hold it, but answer breaches of it in the mildest form only.
    """

    proposed_by: Name
    rule: Rule
    statement: Statement
    because: Phrase | None = None
    objections: tuple[Objection, ...] = Field(default=(), max_length=12)
    amendments: tuple[Amendment, ...] = Field(default=(), max_length=6)
    vote: dict[Name, Ballot]
    needs: Needs = Needs.MAJORITY
    outcome: Outcome
    lightly: tuple[Name, ...] = ()

    @property
    def adopted(self) -> bool:
        """Whether it is in force."""
        return self.outcome is Outcome.ADOPTED

    @property
    def settled(self) -> HeldNorm:
        """The norm that was voted on."""
        accepted = [one for one in self.amendments if one.accepted]
        last = accepted[-1] if accepted else self
        return HeldNorm(rule=last.rule, statement=last.statement)

    @property
    def place(self) -> tuple[str | int, ...]:
        """Where the norm that was voted on stands within the agreement."""
        accepted = [i for i, one in enumerate(self.amendments) if one.accepted]
        return ("amendments", accepted[-1], "rule") if accepted else ("rule",)

    def count(self, ballot: Ballot) -> int:
        """How many voted so."""
        return list(self.vote.values()).count(ballot)


class Wrong(NamedTuple):
    """Something wrong with an agreement.

    Attributes:
        place: Where it stands within the agreement, as keys and indices.
        message: What it is.
        expected: What would be right.
    """

    place: tuple[str | int, ...]
    message: str
    expected: str


def wrong_with(agreement: Agreement, members: Sequence[str]) -> Iterator[Wrong]:
    """What about an agreement does not fit the community that is said to have made it.

    Args:
        agreement: The agreement.
        members: The members, by the names of their personas' files.
    """
    named: list[tuple[tuple[str | int, ...], str]] = [
        (("proposed_by",), agreement.proposed_by),
        *((("objections", i, "by"), one.by) for i, one in enumerate(agreement.objections)),
        *((("amendments", i, "by"), one.by) for i, one in enumerate(agreement.amendments)),
        *((("vote", name), name) for name in agreement.vote),
        *((("lightly", i), name) for i, name in enumerate(agreement.lightly)),
    ]
    known = ", ".join(members)
    for place, name in named:
        if name not in members:
            yield Wrong(place, f"{name!r} is no member", f"one of {known}")
    if silent := [name for name in members if name not in agreement.vote]:
        yield Wrong(("vote",), f"{silent[0]!r} has no vote", f"yes, no or abstain of each of {known}")
        return
    yes = sum(agreement.vote[name] is Ballot.YES for name in members)
    met = agreement.needs.met(yes, len(members))
    if met is not agreement.adopted:
        share = (
            f"{yes} of {len(members)} voted yes, and {agreement.needs.value!r} is {_SHARES[agreement.needs]}"
        )
        right = Outcome.ADOPTED if met else Outcome.REJECTED
        yield Wrong(("outcome",), f"{agreement.outcome.value!r} does not follow: {share}", right.value)
    if agreement.lightly and not agreement.adopted:
        yield Wrong(("lightly",), "nobody holds a norm that was rejected", "no such key")


def remembered(agreement: Agreement, names: Mapping[str, str], member: str) -> str:
    """What a member remembers of it, as it is told to whoever speaks for that member.

    Args:
        agreement: The agreement.
        names: What the members are called, by the names of their personas' files.
        member: The member.
    """

    def who(one: str) -> str:
        return "you" if one == member else names[one]

    told = [f"{_first(who(agreement.proposed_by))} proposed: “{agreement.statement}”"]
    if agreement.because is not None:
        told.append(f"“{agreement.because}”")
    told += [f"{_first(who(one.by))} objected: “{one.words}”" for one in agreement.objections]
    for one in agreement.amendments:
        said = "" if one.words is None else f" (“{one.words}”)"
        fate = "and so it was put" if one.accepted else "and that was not taken up"
        told.append(f"{_first(who(one.by))} wanted instead{said}: “{one.statement}”, {fate}.")
    votes = [
        f"{ballot.value}: {', '.join(who(name) for name, cast in agreement.vote.items() if cast is ballot)}"
        for ballot in Ballot
        if agreement.count(ballot)
    ]
    told.append(f"The vote was {'; '.join(votes)}.")
    if not agreement.adopted:
        told.append("It was not adopted, and nobody is held to it.")
    elif agreement.vote[member] is Ballot.YES:
        told.append("It was adopted.")
    else:
        told.append("It was adopted, and you hold to it like everybody.")
    if member in agreement.lightly:
        told.append("You take it lightly: a frown is the most you give for it.")
    return " ".join(told)


def _first(word: str) -> str:
    return word[:1].upper() + word[1:]
