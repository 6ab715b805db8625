"""Plain policies over the public view: the reference newcomers' minds.

They stand among the worlds because a certificate is proved with them: a world is kept only if the ones
that do not infer all fail in it, and the ideal observer does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import (
    HypothesisSpace,
    Table,
    Vocabulary,
    distinct_columns,
    enumerate_norms,
)
from normgym_agents.norms.independent import IndependentObserver
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.likelihood import Enforcement
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.prior import Hypothesis
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.clues import Observer, clues_of, take_in
from normgym_agents.worlds.draws import uniform
from normgym_agents.worlds.planner import DayPlanner, Step, planner_for
from normgym_agents.worlds.public import NewcomerView
from normgym_agents.worlds.stage import NOTHING, Stage, State

NEGLIGIBLE = 1e-9
"""Posterior below which a planner need not think of a norm: far less than any plan is decided by."""

Risk = NDArray[np.float64]
"""Shape (moments,): how likely each moment of a planner is to break something, in [0, 1]."""


class Policy(Protocol):
    """Chooses one act at a time; an instance lives for one episode."""

    def choose(self, view: NewcomerView) -> Act:
        """The act for this turn."""


def space_of(vocabulary: Vocabulary) -> HypothesisSpace:
    """All norms that the words of a world can express, compiled once."""
    return _space(vocabulary.model_dump_json())


@lru_cache(maxsize=8)
def _space(vocabulary: str) -> HypothesisSpace:
    return HypothesisSpace(enumerate_norms(Vocabulary.model_validate_json(vocabulary)))


@lru_cache(maxsize=16)
def columns_of(planner: DayPlanner, space: HypothesisSpace) -> tuple[Table, NDArray[np.intp]]:
    """The distinct columns of the table over a planner's moments, and which of them each moment has.

    Many moments break the same norms, so the posterior is asked once for each distinct column.
    """
    return distinct_columns(space.table(planner.moments))


def idle(view: NewcomerView) -> Act:
    """The act that does nothing."""
    verb = next(name for name, verb in view.verbs.items() if verb.idle)
    return Act(verb=verb)


class _Course(NamedTuple):
    """A plan that is being followed: under which risk it is the best one, and from where."""

    planner: DayPlanner
    risk: Risk
    steps: tuple[Step, ...]
    state: State

    def goes_on(self, planner: DayPlanner, risk: Risk, view: NewcomerView) -> bool:
        """Whether it is the best plan in this turn, too."""
        return (
            self.planner is planner
            and bool(self.steps)
            and self.steps[0].round == view.round
            and self.state == view.state
            and (risk is self.risk or np.array_equal(risk, self.risk))
        )

    def after_next(self) -> _Course | None:
        """What is left once its next step is taken."""
        if not self.steps:
            return None
        yard = self.planner.yard
        ground = yard.ground(self.steps[0].act)
        if ground is None:
            return None
        return self._replace(steps=self.steps[1:], state=yard.step(self.state, yard.stage.newcomer, ground))


class Planning:
    """Plans the day under a risk, anew at each turn, and does the first act of the plan."""

    def __init__(self) -> None:
        self._today: tuple[Stage, DayPlanner] | None = None
        self._course: _Course | None = None

    def planner(self, view: NewcomerView) -> DayPlanner:
        """The planner of the view's day."""
        if self._today is None or self._today[0] != view.stage:
            self._today = (view.stage, planner_for(view.stage, view.task, view.verbs, view.vocabulary))
        return self._today[1]

    def choose(self, view: NewcomerView) -> Act:
        """The first act of the least risky plan from here, or nothing where there is none."""
        steps = self.steps(view)
        return steps[0].act if steps else idle(view)

    def steps(self, view: NewcomerView) -> Sequence[Step]:
        """The least risky plan from here; empty where there is none.

        While the risk stays as it was, the rest of the last plan is still the best one: a best plan's rest is
        best from where it leads to, and ties are broken alike. Planning anew would cost most of a turn.
        """
        planner = self.planner(view)
        risk = self.risk(view, planner)
        course = self._course
        if course is None or not course.goes_on(planner, risk, view):
            plan = planner.plan(risk, view.task.budget, start=view.state, first_round=view.round) or ()
            course = _Course(planner, risk, tuple(plan), view.state)
        self._course = course.after_next()
        return course.steps

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """How likely each of the planner's moments is to break something."""
        return np.zeros(len(planner.moments))


class NormBlind(Planning):
    """Takes the cheapest way to the task and looks at nothing else."""


class AlwaysAbstain:
    """Never does anything that a norm could be about."""

    def choose(self, view: NewcomerView) -> Act:
        """Nothing, ever."""
        return idle(view)


