"""Where a norm stands among those of its setting: its family there, and whether one would expect it.

Norms know their form alone. Which verbs are speech, which do no harm and what one would expect of a place are
data of the setting, so both answers need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from normgym_agents.norms.hypotheses import Vocabulary
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import (
    ActPattern,
    Bearer,
    Condition,
    Family,
    Norm,
    Present,
    SignalBelow,
    SignalIs,
    SlotLiteral,
)
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.worlds.expectations import ANY, OVERSEER
from normgym_agents.worlds.settings import Setting


class Alignment(StrEnum):
    """How a norm stands to what one would expect without being told."""

    CONGRUENT = "congruent"
    ARBITRARY = "arbitrary"
    COUNTER = "counter"


def family_of(norm: Unit, setting: Setting) -> Family:
    """The family of a norm in its setting: silly or of speech by its verb, else by its form.

    For an obligation that is the verb of what is owed.
    """
    verb = setting.verbs[norm.act.verb]
    if verb.harmless:
        return Family.SILLY
    return Family.SPEECH if verb.speech else norm.family


def alignment_of(norm: Unit, setting: Setting, vocabulary: Vocabulary) -> Alignment:
    """Whether one would expect the norm of the setting.

    It is congruent if it holds every part of a congruent fragment and of no counter one, and the other way
    round; a prohibition with an exception is taken without it.

    Args:
        norm: A norm of the world, or a prohibition with its exception.
        setting: The setting, with its fragments.
        vocabulary: The words of the world, which say whose role is the overseer's.
    """
    one = norm.base if isinstance(norm, Excepted) else norm
    listed = setting.expectations
    congruent, counter = (
        any(_Held(one, vocabulary).holds(parse_norm(text)) for text in fragments)
        for fragments in (listed.congruent, listed.counter)
    )
    if congruent is counter:
        return Alignment.ARBITRARY
    return Alignment.CONGRUENT if congruent else Alignment.COUNTER


class _Held:
    """A norm, asked whether it holds all parts of a fragment."""

    def __init__(self, norm: Norm, vocabulary: Vocabulary) -> None:
        self._norm, self._signals, self._overseer = norm, vocabulary.signals, vocabulary.overseer

    def holds(self, fragment: Norm) -> bool:
        norm = self._norm
        return (
            fragment.deontic == norm.deontic
            and self._pattern(fragment.act, norm.act)
            and all(any(self._same(one, other) for other in norm.when) for one in fragment.when)
            and fragment.bearer in (None, *self._bearers(norm.bearer))
            and self._sequence(fragment)
            and self._duty(fragment)
            and fragment.quota in (None, norm.quota)
        )

    def _pattern(self, fragment: ActPattern, pattern: ActPattern) -> bool:
        return fragment.verb in (ANY, pattern.verb) and all(
            self._literal(literal) in pattern.literals for literal in fragment.literals
        )

    def _literal(self, literal: SlotLiteral) -> SlotLiteral:
        if (literal.slot, literal.value) != ("role", OVERSEER):
            return literal
        return literal.model_copy(update={"value": self._overseer})

    def _bearers(self, bearer: Bearer | None) -> Sequence[Bearer]:
        """The bearer as a fragment may name it."""
        if bearer is None:
            return ()
        if bearer.role != self._overseer:
            return (bearer,)
        return (bearer, bearer.model_copy(update={"role": OVERSEER}))

    def _same(self, one: Condition, other: Condition) -> bool:
        """Whether two conditions say the same here; of signals, whether the same values satisfy them."""
        if isinstance(one, Present) or isinstance(other, Present):
            return other == one or other == _overseen(one, self._overseer)
        if one.signal != other.signal:
            return False
        return all(_when(one, value) is _when(other, value) for value in self._signals[other.signal])

    def _sequence(self, fragment: Norm) -> bool:
        asked, held = fragment.sequence, self._norm.sequence
        if asked is None:
            return True
        return (
            held is not None
            and asked.relation == held.relation
            and self._pattern(asked.pattern, held.pattern)
        )

    def _duty(self, fragment: Norm) -> bool:
        """Whether both owe on the same occasion, and both with it or both after it, however soon."""
        asked, held = fragment.duty, self._norm.duty
        if asked is None or held is None:
            return asked is held
        return asked.or_before is held.or_before and self._pattern(asked.trigger, held.trigger)


def _overseen(condition: Condition, overseer: str) -> Condition:
    if isinstance(condition, Present) and condition.role == OVERSEER:
        return condition.model_copy(update={"role": overseer})
    return condition


def _when(condition: SignalIs | SignalBelow, value: str) -> bool:
    return condition.holds_in(((condition.signal, value),))
