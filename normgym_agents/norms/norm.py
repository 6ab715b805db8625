"""The frozen form of a norm: a deontic over an act pattern, a sequence, a context and a bearer.

A prohibition is a conjunction: it is broken by an act of its verb for which every literal holds. That
one reading serves the referee, the hypothesis tables and near misses alike. Each literal names the one
part of a moment that it looks at. A further family adds a literal here (or a deontic with its own timing)
and a line of grammar in `language`.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from normgym_agents.norms.moments import Deed, Moment, Pairs

KEYWORDS = frozenset({"forbid", "when", "and", "not", "for", "before", "after", "present"})
NAME_PATTERN = r"[a-z][a-z0-9_\-]*"


def _not_a_keyword(word: str) -> str:
    if word in KEYWORDS:
        raise ValueError(f"{word!r} is a word of the norm language itself")
    return word


Name = Annotated[str, StringConstraints(pattern=rf"^{NAME_PATTERN}$"), AfterValidator(_not_a_keyword)]
"""A word of the setting: lower case, not one of the language's own words."""


class Family(StrEnum):
    """The norm families of this version, by their labels in the literature of this project."""

    PROHIBITION = "F1"
    CONTEXT = "F2"
    ROLE = "F3"
    SEQUENCE = "F5"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SlotLiteral(_Frozen):
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


class ActPattern(_Frozen):
    """A verb and what is said of its slots; no literals means any act of the verb."""

    verb: Name
    literals: tuple[SlotLiteral, ...] = ()

    def matches(self, deed: Deed) -> bool:
        """Whether a remembered deed is one of these acts."""
        return deed.verb == self.verb and all(literal.holds_in(deed.slots) for literal in self.literals)


class SignalIs(_Frozen):
    """`bell=hanging`: a public signal has this value."""

    part: ClassVar[str] = "signals"
    signal: Name
    value: Name
    negated: bool = False

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        return ((self.signal, self.value) in moment.signals) is not self.negated


class Present(_Frozen):
    """`present(keeper)`: somebody else of this role is where the actor is."""

    part: ClassVar[str] = "present"
    role: Name
    negated: bool = False

    def holds(self, moment: Moment) -> bool:
        """Whether the literal is true of the moment."""
        return (self.role in moment.present) is not self.negated


class Bearer(_Frozen):
    """`for keeper`, `for not keeper`: whom the norm binds."""

    part: ClassVar[str] = "role"
    role: Name
    negated: bool = False

    def holds(self, moment: Moment) -> bool:
        """Whether the norm binds the actor."""
        return (moment.role == self.role) is not self.negated


class Sequence(_Frozen):
    """`before greet(role=keeper)`: until the actor has done that today; `after`: once it has."""

    part: ClassVar[str] = "earlier"
    relation: Literal["before", "after"]
    pattern: ActPattern

    def holds(self, moment: Moment) -> bool:
        """Whether the actor stands on the side of the pattern that the relation names."""
        done = any(self.pattern.matches(deed) for deed in moment.earlier)
        return done is (self.relation == "after")


Condition = SignalIs | Present
Conjunct = SlotLiteral | SignalIs | Present | Bearer | Sequence


class Norm(_Frozen):
    """One deontic rule. Equal norms are equal values; `language.print_norm` gives its text."""

    deontic: Literal["forbid"] = "forbid"
    act: ActPattern
    sequence: Sequence | None = None
    when: tuple[Condition, ...] = Field(default=())
    bearer: Bearer | None = None

    @property
    def family(self) -> Family:
        """The family, by the most specific part: sequence, then bearer, then context."""
        if self.sequence is not None:
            return Family.SEQUENCE
        if self.bearer is not None:
            return Family.ROLE
        return Family.CONTEXT if self.when else Family.PROHIBITION

    def conjuncts(self) -> Iterator[Conjunct]:
        """Every literal that must hold, beside the verb, for an act to break the norm."""
        yield from self.act.literals
        yield from self.when
        if self.bearer is not None:
            yield self.bearer
        if self.sequence is not None:
            yield self.sequence

    def violated_by(self, moment: Moment) -> bool:
        """Whether this act breaks the norm."""
        return moment.verb == self.act.verb and all(literal.holds(moment) for literal in self.conjuncts())

    def nearly_violated_by(self, moment: Moment) -> bool:
        """Whether the act is permitted and differs from a forbidden one in exactly one literal."""
        if moment.verb != self.act.verb:
            return False
        return sum(not literal.holds(moment) for literal in self.conjuncts()) == 1
