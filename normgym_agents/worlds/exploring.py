"""Ideal observers that know how their condition works: one that explores, one that allows for change.

With them it is proved what the evidence of a condition suffices for. What a newcomer may know they know too,
and nothing else: the explorer is told how many days of practice there are, never which day is scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Final

import numpy as np

from normgym_agents.norms.hypotheses import HypothesisSpace, distinct_columns
from normgym_agents.norms.likelihood import Enforcement
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.clues import clues_of, take_in
from normgym_agents.worlds.evidence import HAZARD, information_gain
from normgym_agents.worlds.foresight import look_ahead
from normgym_agents.worlds.policies import NEGLIGIBLE, IdealObserverPolicy, space_of
from normgym_agents.worlds.public import NewcomerView, PublicEvent

FORESIGHT: Final = 0.9
"""How much the best act of the next turn counts beside the act itself."""


class Exploring(IdealObserverPolicy):
    """Does on its days of practice what tells most about the norms, and then acts on what it knows.

    Args:
        enforcement: The rates at which the community answers acts.
        days: How many days are practice; the task of these days it lets be.
    """

    def __init__(self, enforcement: Enforcement, days: int) -> None:
        super().__init__(enforcement)
        self._days = days

    def choose(self, view: NewcomerView) -> Act:
        """The most telling act while practising, then the first act of the least risky plan."""
        if view.day > self._days:
            return super().choose(view)
        observer, space = self.learn(view), space_of(view.vocabulary)
        outlook = look_ahead(
            self.planner(view).yard,
            view.state,
            view.stage.newcomer,
            view.round,
            view.task.budget,
            # Whoever finishes the task has no next act.
            over=partial(view.task.done, view.stage),
        )
        columns, which = distinct_columns(space.table(outlook.moments))
        broken = observer.violation_probability(columns, negligible=NEGLIGIBLE)
        gains = np.round(information_gain(broken, observer.enforcement), 6)[which]
        return outlook.possible[outlook.best(gains, FORESIGHT).place].act


class Adapting(IdealObserverPolicy):
    """Allows for it that other norms may hold from any morning on, whether that is announced or not.

    So what it proves of announced changes it proves of silent ones, too.
    """

    def _update(self, beliefs: IdealObserver, space: HypothesisSpace, view: NewcomerView) -> None:
        take_in_days(beliefs, space, view.events[self._taken_in :])


def take_in_days(observer: IdealObserver, space: HypothesisSpace, events: Sequence[PublicEvent]) -> None:
    """Update beliefs by what was seen, allowing for a change before the first event of every later day."""
    for day, group in groupby(events, key=attrgetter("day")):
        if day > 1:
            observer.renew(HAZARD)
        take_in(observer, space, clues_of(group))
