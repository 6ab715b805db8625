"""The frozen form of a norm: a deontic over an act pattern, its timing, a context and a bearer.

Every norm is a conjunction of literals: a prohibition is broken by an act of its verb for which all of them
hold, a permit applies to such an act, and an obligation is broken by whatever act its time runs out with.
That one reading serves the referee, the hypothesis tables and near misses alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from normgym_agents.errors import NormgymError
from normgym_agents.norms.families import BASE_FAMILIES, Family
from normgym_agents.norms.frozen import Frozen
from normgym_agents.norms.literals import (
    KEYWORDS,
    NAME_PATTERN,
    ActPattern,
    Ago,
    Bearer,
    Conjunct,
    Name,
    Now,
    Present,
    Sequence,
    SignalBelow,
    SignalIs,
    SlotLiteral,
    UsedUpLately,
    UsedUpToday,
    refused,
)
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.timing import MOST, Deadline, Duty, Quota, Status

__all__ = [
    "BASE_FAMILIES",
    "KEYWORDS",
    "NAME_PATTERN",
    "ActPattern",
    "Ago",
    "Bearer",
    "Condition",
    "Conjunct",
    "Deadline",
    "Family",
    "Name",
    "Norm",
    "Now",
    "Present",
    "Quota",
    "Sequence",
    "SignalBelow",
    "SignalIs",
    "SlotLiteral",
    "Status",
    "Successor",
    "UsedUpLately",
    "UsedUpToday",
]

Condition = SignalIs | SignalBelow | Present
Label = Annotated[str, StringConstraints(pattern=r"^N[1-9][0-9]?$")]
"""A norm by its place in its set, counted from 1."""


class Successor(Frozen):
    """`until day 4 announced then forbid give`: what holds once that watched day is over.

    Attributes:
        day: The last watched day, counted from 1, of the norm that is replaced.
        announced: Whether the change is told.
        norm: The norm that replaces it; it changes no more.
    """

    day: int
    announced: bool = False
    norm: Norm

    @model_validator(mode="after")
    def _some_day(self) -> Successor:
        if not 1 <= self.day <= MOST:
            raise refused(f"a change on day {self.day}", f"a day from 1 to {MOST}")
        return self


class Norm(Frozen):
    """One deontic rule. Equal norms are equal values; `language.print_norm` gives its text.

    Attributes:
        deontic: Whether the act is forbidden, owed, or permitted by way of exception.
        act: The act.
        sequence: What the actor must (not) have done before for the norm to bind.
        when: The public context in which it binds.
        bearer: Whom it binds; None: everybody.
        deadline: For obligations: after which act, and for how long, the act is owed.
        accompanies: For obligations: the act that must have the owed one right after it or right before.
        quota: For prohibitions: how often the act may be done nevertheless.
        overriding: For permits: the label of the prohibition to which this is the exception.
        successor: What replaces the norm, and when.
    """

    deontic: Literal["forbid", "oblige", "permit"] = "forbid"
    act: ActPattern
    sequence: Sequence | None = None
    when: tuple[Condition, ...] = Field(default=())
    bearer: Bearer | None = None
    deadline: Deadline | None = None
    accompanies: ActPattern | None = None
    quota: Quota | None = None
    overriding: Label | None = None
    successor: Successor | None = None

    @model_validator(mode="after")
    def _well_formed(self) -> Norm:
        if self.deontic == "oblige":
            self._check_obligation()
        elif self.deadline is not None or self.accompanies is not None:
            raise refused(f"'{self.deontic}' has no deadline", "'oblige'")
        if self.deontic == "permit" and self.overriding is None:
            raise refused("a permit that overrides nothing changes nothing", "'overriding N1'")
        if self.deontic != "permit" and self.overriding is not None:
            raise refused(f"'{self.deontic}' overrides nothing", "'permit'")
        if self.quota is not None and self.deontic != "forbid":
            raise refused(f"'{self.deontic}' has no limit", "'forbid'")
        if self.quota is not None and self.sequence is not None:
            raise refused("a limit beside a sequence", "one of them")
        return self

    @model_validator(mode="after")
    def _changes_once(self) -> Norm:
        if self.successor is None:
            return self
        later = self.successor.norm
        if later.successor is not None:
            raise refused("the norm that comes after changes again", "one change")
        if "permit" in (self.deontic, later.deontic):
            raise refused("a permit takes no part in a change", "'forbid' or 'oblige' on either side")
        if later == self.model_copy(update={"successor": None}):
            raise refused("the norm that comes after is the same norm", "another norm")
        return self

    def _check_obligation(self) -> None:
        if self.when:
            raise refused(
                "an obligation takes no 'when'",
                "the act that obliges stands in the pattern after 'after' or 'with'",
            )
        if self.sequence is not None:
            raise refused(
                f"an obligation takes no '{self.sequence.relation}'", "'within N acts after' or 'with'"
            )
        if (self.deadline is None) is (self.accompanies is None):
            raise refused("an obligation needs to say when", "'within N acts after' or 'with'")
        if self.act in (self.accompanies, self.deadline and self.deadline.after):
            raise refused("the act obliges to itself", "another act after 'after' or 'with'")

    @property
    def family(self) -> Family:
        """The family, by the most specific part of the form."""
        if self.successor is not None:
            return Family.CHANGE
        if self.deontic == "permit":
            return Family.EXCEPTION
        if self.deontic == "oblige":
            return Family.OBLIGATION
        if self.quota is not None:
            return Family.QUOTA
        if self.sequence is not None:
            return Family.SEQUENCE
        if self.bearer is not None:
            return Family.ROLE
        return Family.CONTEXT if self.when else Family.PROHIBITION

    @property
    def duty(self) -> Duty | None:
        """What an obligation asks for; None for other norms."""
        if self.accompanies is not None:
            return Duty(act=self.act, trigger=self.accompanies, within=1, or_before=True)
        if self.deadline is not None:
            after, within = self.deadline.after, self.deadline.within
            return Duty(act=self.act, trigger=after, within=within, or_before=False)
        return None

    def __copy__(self) -> Self:
        """A copy is about to be changed, so it must work its literals out anew."""
        copied = super().__copy__()
        for name in copied.__dict__.keys() - type(self).model_fields.keys():
            del copied.__dict__[name]
        return copied

    @cached_property
    def verb(self) -> str | None:
        """The verb that an act must have to fall under the norm; None: any act may let time run out."""
        return None if self.deontic == "oblige" else self.act.verb

    def at(self, day: int | None) -> Norm:
        """The norm in force on a watched day, counted from 1; None: on the working days, which come after.

        What is in force on a day changes no more.
        """
        if self.successor is None:
            return self
        if day is None or day > self.successor.day:
            return self.successor.norm
        return self.model_copy(update={"successor": None})

    def conjuncts(self) -> Iterator[Conjunct]:
        """Every literal that must hold, beside the verb, for an act to fall under the norm.

        Raises:
            NormgymError: The norm changes: only what `at` gives can be asked.
        """
        yield from self._conjuncts

    @cached_property
    def _conjuncts(self) -> tuple[Conjunct, ...]:
        if self.successor is not None:
            raise NormgymError("a norm that changes says nothing of an act until it is asked for a day")
        if self.duty is not None:
            return (*([self.bearer] if self.bearer else []), *self.duty.expiry())
        parts: list[Conjunct] = [*self.act.literals, *self.when]
        parts += [part for part in (self.bearer, self.sequence) if part is not None]
        return (*parts, *([self.quota.used_up(self.act)] if self.quota else []))

    def covers(self, moment: Moment) -> bool:
        """Whether the act falls under the norm: is forbidden by it, permitted, or lets its time run out."""
        verb = self.verb
        if verb is not None and verb != moment.verb:
            return False
        # A plain loop: norms are asked about very many moments.
        for literal in self._conjuncts:
            if not literal.holds(moment):
                return False
        return True

    def violated_by(self, moment: Moment) -> bool:
        """Whether this act breaks the norm by itself; nothing breaks a permit."""
        return self.deontic != "permit" and self.covers(moment)

    def counts(self, moment: Moment) -> bool:
        """Whether a quota counts the act, within the limit or beyond it; false where there is none."""
        if self.quota is None or moment.verb != self.act.verb:
            return False
        *parts, _ = self._conjuncts
        return all(part.holds(moment) for part in parts)

    def nearly_violated_by(self, moment: Moment) -> bool:
        """Whether the act breaks the norm but for exactly one literal.

        For a quota, not having used it up is such a literal. For an obligation the act is one that is not
        owed, at the end of a deadline that the bearer's or the trigger's one false literal spares.
        """
        if self.deontic == "permit":
            return False
        if self.deontic == "forbid":
            if moment.verb != self.act.verb:
                return False
            return sum(not literal.holds(moment) for literal in self._conjuncts) == 1
        return self._nearly_expired(moment)

    def _nearly_expired(self, moment: Moment) -> bool:
        missed = 0
        for literal in self._conjuncts:
            if isinstance(literal, Ago) and not literal.negated:
                deed = literal.deed(moment)
                misses = None if deed is None else literal.pattern.misses(deed)
                if misses is None:
                    return False
                missed += misses
            elif isinstance(literal, Bearer):
                missed += not literal.holds(moment)
            elif not literal.holds(moment):
                return False
        return missed == 1

    def status(self, moment: Moment) -> Status | None:
        """How an obligation stands once the act is done; None where it asks nothing, or for other norms.

        Raises:
            NormgymError: The norm changes: only what `at` gives can be asked.
        """
        if self.successor is not None:
            raise NormgymError("a norm that changes says nothing of an act until it is asked for a day")
        duty = self.duty
        if duty is None or (self.bearer is not None and not self.bearer.holds(moment)):
            return None
        return duty.status(moment)
