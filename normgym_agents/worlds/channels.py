"""What the evidence of each condition suffices for, proved by playing the condition with an ideal observer.

Conditions that show the same events share the beliefs that follow from them: so the two replays, in which
the same acts are only told of another person, are proved to say the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import log
from typing import Final

from normgym_agents.norms.hypotheses import HypothesisSpace, Table
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.worlds.arrangement import Arrangement, arrange, lacks
from normgym_agents.worlds.clues import clues_of, take_in
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.exploring import Adapting, Exploring, take_in_days
from normgym_agents.worlds.planner import DayPlanner, planner_for
from normgym_agents.worlds.policies import IdealObserverPolicy, columns_of, space_of
from normgym_agents.worlds.programme import OWN_DAYS
from normgym_agents.worlds.public import PublicEvent
from normgym_agents.worlds.rollout import play_day, watched
from normgym_agents.worlds.world import CHANNELS, Channel, WorkDay, World

DIGITS: Final = 4
"""To how many digits what was proved is kept, so that the last bit of a platform changes nothing."""


def prove_channels(
    world: World, planner: DayPlanner, conditions: Sequence[Condition] = CHANNELS
) -> dict[Condition, Channel]:
    """Play every condition with evidence to learn from that the world can be played under.

    Args:
        world: The world.
        planner: Plans of its probe, up to its budget.
        conditions: Which of them.
    """
    proof = Proof(world, planner)
    return {
        condition: proof.channel(condition) for condition in conditions if lacks(world, condition) is None
    }


def planner_of(world: World, day: WorkDay) -> DayPlanner:
    """The planner of one of the world's working days."""
    return planner_for(day.stage, day.task, world.setting.verbs, world.vocabulary)


def differences(planner: DayPlanner, space: HypothesisSpace) -> Table:
    """The distinct ways in which plans that finish in time can tell norm sets apart, shape (norms, moments)."""
    distinct, which = columns_of(planner, space)
    return distinct[:, sorted(set(which[planner.used].tolist()))]


class Proof:
    """Proves the channels of one world.

    Args:
        world: The world.
        planner: Plans of its probe, up to its budget.
    """

    def __init__(self, world: World, planner: DayPlanner) -> None:
        self.world, self.space = world, space_of(world.vocabulary)
        self.table = differences(planner, self.space)
        self.truth = [self.space.norms.index(unit) for unit in world.rules.at(None).units]
        self.blank = IdealObserver(self.space.norms, world.enforcement.rates)
        self.prior = self.posterior(self.blank)
        self._beliefs: dict[Hashable, IdealObserver] = {}

    def posterior(self, observer: IdealObserver) -> float:
        """What the observer believes of the true extensional class."""
        return observer.class_probability(self.truth, self.table)

    def channel(self, condition: Condition) -> Channel:
        """Play the condition."""
        arrangement = arrange(self.world, condition)
        changing = self.world.changes(condition)
        events = watched(self.world, condition)
        observer = self.after(events, changing)
        policy = self.policy(condition, changing)
        policy.resume(observer.copy(), len(events))
        practised, passed = _work(arrangement, policy, events)
        if practised:
            observer = observer.copy()
            self._take_in(observer, practised, changing)
        found = self.posterior(observer)
        return Channel(
            nats=round(log(found / self.prior), DIGITS), identified=round(found, DIGITS), passed=passed
        )

    def policy(self, condition: Condition, changing: bool) -> IdealObserverPolicy:
        """Who plays a condition."""
        rates = self.world.enforcement.rates
        if changing:
            return Adapting(rates)
        return Exploring(rates, OWN_DAYS) if condition is Condition.OWN else IdealObserverPolicy(rates)

    def after(self, events: Sequence[PublicEvent], changing: bool = False) -> IdealObserver:
        """The beliefs after these events, worked out once for events that norms cannot tell apart."""
        key = (changing, tuple(event.day for event in events), clues_of(events))
        if key not in self._beliefs:
            observer = self.blank.copy()
            self._take_in(observer, events, changing)
            self._beliefs[key] = observer
        return self._beliefs[key]

    def _take_in(self, observer: IdealObserver, events: Sequence[PublicEvent], changing: bool) -> None:
        if changing:
            take_in_days(observer, self.space, events)
        else:
            take_in(observer, self.space, clues_of(events))


def _work(
    arrangement: Arrangement, policy: IdealObserverPolicy, seen: Sequence[PublicEvent]
) -> tuple[list[PublicEvent], bool]:
    """Play the working days: what was practised, and whether the probe was passed."""
    practised: list[PublicEvent] = []
    passed = False
    for day in arrangement.days:
        if day.phase is Phase.WATCH:
            continue
        result = play_day(arrangement, day, policy, before=(*seen, *practised))
        if day.phase is Phase.PROBE:
            passed = result.passed
        else:
            practised += result.events
    return practised, passed
