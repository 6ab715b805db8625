"""The literals that norms are made of: each looks at one part of a moment and is true or false of it.

A literal never looks at two parts, so that a table over thousands of moments asks it once per distinct
value of its part.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from operator import attrgetter
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from normgym_agents.norms.frozen import Frozen
from normgym_agents.norms.moments import RECENT, Deed, Moment, Pairs

KEYWORDS = frozenset(
    {
        "forbid", "oblige", "permit", "when", "and", "not", "for", "before", "after", "present",
        "within", "with", "more", "overriding", "until",
    }
)  # fmt: skip
"""Words of the language that a setting cannot use; those that stand only between others are free."""

NAME_PATTERN = r"[a-z][a-z0-9_\-]*"


def _not_a_keyword(word: str) -> str:
    if word in KEYWORDS:
        raise ValueError(f"{word!r} is a word of the norm language itself")
    return word


Name = Annotated[
    str, StringConstraints(max_length=60, pattern=rf"^{NAME_PATTERN}$"), AfterValidator(_not_a_keyword)
]
"""A word of the setting: lower case, not one of the language's own words."""


def refused(reason: str, expected: str) -> PydanticCustomError:
    """An error of form, for validators: what is wrong with a norm and what would be right."""
    return PydanticCustomError("norm", "{reason}", {"reason": reason, "expected": expected})


class Conjunct(Frozen):
    """Something that is true or false of a moment, by one part of it alone.

    Attributes:
        part: The attribute of `Moment` that it looks at.
    """

    part: ClassVar[str]

    @property
    def place(self) -> Hashable:
        """Conjuncts of one place see the same of every moment."""
        return self.part

    def sees(self, moment: Moment) -> Hashable:
        """What it sees of a moment: moments of which it sees the same are alike to it."""
        return next(iter(self.seen([moment])))

    def seen(self, moments: Iterable[Moment]) -> Iterable[Hashable]:
        """What it sees of each of many moments."""
        return map(attrgetter(self.part), moments)

    def holds(self, moment: Moment) -> bool:
        """Whether it is true of the moment."""
        raise NotImplementedError


class SlotLiteral(Conjunct):
    """`glaze=iron` or `glaze!=iron`: the act has that slot, and its value is (not) the one named."""

    part: ClassVar[str] = "slots"
    slot: Name
    value: Name
    negated: bool = False

    def holds_in(self, slots: Pairs) -> bool:
        """Whether the literal is true of an act with these slots; an absent slot makes it false."""
        for name, value in slots:
            if name == self.slot:
                return (value == self.value) is not self.negated
        return False

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        return self.holds_in(moment.slots)


class ActPattern(Frozen):
    """A verb and what is said of its slots; no literals means any act of the verb."""

    verb: Name
    literals: tuple[SlotLiteral, ...] = ()

    def matches(self, deed: Deed) -> bool:
        """Whether a deed is one of these acts."""
        return deed.verb == self.verb and all(literal.holds_in(deed.slots) for literal in self.literals)

    def misses(self, deed: Deed) -> int | None:
        """How many literals are false of a deed of this verb; None for other verbs."""
        if deed.verb != self.verb:
            return None
        return sum(not literal.holds_in(deed.slots) for literal in self.literals)


class SignalIs(Conjunct):
    """`bell=hanging`: a public signal has this value."""

    part: ClassVar[str] = "signals"
    signal: Name
    value: Name
    negated: bool = False

    def holds_in(self, signals: Pairs) -> bool:
        """Whether the literal is true of these signals."""
        return ((self.signal, self.value) in signals) is not self.negated

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        return self.holds_in(moment.signals)


class SignalBelow(Conjunct):
    """`stock<2`: a public signal shows a number, and one below the limit."""

    part: ClassVar[str] = "signals"
    signal: Name
    limit: int
    negated: bool = False

    @model_validator(mode="after")
    def _says_something(self) -> SignalBelow:
        if not 1 <= self.limit <= 999_999:
            raise refused(f"{self.signal}<{self.limit}", "a number from 1 to 999999")
        return self

    def holds_in(self, signals: Pairs) -> bool:
        """Whether the literal is true of these signals; what is no number is not below any."""
        below = any(
            name == self.signal and value.isdecimal() and int(value) < self.limit for name, value in signals
        )
        return below is not self.negated

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        return self.holds_in(moment.signals)


class Present(Conjunct):
    """`present(keeper)`: somebody else of this role is where the actor is."""

    part: ClassVar[str] = "present"
    role: Name
    negated: bool = False

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        return (self.role in moment.present) is not self.negated


class Bearer(Conjunct):
    """`for keeper`, `for not keeper`: whom the norm binds."""

    part: ClassVar[str] = "role"
    role: Name
    negated: bool = False

    def holds(self, moment: Moment) -> bool:
        """Whether the norm binds the actor."""
        return self.holds_for(moment.role)

    def holds_for(self, role: str) -> bool:
        """Whether the norm binds those of a role."""
        return (role == self.role) is not self.negated


class Sequence(Conjunct):
    """`before greet(role=keeper)`: until the actor has done that today; `after`: once it has."""

    part: ClassVar[str] = "earlier"
    relation: Literal["before", "after"]
    pattern: ActPattern

    def holds(self, moment: Moment) -> bool:
        """Whether the actor stands on the side of the pattern that the relation names."""
        done = any(self.pattern.matches(deed) for deed in moment.earlier)
        return done is (self.relation == "after")


class Now(Conjunct):
    """The act is (not) one of the pattern's, whatever the verb of the norm."""

    part: ClassVar[str] = "deed"
    pattern: ActPattern
    negated: bool = False

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        return self.pattern.matches(moment.deed) is not self.negated


class Ago(Conjunct):
    """So many acts ago the actor did (not) do one of the pattern's acts; a day begins with no acts done."""

    part: ClassVar[str] = "recent"
    back: Annotated[int, Field(ge=1, le=RECENT)]
    pattern: ActPattern
    negated: bool = False

    @property
    def place(self) -> Hashable:
        """It sees a single one of the recent acts."""
        return self.part, self.back

    def seen(self, moments: Iterable[Moment]) -> Iterable[Deed | None]:
        """The act so many acts ago, or None where the day is younger."""
        return map(self.deed, moments)

    def deed(self, moment: Moment) -> Deed | None:
        """The act so many acts ago, or None where the day is younger."""
        return moment.recent[-self.back] if len(moment.recent) >= self.back else None

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        deed = self.deed(moment)
        return (deed is not None and self.pattern.matches(deed)) is not self.negated


class UsedUpToday(Conjunct):
    """The actor did the pattern's acts so often today already."""

    part: ClassVar[str] = "tally"
    pattern: ActPattern
    most: int

    def holds(self, moment: Moment) -> bool:
        """Whether one more would be one too many."""
        return sum(count for deed, count in moment.tally if self.pattern.matches(deed)) >= self.most


class UsedUpLately(Conjunct):
    """The actor did the pattern's acts so often among its last so many acts."""

    part: ClassVar[str] = "recent"
    pattern: ActPattern
    most: int
    acts: int

    def holds(self, moment: Moment) -> bool:
        """Whether one more would be one too many."""
        return sum(self.pattern.matches(deed) for deed in moment.recent[-self.acts :]) >= self.most
