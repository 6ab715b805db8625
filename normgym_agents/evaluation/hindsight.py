"""What an ideal observer believed when, in an episode that is over.

It saw what the newcomer saw. While acting was scored nobody answered anything, so beliefs stand still there: what
is then said of an act is how risky it looked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from normgym_agents.community.standing import Memory
from normgym_agents.evaluation.records import Record
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.units import Unit
from normgym_agents.worlds.arrangement import arrange, lacks
from normgym_agents.worlds.channels import differences, planner_of
from normgym_agents.worlds.clues import clues_of, take_in
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.evidence import HAZARD
from normgym_agents.worlds.policies import space_of
from normgym_agents.worlds.public import PublicEvent

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World


@dataclass(frozen=True, kw_only=True)
class Belief:
    """How sure of the truth it was.

    Attributes:
        day: After which day; 0 before anything was seen.
        round: After which of the newcomer's acts of that day; None after the whole of a watched day.
        truth: Posterior of the norms in force on the scored day, or of others that nothing there tells from them.
    """

    day: int
    round: int | None = None
    truth: float


@dataclass(frozen=True, kw_only=True)
class Hindsight:
    """What could be known.

    Attributes:
        beliefs: In order, the prior first.
        risks: By day and round of the newcomer's acts, how likely each looked beforehand to break a norm.
    """

    beliefs: tuple[Belief, ...]
    risks: Mapping[tuple[int, int], float]


def hindsight(record: Record, world: World) -> Hindsight | None:
    """Follow an ideal observer through an episode.

    Args:
        record: The episode.
        world: Its world.

    Returns:
        What it believed; None where there was nothing to find out, since the norms were told, or where beliefs do
        not follow from the record alone.
    """
    if record.condition in (Condition.TOLD, Condition.YOKED) or lacks(world, record.condition) is not None:
        return None
    arrangement = arrange(world, record.condition, record.trial)
    truth = arrangement.days[-1].in_force.rules.at(None).units
    if any(unit not in space_of(world.vocabulary).norms for unit in truth):
        return None
    log = [event.model_dump(mode="json") for event in record.events]
    last = record.events[-1].day if record.events else 1
    onlooker = _Onlooker(world, truth, changing=world.changes(record.condition))
    for number, group in groupby(Memory().after(arrangement, log, last).events, key=attrgetter("day")):
        onlooker.day(number, arrangement.day(number).phase, list(group))
    return Hindsight(beliefs=tuple(onlooker.beliefs), risks=onlooker.risks)


def realised(record: Record, world: World) -> float | None:
    """Posterior of the true norms after what happened before the probe, rounded to six digits.

    Returns:
        None under conditions that show nothing to learn from, and where the episode did not get as far as the probe.
    """
    if Phase.WATCH not in record.condition.phases or record.condition is Condition.ABSENT:
        return None
    if not any(event.phase is Phase.PROBE for event in record.events):
        return None
    found = hindsight(record, world)
    return None if found is None else round(min(found.beliefs[-1].truth, 1.0), 6)


class _Onlooker:
    """An ideal observer, and what is noted of it.

    Args:
        world: The world.
        truth: The norms in force on the scored day.
        changing: Whether others may have been in force before.
    """

    def __init__(self, world: World, truth: Sequence[Unit], *, changing: bool) -> None:
        self._space = space_of(world.vocabulary)
        self._table = differences(planner_of(world, world.probe), self._space)
        self._truth = [self._space.norms.index(unit) for unit in truth]
        self._observer = IdealObserver(self._space.norms, world.enforcement.rates)
        self._me, self._changing = world.cast.newcomer, changing
        self.risks: dict[tuple[int, int], float] = {}
        self.beliefs = [self._believed(0)]

    def day(self, number: int, phase: Phase, events: Sequence[PublicEvent]) -> None:
        """Go through a day."""
        if self._changing and number > 1 and phase is not Phase.PROBE:
            self._observer.renew(HAZARD)
        if phase is Phase.WATCH:
            take_in(self._observer, self._space, clues_of(events))
            self.beliefs.append(self._believed(number))
            return
        for event in events:
            mine = event.actor == self._me
            if mine:
                self.risks[number, event.round] = self._risk(event)
            if phase is Phase.PRACTISE:
                take_in(self._observer, self._space, clues_of([event]))
                self.beliefs += [self._believed(number, event.round)] if mine else []

    def _believed(self, day: int, round_number: int | None = None) -> Belief:
        truth = self._observer.class_probability(self._truth, self._table)
        return Belief(day=day, round=round_number, truth=truth)

    def _risk(self, event: PublicEvent) -> float:
        return float(self._observer.violation_probability(self._space.table([event.moment]))[0])
