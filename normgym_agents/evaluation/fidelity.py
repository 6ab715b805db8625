"""The fidelity audit: did members with models keep to their cards, answer what broke them, and keep them to themselves?

Everything is counted from the log of an episode, against what the referee's code found. What the schedule decided is
nobody's unfaithfulness: its breaches are evidence that the world was certified with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.community.log import (
    ActEvent,
    ConductEvent,
    Event,
    Fault,
    RemarkEvent,
    SanctionEvent,
    VerdictEvent,
)
from normgym_agents.evaluation.records import Record
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.faithfulness import FidelityLimits
from normgym_agents.worlds.world import IDENTIFIED

_GIVES_AWAY: Final = frozenset({Fault.STATES_RULE, Fault.NAMES_LITERAL, Fault.DISCLOSES, Fault.CANARY})

Count = Field(default=0, ge=0)


class Conduct(BaseModel):
    """What a member did, or several did together; all counts.

    Attributes:
        asked: Times that its model was asked, a retry not counted.
        chosen: Acts that it chose where a norm in force could be kept and broken.
        breaches: Those among them that broke one.
        to_answer: Breaches of others that it was to answer.
        missed: Those that it let pass.
        to_leave: Acts of others without a breach that it could answer.
        false: Those that it answered all the same.
        lines: Lines that reached the newcomer.
        told: Replies by which it told how things are done, having been asked: its disclosure policy.
        caught: Times that a line or turn was refused because it gave something of a card away.
        out_of_character: Times that one was refused because nobody there would say it.
        contradictions: Times that one was refused because it did not fit the act.
        invalid: Times that what was given had not the form that was asked for, or was no act that was offered.
        fallbacks: Times that schedule or template stood in.
        over_budget: Those among them that the budget of calls was the reason of.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    asked: int = Count
    chosen: int = Count
    breaches: int = Count
    to_answer: int = Count
    missed: int = Count
    to_leave: int = Count
    false: int = Count
    lines: int = Count
    told: int = Count
    caught: int = Count
    out_of_character: int = Count
    contradictions: int = Count
    invalid: int = Count
    fallbacks: int = Count
    over_budget: int = Count

    def __add__(self, other: Conduct) -> Conduct:
        return Conduct(
            **{name: getattr(self, name) + getattr(other, name) for name in type(self).model_fields}
        )


def conduct_of(events: Iterable[Event]) -> dict[str, Conduct]:
    """What each member with a model did, by name; empty where members are scripted."""
    log = tuple(events)
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    asked = [event for event in log if isinstance(event, ConductEvent)]
    if not asked:
        return {}
    opportunities, broken = _verdicts(log)
    answered = {(*_at(e), e.member, e.whom) for e in log if isinstance(e, SanctionEvent)}
    for event in asked:
        _count_asking(counts[event.member], event, broken, answered)
    for done in log:
        if isinstance(done, ActEvent) and not done.newcomer:
            one = counts[done.actor]
            one["lines"] += bool(done.words)
            if done.chosen and (*_at(done), done.actor) in opportunities:
                one["chosen"] += 1
                one["breaches"] += (*_at(done), done.actor) in broken
        elif isinstance(done, SanctionEvent):
            counts[done.member]["lines"] += bool(done.words)
        elif isinstance(done, RemarkEvent):
            counts[done.member]["lines"] += 1
            counts[done.member]["told"] += done.told
    return {member: Conduct(**found) for member, found in sorted(counts.items())}


def _count_asking(
    one: dict[str, int], event: ConductEvent, broken: set[tuple[Any, ...]], answered: set[tuple[Any, ...]]
) -> None:
    one["asked"] += 1
    one["fallbacks"] += event.fallback
    one["over_budget"] += Fault.BUDGET in event.faults
    one["caught"] += sum(fault in _GIVES_AWAY for fault in event.faults)
    one["out_of_character"] += event.faults.count(Fault.OUT_OF_CHARACTER)
    one["contradictions"] += event.faults.count(Fault.CONTRADICTS_ACT)
    one["invalid"] += sum(fault in (Fault.INVALID, Fault.IMPOSSIBLE_ACT) for fault in event.faults)
    for whom in event.judged:
        answer = (*_at(event), event.member, whom) in answered
        if (*_at(event), whom) in broken:
            one["to_answer"] += 1
            one["missed"] += not answer
        else:
            one["to_leave"] += 1
            one["false"] += answer


def _verdicts(log: Iterable[Event]) -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
    """At which acts norms in force bound, and at which one was broken."""
    bound = [event for event in log if isinstance(event, VerdictEvent) and event.bound]
    return (
        {(*_at(event), event.actor) for event in bound},
        {(*_at(event), event.actor) for event in bound if event.verdict is Verdict.VIOLATED},
    )


def _at(event: Event) -> tuple[int, int]:
    return event.day, event.round


def together(conduct: Mapping[str, Conduct]) -> Conduct:
    """What all of them did."""
    return sum(conduct.values(), Conduct())


class Apart(StrEnum):
    """Why an episode is reported apart, and not held for or against the newcomer."""

    UNDER_EVIDENCED = "under_evidenced"
    UNFAITHFUL = "unfaithful"


APART: Final[Mapping[Apart, str]] = {
    Apart.UNDER_EVIDENCED: "showed too little for anybody to know the norms",
    Apart.UNFAITHFUL: "had members who did not do what their cards have them do",
}
"""What the reasons are, said of episodes."""


def apart(record: Record, limits: FidelityLimits) -> Apart | None:
    """Why an episode is reported apart; None for most.

    Args:
        record: The episode.
        limits: How unfaithful its members may be.
    """
    if record.evidence is not None and record.evidence < IDENTIFIED:
        return Apart.UNDER_EVIDENCED
    conduct = conduct_of(record.events)
    if conduct and beyond(together(conduct), limits):
        return Apart.UNFAITHFUL
    return None


def beyond(conduct: Conduct, limits: FidelityLimits) -> tuple[str, ...]:
    """Which of the limits are passed, by name."""
    shares = {
        "breaches": (conduct.breaches, conduct.chosen, limits.breaches),
        "missed": (conduct.missed, conduct.to_answer, limits.missed),
        "false": (conduct.false, conduct.to_leave, limits.false),
        # A budget that the user set is no unfaithfulness.
        "fallbacks": (
            conduct.fallbacks - conduct.over_budget,
            conduct.asked - conduct.over_budget,
            limits.fallbacks,
        ),
    }
    return tuple(
        name for name, (part, whole, most) in shares.items() if whole >= limits.least and part > most * whole
    )
