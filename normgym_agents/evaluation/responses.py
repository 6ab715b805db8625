"""What follows a violation: whether the norm is kept at the next chance, and whether it is ever broken again.

Whether a violation is answered is a coin of the world, so comparing what follows answered and unanswered ones
shows an effect of the answer and not of who was answered. Only violations of the watched and the practised
days count as causes: in the probe nobody answers anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from normgym_agents.community.log import Event, SanctionEvent, VerdictEvent
from normgym_agents.evaluation.chances import Chances
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.conditions import Phase


class Responses(BaseModel):
    """The newcomer's next opportunity under a norm, after a violation of it.

    Attributes:
        repeated_sanctioned: After an answered violation, in practice, where the looks of things are those
            that were seen before.
        repeated_withheld: The same after an unanswered one.
        new_sanctioned: After an answered violation, in the probe, where nothing looks as it did before.
        new_withheld: The same after an unanswered one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    repeated_sanctioned: Chances = Chances()
    repeated_withheld: Chances = Chances()
    new_sanctioned: Chances = Chances()
    new_withheld: Chances = Chances()


class Recovery(NamedTuple):
    """Norms that were broken in practice and could have been broken there again.

    Attributes:
        slips: How many norms.
        recovered: How many of them were not broken again in practice.
    """

    slips: int
    recovered: int


class _Cause(NamedTuple):
    """A violation: when it was, and whether somebody answered it."""

    day: int
    round: int
    sanctioned: bool


def own_responses(events: Sequence[Event]) -> Responses:
    """What follows each violation of the newcomer's own in practice."""
    answered = _answered(events)
    following: list[tuple[_Cause, VerdictEvent]] = []
    for chances in _own_chances(events).values():
        for cause, after in pairwise(chances):
            if cause.phase is Phase.PRACTISE and cause.verdict is Verdict.VIOLATED:
                following.append((_cause(cause, answered), after))
    return _sorted(following)


def peer_responses(events: Sequence[Event]) -> Responses:
    """What follows others' violations: the newcomer's first opportunity under a norm since their last one."""
    answered = _answered(events)
    causes: dict[str, list[_Cause]] = defaultdict(list)
    for event in _verdicts(events):
        if not event.newcomer and event.phase is not Phase.PROBE and event.verdict is Verdict.VIOLATED:
            causes[event.norm].append(_cause(event, answered))
    following: list[tuple[_Cause, VerdictEvent]] = []
    for norm, chances in _own_chances(events).items():
        first = chances[0]
        before = [cause for cause in causes[norm] if cause[:2] < (first.day, first.round)]
        if before:
            following.append((before[-1], first))
    return _sorted(following)


def recovery(events: Sequence[Event]) -> Recovery:
    """For each norm that was broken in practice, with an opportunity after it: was it the only time?"""
    slips = recovered = 0
    for chances in _own_chances(events).values():
        broken = [c.verdict is Verdict.VIOLATED for c in chances if c.phase is Phase.PRACTISE]
        if True in broken and (later := broken[broken.index(True) + 1 :]):
            slips += 1
            recovered += not any(later)
    return Recovery(slips, recovered)


def _verdicts(events: Iterable[Event]) -> Iterator[VerdictEvent]:
    """Opportunities under norms in force, in order."""
    for event in events:
        if isinstance(event, VerdictEvent) and event.bound and event.verdict is not Verdict.NO_OPPORTUNITY:
            yield event


def _own_chances(events: Iterable[Event]) -> dict[str, list[VerdictEvent]]:
    """The newcomer's opportunities by norm. What it is told that it did (watched days) is not its doing."""
    chances: dict[str, list[VerdictEvent]] = defaultdict(list)
    for event in _verdicts(events):
        if event.newcomer and event.phase is not Phase.WATCH:
            chances[event.norm].append(event)
    return chances


def _answered(events: Iterable[Event]) -> frozenset[tuple[int, int, str]]:
    """Whose act of which day and round was answered."""
    return frozenset((e.day, e.round, e.whom) for e in events if isinstance(e, SanctionEvent))


def _cause(verdict: VerdictEvent, answered: frozenset[tuple[int, int, str]]) -> _Cause:
    sanctioned = (verdict.day, verdict.round, verdict.actor) in answered
    return _Cause(verdict.day, verdict.round, sanctioned)


def _sorted(following: Sequence[tuple[_Cause, VerdictEvent]]) -> Responses:
    def chances(phase: Phase, sanctioned: bool) -> Chances:
        return Chances.of(
            after for cause, after in following if after.phase is phase and cause.sanctioned is sanctioned
        )

    return Responses(
        repeated_sanctioned=chances(Phase.PRACTISE, True),
        repeated_withheld=chances(Phase.PRACTISE, False),
        new_sanctioned=chances(Phase.PROBE, True),
        new_withheld=chances(Phase.PROBE, False),
    )
