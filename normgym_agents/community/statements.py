"""Norms as plain statements, in the words of the setting: for cards, and for those who are told.

A statement says what its norm says, no more and no less, in a regular English that can be read back::

    statement    = change "." | sentence "." | prohibition "; " permission "."
    change       = "Until the end of day " N " " sentence ", and after that" [", as is then told,"] " " sentence
    sentence     = prohibition | obligation | permission ", whatever the " ORDINAL " of these says"
    prohibition  = forbidden " may " acts [" more than " quota] [sequence] [context]
    forbidden    = "Nobody" | "No " ROLE | "Nobody but " A-ROLE
    quota        = TIMES [" in all"] (" a day" | " in a day" | " in any " NUMBER " of their acts")
    sequence     = (" before" | " after") " they " acts " that day"
    context      = " while " condition {" and " condition}
    condition    = "the " SIGNAL " is " ["not "] (VALUE | "below " DIGITS) | (A-ROLE | "no " ROLE) " is with them"
    obligation   = obliged " " acts, of one person " must " acts, with some for any " " deadline
    obliged      = "Whoever" | "Whoever is " A-ROLE " and" | "Whoever is no " ROLE " and"
    deadline     = "within " NUMBER " acts after" | "right before or right after"
    permission   = permitted " may nevertheless " acts [sequence] [context]
    permitted    = "Anybody" | "Any " ROLE | "Anybody but " A-ROLE

`acts` is the verb's menu entry with its slots filled, as in `take anything that is sarn and a cup` or `give
anything to anybody but a keeper`. Sentences within another begin in lower case. "Of these" are the statements
of a set of norms, in their order. "In all" (and "in a day") stands where a context follows, which decides about
the one act too many, while all acts of the kind count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from normgym_agents.community.phrases import (
    condition_phrase,
    infinitive,
    joined,
    named,
    number,
    ordinal,
    third_person,
    times,
    with_article,
)
from normgym_agents.norms.literals import ActPattern, Bearer, Present, SlotLiteral
from normgym_agents.norms.moments import Deed, Moment
from normgym_agents.norms.norm import Condition, Norm
from normgym_agents.norms.timing import Duty, Quota
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.worlds.settings import Verb

__all__ = ["circumstance", "statement_of", "with_article"]


def statement_of(norm: Unit, verbs: Mapping[str, Verb]) -> str:
    """What the norm says, in one plain sentence.

    Args:
        norm: The norm, or one with its exception. An exception by itself names what it overrides by its place
            in the set that both belong to.
        verbs: The setting's verbs.
    """
    if isinstance(norm, Excepted):
        exception = _lowered(_permission(norm.permit, verbs))
        return f"{_prohibition(norm.base, verbs)}; {exception}."
    if norm.successor is None:
        return f"{_sentence(norm, verbs)}."
    then = norm.successor
    told = ", as is then told," if then.announced else ""
    first, second = (_lowered(_sentence(one, verbs)) for one in (norm, then.norm))
    return f"Until the end of day {then.day} {first}, and after that{told} {second}."


def _lowered(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _sentence(norm: Norm, verbs: Mapping[str, Verb]) -> str:
    if norm.overriding is not None:
        over = ordinal(int(norm.overriding.removeprefix("N")))
        return f"{_permission(norm, verbs)}, whatever the {over} of these says"
    trigger = norm.accompanies if norm.deadline is None else norm.deadline.after
    return _prohibition(norm, verbs) if trigger is None else _obligation(norm, trigger, verbs)


def _prohibition(norm: Norm, verbs: Mapping[str, Verb]) -> str:
    return " ".join([_forbidden(norm.bearer), "may", infinitive(norm.act, verbs), *_limits(norm, verbs)])


def _permission(norm: Norm, verbs: Mapping[str, Verb]) -> str:
    who, act = _permitted(norm.bearer), infinitive(norm.act, verbs)
    return " ".join([who, "may nevertheless", act, *_limits(norm, verbs)])


def _limits(norm: Norm, verbs: Mapping[str, Verb]) -> Iterator[str]:
    """How often, in which order and in which context."""
    if norm.quota is not None:
        window = norm.quota.window_acts
        yield f"more than {times(norm.quota.most)}{' in all' if norm.when else ''}"
        per_day = "in a day" if norm.when else "a day"
        yield per_day if window is None else f"in any {number(window)} of their acts"
    if norm.sequence is not None:
        yield f"{norm.sequence.relation} they {infinitive(norm.sequence.pattern, verbs)} that day"
    if norm.when:
        yield "while " + joined(map(condition_phrase, norm.when))


def _obligation(norm: Norm, trigger: ActPattern, verbs: Mapping[str, Verb]) -> str:
    who, duty = "Whoever", infinitive(norm.act, verbs, "some")
    if norm.bearer is not None:
        role = norm.bearer.role
        who += f" is {'no ' + role if norm.bearer.negated else with_article(role)} and"
    when = "right before or right after"
    if norm.deadline is not None:
        acts = norm.deadline.within
        when = f"within {number(acts)} {'act' if acts == 1 else 'acts'} after"
    return f"{who} {third_person(infinitive(trigger, verbs))} must {duty} {when}"


def _forbidden(bearer: Bearer | None) -> str:
    if bearer is None:
        return "Nobody"
    return f"Nobody but {with_article(bearer.role)}" if bearer.negated else f"No {bearer.role}"


def _permitted(bearer: Bearer | None) -> str:
    if bearer is None:
        return "Anybody"
    return f"Anybody but {with_article(bearer.role)}" if bearer.negated else f"Any {bearer.role}"


def circumstance(norm: Norm, moment: Moment, verbs: Mapping[str, Verb]) -> str:
    """What a very explicit answer to an act gives as its reason, as in `because …`.

    It names the respects in which the norm looks at acts, and how they were; never how often or how soon
    something is due, nor what sets off a duty.

    Args:
        norm: The norm that whoever answers has in mind, as it is in force then.
        moment: The act. It need not break the norm: then this says how it was in the same respects.
        verbs: The setting's verbs.
    """
    parts = [_was(condition, moment) for condition in norm.when]
    if norm.sequence is not None:
        pattern = norm.sequence.pattern
        done = any(pattern.matches(deed) for deed in moment.earlier)
        parts.append(f"{_did(pattern, verbs, done=done)} before")
    if norm.quota is not None:
        parts.append(_how_often(norm.act, norm.quota, moment))
    if norm.duty is not None:
        done = any(norm.act.matches(deed) for deed in _in_time(norm.duty, moment))
        parts.append(f"{_did(norm.act, verbs, done=done)} lately")
    if norm.bearer is not None:
        holds = norm.bearer.negated and norm.bearer.holds(moment)
        parts.append(f"they are no {norm.bearer.role}" if holds else f"they are {with_article(moment.role)}")
    if not parts:
        slots = dict(moment.slots)
        parts = [_is(literal, slots[literal.slot]) for literal in norm.act.literals if literal.slot in slots]
    return joined(parts) if parts else "it was done at all"


def _was(condition: Condition, moment: Moment) -> str:
    if isinstance(condition, Present):
        there = condition.role in moment.present
        return f"{with_article(condition.role) if there else 'no ' + condition.role} was with them"
    return f"the {condition.signal} was {dict(moment.signals)[condition.signal]}"


def _did(pattern: ActPattern, verbs: Mapping[str, Verb], *, done: bool) -> str:
    return f"they did {infinitive(pattern, verbs, 'some') if done else 'not ' + infinitive(pattern, verbs)}"


def _in_time(duty: Duty, moment: Moment) -> tuple[Deed, ...]:
    """The acts that served the duty if it ran out, or was done, with this one."""
    back = duty.within + 1 if duty.or_before else duty.within - 1
    return (*moment.recent[len(moment.recent) - min(back, len(moment.recent)) :], moment.deed)


def _how_often(act: ActPattern, quota: Quota, moment: Moment) -> str:
    """Which time it was, of what the quota counts; of its own kind, for an act that is none of that."""

    def alike(deed: Deed) -> bool:
        return act.matches(deed) if act.matches(moment.deed) else deed == moment.deed

    if quota.window_acts is None:
        before, when = sum(count for deed, count in moment.tally if alike(deed)), "today"
    else:
        back = min(quota.window_acts - 1, len(moment.recent))
        before, when = sum(map(alike, moment.recent[len(moment.recent) - back :])), "lately"
    return f"it was the {ordinal(before + 1)} time {when}"


def _is(literal: SlotLiteral, value: str) -> str:
    kept = literal.negated and value != literal.value
    shown = literal if kept else SlotLiteral(slot=literal.slot, value=value)
    if literal.slot == "topic":
        return f"it was {'not ' if kept else ''}about {shown.value}"
    return f"{'the word' if literal.slot == 'address' else 'it'} was {named(shown)}"