class Random:
    """Does any possible act, each as likely as the others."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def choose(self, view: NewcomerView) -> Act:
        """One of the possible acts."""
        share = uniform("random", self._seed, view.day, view.round)
        return view.available[int(share * len(view.available))]


class ToldOracle(Planning):
    """Keeps the rules that it is told, and otherwise takes the cheapest way."""

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """1 where a told rule is broken, else 0."""
        if not view.told:
            return np.zeros(len(planner.moments))
        told = RuleSet(parse_norm(text) for text in view.told).at(None)
        return told.broken(planner.moments).astype(np.float64)


class MemoriseOwnSanctions(Planning):
    """Does not repeat an act for which it was itself sanctioned: the same verb on the same looks."""

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """1 where the same act was answered before, else 0."""
        burnt = {
            (event.moment.verb, event.moment.slots)
            for event in view.events
            if event.actor == view.name and event.answers
        }
        repeats = [(moment.verb, moment.slots) in burnt for moment in planner.moments]
        return np.array(repeats, dtype=np.float64)


class CopyMajority(Planning):
    """Does what most others did in the same visible context, and is norm-blind elsewhere.

    The context is what signals show, who is there, and whether one's hands are full. What most others did
    is a verb, and whom it was done to; sanctions are not looked at.
    """

    def choose(self, view: NewcomerView) -> Act:
        """The majority's act where this context was seen and the act is possible, else the cheapest way."""
        yard = self.planner(view).yard
        me = view.stage.newcomer
        possible: dict[tuple[str, str | None], Act] = {}
        for act in view.available:
            ground = yard.ground(act)
            if ground is not None:
                possible.setdefault((act.verb, dict(ground.slots).get("role")), act)
        signals, present = view.stage.configurations[view.round - 1], yard.present(view.state, me)
        here = (signals, present, view.state.hands[me] != NOTHING)
        seen = Counter(
            (event.moment.verb, dict(event.moment.slots).get("role"))
            for event in view.events
            if event.actor != view.name
            and (event.moment.signals, event.moment.present, event.held is not None) == here
        )
        for deed, _ in seen.most_common():
            if deed in possible:
                return possible[deed]
        return super().choose(view)


Beliefs = TypeVar("Beliefs", bound=Observer)


class Inferring(ToldOracle, Generic[Beliefs]):
    """Holds beliefs about the norms of the setting and plans under them.

    What it is told it takes as certain: then there is nothing left to infer.

    Args:
        make: Makes the observer whose beliefs it holds, from the hypotheses.
    """

    def __init__(self, make: Callable[[Sequence[Hypothesis]], Beliefs]) -> None:
        super().__init__()
        self._make = make
        self._observer: Beliefs | None = None
        self._taken_in = 0
        self._since = 1

    def resume(self, beliefs: Beliefs, events: int) -> None:
        """Go on from beliefs that others came to by the first so many events."""
        self._observer, self._taken_in = beliefs, events

    def learn(self, view: NewcomerView) -> Beliefs:
        """Take in what was seen since the last turn; asked twice in a turn it changes nothing."""
        space = space_of(view.vocabulary)
        if self._observer is None:
            self._observer = self._make(space.norms)
        self._update(self._observer, space, view)
        self._taken_in = len(view.events)
        return self._observer

    def _update(self, beliefs: Beliefs, space: HypothesisSpace, view: NewcomerView) -> None:
        """Take in what is new; nothing of before the last change that was announced counts."""
        since = max(view.announced, default=1)
        if since > self._since:
            beliefs.restart()
            self._since, self._taken_in = since, 0
        new = view.events[self._taken_in :]
        take_in(beliefs, space, clues_of(event for event in new if event.day >= since))

    def risk(self, view: NewcomerView, planner: DayPlanner) -> Risk:
        """Posterior probability that the act breaks some norm in force."""
        if view.told:
            return super().risk(view, planner)
        observer = self.learn(view)
        distinct, which = columns_of(planner, space_of(view.vocabulary))
        return observer.violation_probability(distinct, negligible=NEGLIGIBLE)[which]


class IdealObserverPolicy(Inferring[IdealObserver]):
    """Holds the exact posterior over all norm sets of the setting and plans under it.

    Args:
        enforcement: The rates at which the community answers acts.
    """

    def __init__(self, enforcement: Enforcement) -> None:
        super().__init__(lambda norms: IdealObserver(norms, enforcement))


class IndependentBayes(Inferring[IndependentObserver]):
    """Judges every norm as if no other could hold, and so blames norms that overlap with the true ones.

    Args:
        enforcement: The rates at which the community answers acts.
    """

    def __init__(self, enforcement: Enforcement) -> None:
        super().__init__(lambda norms: IndependentObserver(norms, enforcement))


PolicyFactory = Callable[[int], Policy]
"""Makes a policy for one episode from a seed."""

UNINFERRING: Mapping[str, PolicyFactory] = {
    "random": Random,
    "norm-blind": lambda _: NormBlind(),
    "always-abstain": lambda _: AlwaysAbstain(),
    "memorise-own": lambda _: MemoriseOwnSanctions(),
    "copy-majority": lambda _: CopyMajority(),
}
"""The policies that every certified world must fool."""
