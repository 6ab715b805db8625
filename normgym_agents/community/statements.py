"""Norms as plain statements, in the words of the setting: for cards, and for those who are told."""

from __future__ import annotations

from collections.abc import Mapping

from normgym_agents.norms.norm import ActPattern, Bearer, Norm, Present, Sequence, SignalIs, SlotLiteral
from normgym_agents.worlds.settings import Verb


def statement_of(norm: Norm, verbs: Mapping[str, Verb]) -> str:
    """One plain sentence that says what the norm says, no more and no less."""
    parts = [_subject(norm.bearer), "may", _act(norm.act, verbs[norm.act.verb].menu)]
    if norm.sequence is not None:
        parts.append(_sequence(norm.sequence, verbs))
    if norm.when:
        parts.append("while " + " and ".join(_condition(condition) for condition in norm.when))
    return " ".join(parts) + "."


def circumstance(norm: Norm, verbs: Mapping[str, Verb]) -> str:
    """The part of a norm that a very explicit answer names, as in `because …`; told in the past tense."""
    if norm.when:
        return " and ".join(_condition(condition).replace(" is ", " was ") for condition in norm.when)
    if norm.sequence is not None:
        verb = verbs[norm.sequence.pattern.verb]
        deed = _fill(verb.past, norm.sequence.pattern)
        return (
            f"nobody had {deed} yet" if norm.sequence.relation == "before" else f"it came after having {deed}"
        )
    if norm.act.literals:
        return "it was " + _which(norm.act.literals)
    return "of what it was"


def with_article(word: str) -> str:
    """`a keeper`, `an ash jar`."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def _subject(bearer: Bearer | None) -> str:
    if bearer is None:
        return "Nobody"
    return f"Nobody but {with_article(bearer.role)}" if bearer.negated else f"No {bearer.role}"


def _act(pattern: ActPattern, menu: str) -> str:
    filled = menu.replace("THING", _thing(pattern)).replace("PERSON", _person(pattern))
    return filled.replace("PLACE", "anywhere").replace("WORDS", "anything")


def _fill(past: str, pattern: ActPattern) -> str:
    return past.format(thing=_thing(pattern), to=_person(pattern), place="place", say="anything")


def _thing(pattern: ActPattern) -> str:
    literals = tuple(literal for literal in pattern.literals if literal.slot not in ("role", "place"))
    if not literals:
        return "anything"
    return f"anything that is {_which(literals)}"


def _which(literals: tuple[SlotLiteral, ...]) -> str:
    return " and ".join(
        ("not " if literal.negated else "")
        + (with_article(literal.value) if literal.slot in ("form", "role") else literal.value)
        for literal in literals
    )


def _person(pattern: ActPattern) -> str:
    for literal in pattern.literals:
        if literal.slot == "role":
            return (
                f"anybody but {with_article(literal.value)}"
                if literal.negated
                else with_article(literal.value)
            )
    return "anybody"


def _sequence(sequence: Sequence, verbs: Mapping[str, Verb]) -> str:
    done = _fill(verbs[sequence.pattern.verb].past, sequence.pattern)
    return (
        f"until they have {done} that day"
        if sequence.relation == "before"
        else f"once they have {done} that day"
    )


def _condition(condition: SignalIs | Present) -> str:
    if isinstance(condition, Present):
        return (
            f"no {condition.role} is there"
            if condition.negated
            else f"{with_article(condition.role)} is there"
        )
    return f"the {condition.signal} is {'not ' if condition.negated else ''}{condition.value}"
