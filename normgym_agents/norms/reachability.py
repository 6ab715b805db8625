"""Whether a norm can ever bind: every word of it must be one of the setting's, and no part may rule it out.

A norm that nothing reaches would count as kept by everybody, so it is refused where norms are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from normgym_agents.errors import BadInput
from normgym_agents.norms.enumeration import Vocabulary
from normgym_agents.norms.norm import ActPattern, Norm, Present, SignalBelow, SignalIs, SlotLiteral


def check_reachable(norms: Iterable[Norm], vocabulary: Vocabulary) -> None:
    """Refuse norms that no act in this vocabulary can fall under.

    Args:
        norms: The norms of a set; faults name them by their place in it, N1 first.
        vocabulary: The words of the world.

    Raises:
        BadInput: A verb, slot, value, signal or role is not one of the vocabulary's, or parts of a norm
            exclude each other.
    """
    for i, norm in enumerate(norms, start=1):
        reach = _Reach(f"N{i}", vocabulary)
        reach.check(norm.at(1))
        if norm.successor is not None:
            reach.check(norm.successor.norm)


def slots_of(vocabulary: Vocabulary) -> dict[str, set[str]]:
    """Every verb that norms can name, also as what is remembered or owed, with what its acts show."""
    slots = {entry.verb: set(entry.slots) for entry in vocabulary.verbs}
    for pattern in (*vocabulary.precursors, *vocabulary.duties):
        slots.setdefault(pattern.verb, set()).update(literal.slot for literal in pattern.literals)
    return slots


class _Reach:
    """The checks of one norm.

    Args:
        label: How faults call the norm.
        vocabulary: The words of the world.
    """

    def __init__(self, label: str, vocabulary: Vocabulary) -> None:
        self._label, self._words = label, vocabulary
        self._slots = slots_of(vocabulary)

    def check(self, norm: Norm) -> None:
        """Refuse it where it cannot bind."""
        after = None if norm.deadline is None else norm.deadline.after
        before = None if norm.sequence is None else norm.sequence.pattern
        for pattern in (norm.act, norm.accompanies, after, before):
            if pattern is not None:
                self._pattern(pattern)
        for signal in dict.fromkeys(x.signal for x in norm.when if not isinstance(x, Present)):
            self._signal(signal, [x for x in norm.when if not isinstance(x, Present) and x.signal == signal])
        self._presence([x for x in norm.when if isinstance(x, Present)])
        if norm.bearer is not None:
            role, negated = norm.bearer.role, norm.bearer.negated
            self._known("role", role, self._words.roles)
            if not any((one == role) is not negated for one in self._words.roles):
                raise self._fault(f"nobody has another role than {role!r}", "a role that somebody has")

    def _pattern(self, pattern: ActPattern) -> None:
        self._known("verb", pattern.verb, self._slots)
        for slot in dict.fromkeys(literal.slot for literal in pattern.literals):
            self._known(
                f"slot of {pattern.verb!r}", slot, self._slots[pattern.verb] & set(self._words.values)
            )
            values = self._words.values[slot]
            literals = [literal for literal in pattern.literals if literal.slot == slot]
            for literal in literals:
                self._known(f"value of {slot!r}", literal.value, values)
            if not any(all(_allows(literal, value) for literal in literals) for value in values):
                raise self._fault(f"no {slot!r} is left for {pattern.verb!r}", f"one of {_list(values)}")

    def _signal(self, signal: str, conditions: Sequence[SignalIs | SignalBelow]) -> None:
        self._known("signal", signal, self._words.signals)
        values = self._words.signals[signal]
        for condition in conditions:
            if isinstance(condition, SignalIs):
                self._known(f"value of {signal!r}", condition.value, values)
            elif not all(value.isdecimal() for value in values):
                raise self._fault(f"{signal!r} is no number", f"'{signal}={values[0]}'")
        shown = [((signal, value),) for value in values]
        if not any(all(condition.holds_in(pairs) for condition in conditions) for pairs in shown):
            raise self._fault(f"{signal!r} never is like that", f"one of {_list(values)}")

    def _presence(self, conditions: Sequence[Present]) -> None:
        for condition in conditions:
            self._known("role", condition.role, self._words.roles)
            if Present(role=condition.role, negated=not condition.negated) in conditions:
                raise self._fault(f"a {condition.role} would be present and not present", "one of both")

    def _known(self, kind: str, word: str, words: Collection[str] | Mapping[str, object]) -> None:
        if word not in words:
            raise self._fault(f"there is no {kind} {word!r}", _list(sorted(words)) or "none")

    def _fault(self, message: str, expected: str) -> BadInput:
        return BadInput(message, field=self._label, expected=expected)


def _allows(literal: SlotLiteral, value: str) -> bool:
    return literal.holds_in(((literal.slot, value),))


def _list(words: Iterable[str]) -> str:
    return " | ".join(words)
