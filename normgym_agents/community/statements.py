"""Norms as plain statements, in the words of the setting: for cards, and for those who are told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import ActPattern, Bearer, Norm, Present, Sequence, SignalIs, SlotLiteral
from normgym_agents.worlds.settings import Verb

_LIKE_YOU = ("eu", "ew", "one", "uni", "use")
"""Words that begin with the sound of `you` or `won`, and so with `a`."""


def statement_of(norm: Norm, verbs: Mapping[str, Verb]) -> str:
    """One plain sentence that says what the norm says, no more and no less."""
    parts = [_subject(norm.bearer), "may", _infinitive(norm.act, verbs)]
    if norm.sequence is not None:
        parts.append(_sequence(norm.sequence, verbs))
    if norm.when:
        parts.append("while " + _and(_condition(condition) for condition in norm.when))
    return " ".join(parts) + "."


def circumstance(norm: Norm, moment: Moment, verbs: Mapping[str, Verb]) -> str:
    """What a very explicit answer to an act gives as its reason, as in `because …`.

    Args:
        norm: The norm that whoever answers has in mind.
        moment: The act. It need not break the norm: then this says how it was in the same respects.
        verbs: The setting's verbs.
    """
    parts = [_was(condition, moment) for condition in norm.when]
    if norm.sequence is not None:
        done = any(norm.sequence.pattern.matches(deed) for deed in moment.earlier)
        parts.append(f"they did {'' if done else 'not '}{_infinitive(norm.sequence.pattern, verbs)} before")
    if norm.bearer is not None:
        holds = norm.bearer.negated and norm.bearer.holds(moment)
        parts.append(f"they are no {norm.bearer.role}" if holds else f"they are {with_article(moment.role)}")
    if not parts:
        slots = dict(moment.slots)
        parts = [_is(literal, slots[literal.slot]) for literal in norm.act.literals if literal.slot in slots]
    return _and(parts) if parts else "it was done at all"


def with_article(word: str) -> str:
    """`a keeper`, `an ash jar`, `a ewer`."""
    return f"{'an' if word[:1] in 'aeiou' and not word.startswith(_LIKE_YOU) else 'a'} {word}"


def _and(parts: Iterable[str]) -> str:
    return " and ".join(parts)


def _subject(bearer: Bearer | None) -> str:
    if bearer is None:
        return "Nobody"
    return f"Nobody but {with_article(bearer.role)}" if bearer.negated else f"No {bearer.role}"


def _infinitive(pattern: ActPattern, verbs: Mapping[str, Verb]) -> str:
    """The acts of a pattern as they are offered: `give anything that is a cup to a keeper`."""
    menu = verbs[pattern.verb].menu
    fillers = {
        "THING": _thing(pattern),
        "PERSON": _person(pattern),
        "PLACE": _place(pattern) if "to PLACE" in menu else f"to {_place(pattern)}",
        "WORDS": "anything",
    }
    return " ".join(fillers.get(word, word) for word in menu.split(" "))


def _thing(pattern: ActPattern) -> str:
    literals = [literal for literal in pattern.literals if literal.slot not in ("role", "place")]
    return f"anything that is {_and(map(_named, literals))}" if literals else "anything"


def _named(literal: SlotLiteral) -> str:
    value = with_article(literal.value) if literal.slot in ("form", "role") else literal.value
    return f"not {value}" if literal.negated else value


def _person(pattern: ActPattern) -> str:
    for literal in pattern.literals:
        if literal.slot == "role":
            return f"{'anybody but ' if literal.negated else ''}{with_article(literal.value)}"
    return "anybody"


def _place(pattern: ActPattern) -> str:
    for literal in pattern.literals:
        if literal.slot == "place":
            return f"any place but the {literal.value}" if literal.negated else f"the {literal.value}"
    return "any place"


def _sequence(sequence: Sequence, verbs: Mapping[str, Verb]) -> str:
    return f"{sequence.relation} they {_infinitive(sequence.pattern, verbs)} that day"


def _condition(condition: SignalIs | Present) -> str:
    if isinstance(condition, Present):
        return f"{'no ' + condition.role if condition.negated else with_article(condition.role)} is with them"
    return f"the {condition.signal} is {'not ' if condition.negated else ''}{condition.value}"


def _was(condition: SignalIs | Present, moment: Moment) -> str:
    if isinstance(condition, Present):
        there = condition.role in moment.present
        return f"{with_article(condition.role) if there else 'no ' + condition.role} was with them"
    return f"the {condition.signal} was {dict(moment.signals)[condition.signal]}"


def _is(literal: SlotLiteral, value: str) -> str:
    kept = literal.negated and value != literal.value
    return "it was " + _named(literal if kept else SlotLiteral(slot=literal.slot, value=value))
