"""The words of a world, and every norm that can be said with them, up to a stated size.

The space is enumerated from the vocabulary alone and never from the norms that a world holds, so it is the
same for whoever looks at the world from inside.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Several
from itertools import permutations, product
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.norms.norm import (
    ActPattern,
    Bearer,
    Condition,
    Deadline,
    Norm,
    Present,
    Quota,
    Sequence,
    SignalBelow,
    SignalIs,
    SlotLiteral,
)
from normgym_agents.norms.timing import LONGEST_DEADLINE
from normgym_agents.norms.units import Excepted, Unit


class VerbSlots(BaseModel):
    """A verb that norms can be about, and the slots whose values they can name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verb: str
    slots: tuple[str, ...]


class Vocabulary(BaseModel):
    """The words of one world, from which its hypothesis space follows.

    Attributes:
        values: The possible values of each slot (attributes of things, and `role`).
        signals: The possible values of each public signal; a signal whose values all are numbers is compared.
        roles: All roles.
        overseer: The role whose presence may matter.
        verbs: Verbs that norms may forbid.
        precursors: Acts that a sequence norm may refer to.
        duties: Acts that an obligation may ask for.
        within: Deadlines that an obligation may have, in acts; 0: the duty accompanies the act that obliges.
        limits: How often a day a quota may let something be done.
        exceptions: Whether a prohibition may have an exception.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: dict[str, tuple[str, ...]]
    signals: dict[str, tuple[str, ...]]
    roles: tuple[str, ...]
    overseer: str
    verbs: tuple[VerbSlots, ...]
    precursors: tuple[ActPattern, ...]
    duties: tuple[ActPattern, ...] = ()
    within: tuple[Annotated[int, Field(ge=0, le=LONGEST_DEADLINE)], ...] = ()
    limits: tuple[Annotated[int, Field(ge=1, le=99)], ...] = ()
    exceptions: bool = False

    @property
    def depth(self) -> int:
        """How many of an actor's last acts some norm of the space looks at, in [0, `RECENT`]."""
        if not self.duties or not self.within:
            return 0
        # What accompanies an act may also stand right before it.
        return max(2 if within == 0 else within for within in self.within)


def enumerate_norms(vocabulary: Vocabulary) -> tuple[Unit, ...]:
    """All norms with at most one slot literal and at most one of context, bearer, sequence and timing.

    Slot negations stand in plain prohibitions only, and only for slots of three values or more: with two
    values the negation says the same as the other value. An exception has one slot literal more than its
    prohibition. The order is fixed by the vocabulary; families that it does not ask for leave no gap.
    """
    return tuple(dict.fromkeys(_enumerate(vocabulary)))


def _enumerate(vocabulary: Vocabulary) -> Iterator[Unit]:
    plain = [p for verb in vocabulary.verbs for p in _patterns(verb, vocabulary, negations=False)]
    for verb in vocabulary.verbs:
        for pattern in _patterns(verb, vocabulary, negations=True):
            yield Norm(act=pattern)
    for pattern, condition in product(plain, _contexts(vocabulary)):
        yield Norm(act=pattern, when=(condition,))
    for pattern, role, negated in product(plain, vocabulary.roles, (False, True)):
        yield Norm(act=pattern, bearer=Bearer(role=role, negated=negated))
    for pattern, precursor in product(plain, vocabulary.precursors):
        yield Norm(act=pattern, sequence=Sequence(relation="before", pattern=precursor))
        yield Norm(act=pattern, sequence=Sequence(relation="after", pattern=precursor))
    yield from _obligations(vocabulary, plain)
    for pattern, limit in product(plain, vocabulary.limits):
        yield Norm(act=pattern, quota=Quota(most=limit))
    if vocabulary.exceptions:
        for verb in vocabulary.verbs:
            yield from _exceptions(verb, vocabulary)


def _patterns(verb: VerbSlots, vocabulary: Vocabulary, *, negations: bool) -> Iterator[ActPattern]:
    yield ActPattern(verb=verb.verb)
    for slot in verb.slots:
        values = vocabulary.values[slot]
        for value in values:
            yield ActPattern(verb=verb.verb, literals=(SlotLiteral(slot=slot, value=value),))
        if negations and len(values) > 2:
            for value in values:
                literal = SlotLiteral(slot=slot, value=value, negated=True)
                yield ActPattern(verb=verb.verb, literals=(literal,))


def _contexts(vocabulary: Vocabulary) -> Iterator[Condition]:
    for signal, values in vocabulary.signals.items():
        if all(value.isdecimal() for value in values):
            # Below the lowest number is never, so the first limit is the second number.
            for limit in sorted({int(value) for value in values})[1:]:
                yield SignalBelow(signal=signal, limit=limit)
                yield SignalBelow(signal=signal, limit=limit, negated=True)
        else:
            for value in values:
                yield SignalIs(signal=signal, value=value)
    yield Present(role=vocabulary.overseer)
    yield Present(role=vocabulary.overseer, negated=True)


def _obligations(vocabulary: Vocabulary, triggers: Several[ActPattern]) -> Iterator[Norm]:
    for duty, within, trigger in product(vocabulary.duties, vocabulary.within, triggers):
        if duty == trigger:
            continue
        if within == 0:
            yield Norm(deontic="oblige", act=duty, accompanies=trigger)
        else:
            yield Norm(deontic="oblige", act=duty, deadline=Deadline(within=within, after=trigger))


def _exceptions(verb: VerbSlots, vocabulary: Vocabulary) -> Iterator[Excepted]:
    for slot, other in permutations(verb.slots, 2):
        for value, spared in product(vocabulary.values[slot], vocabulary.values[other]):
            forbidden = SlotLiteral(slot=slot, value=value)
            literals = (forbidden, SlotLiteral(slot=other, value=spared))
            yield Excepted(
                base=Norm(act=ActPattern(verb=verb.verb, literals=(forbidden,))),
                permit=Norm(
                    deontic="permit", act=ActPattern(verb=verb.verb, literals=literals), overriding="N1"
                ),
            )
