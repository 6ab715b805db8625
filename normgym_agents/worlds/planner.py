"""The planner: exact search over everything a newcomer can do on one day.

The states that matter are laid out once as a graph; whether a plan exists, what it costs and which one is
cheapest are then array operations over the acts of the day, for many sets of norms at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import Table, Vocabulary
from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.distances import acts_left, bare, steps_left
from normgym_agents.worlds.memory import NONE, History, Memory, memory_of
from normgym_agents.worlds.settings import Slot, Verb
from normgym_agents.worlds.stage import Stage, State
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.unrolling import Graph, unroll

BREACH = 10_000.0
"""What a certain breach costs a plan, in acts: no detour within any budget outweighs it."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One act of a plan: in which round, and as which moment."""

    round: int
    act: Act
    moment: Moment


class DayPlanner:
    """All plans of at most `horizon` acts that finish the task of a day.

    Args:
        yard: The day's transition model.
        task: The day's task.
        horizon: Most acts of a plan from the morning on; at most the rounds of the stage.
        memory: What is kept of the newcomer's history: enough for the norms that the planner will be asked.
    """

    def __init__(self, yard: Yard, task: Task, horizon: int, memory: Memory = NONE) -> None:
        self.yard, self.task, self.horizon, self.memory = yard, task, horizon, memory
        self._lay_out()

    @property
    def stage(self) -> Stage:
        """The day's set-up."""
        return self.yard.stage

    def _lay_out(self) -> None:
        graph, self._index = self._explore()
        self._histories: dict[tuple[int, History], int] | None = None
        if self.memory != NONE:
            graph, self._histories = unroll(graph, self.memory, self.horizon)
        self._source, self._target, self._kind = graph.source, graph.target, graph.kind
        self._goals, self._count = graph.goals, len(graph.goals)
        self._offers, self._kinds = graph.offers, graph.kinds

    def _explore(self) -> tuple[Graph, dict[State, int]]:
        """Breadth-first over states without history, as far as the task can still be done in time from there."""
        actor, horizon = self.stage.newcomer, self.horizon
        left = acts_left(self.yard, self.task, horizon)
        morning = self.stage.morning()
        index: dict[State, int] = {morning: 0}
        depth, goals = [0], [left.get(bare(morning)) == 0]
        edges: list[tuple[int, int, int]] = []
        offers: list[tuple[int, int]] = []
        kinds: dict[tuple[int, frozenset[str], frozenset[object]], int] = {}
        kind_of: list[tuple[Act, Moment]] = []
        queue = deque([morning] if bare(morning) in left else [])
        while queue:
            state = queue.popleft()
            here = index[state]
            if goals[here] or depth[here] >= horizon:
                continue
            present = self.yard.present(state, actor)
            for ground in self.yard.available(state, actor):
                if Slot.WORDS in ground.verb.slots:
                    continue
                key = (id(ground), present, state.earlier[actor])
                kind = kinds.setdefault(key, len(kinds))
                if kind == len(kind_of):
                    kind_of.append((ground.act, self.yard.moment(state, actor, ground, 1)))
                offers.append((here, kind))
                after = self.yard.step(state, actor, ground, history=False)
                missing = left.get(bare(after), horizon)
                if depth[here] + 1 + missing > horizon:
                    continue
                there = index.setdefault(after, len(index))
                if there == len(depth):
                    depth.append(depth[here] + 1)
                    goals.append(missing == 0)
                    queue.append(after)
                edges.append((here, there, kind))
        every, done = np.array(edges, dtype=np.int64).reshape(-1, 3), np.array(goals)
        every_offer = np.array(offers, dtype=np.int64).reshape(-1, 2)
        return Graph(every[:, 0], every[:, 1], every[:, 2], done, every_offer, kind_of), index

    @cached_property
    def _configurations(self) -> tuple[NDArray[np.int64], int]:
        """Per act of the horizon the index of its signal configuration, and how many there are."""
        distinct: dict[object, int] = {}
        rounds = self.stage.configurations[: self.horizon]
        which = [distinct.setdefault(configuration, len(distinct)) for configuration in rounds]
        return np.array(which), len(distinct)

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """Every distinct moment that a plan can hold: the columns of all tables given to this planner."""
        which, count = self._configurations
        first = [int(np.flatnonzero(which == i)[0]) for i in range(count)]
        configurations = [self.stage.configurations[i] for i in first]
        return tuple(
            moment._replace(signals=configuration)
            for configuration in configurations
            for _, moment in self._kinds
        )

    @cached_property
    def used(self) -> NDArray[np.bool_]:
        """Which of the moments stand on some plan that finishes in time, shape (moments,)."""
        which, count = self._configurations
        mask = np.zeros((count, len(self._kinds)), dtype=np.bool_)
        reach = np.zeros(self._count, dtype=np.bool_)
        reach[0] = True
        left = steps_left(self._source, self._target, self._goals, self.horizon)
        for t in range(self.horizon):
            live = reach[self._source] & (left[self._target] <= self.horizon - t - 1)
            mask[which[t], self._kind[live]] = True
            reach = np.zeros(self._count, dtype=np.bool_)
            reach[self._target[live]] = True
        return mask.reshape(-1)

    def costs(self, broken: Table) -> NDArray[np.int64]:
        """Length of the shortest plan that breaks nothing, per set of norms.

        Args:
            broken: Shape (sets, moments), moments as in `moments`.

        Returns:
            Shape (sets,), in acts; `horizon + 1` where there is none.
        """
        sets = broken.shape[0]
        which, count = self._configurations
        allowed = ~broken.reshape(sets, count, len(self._kinds)).transpose(1, 2, 0)
        order = np.argsort(self._target, kind="stable")
        source, target, kind = self._source[order], self._target[order], self._kind[order]
        starts = np.flatnonzero(np.r_[True, target[1:] != target[:-1]]) if len(target) else np.array([], int)
        cost = np.full(sets, self.horizon + 1)
        reach = np.zeros((self._count, sets), dtype=np.bool_)
        reach[0] = True
        goals = np.flatnonzero(self._goals)
        for t in range(self.horizon + 1):
            arrived = reach[goals].any(axis=0) & (cost > self.horizon)
            cost[arrived] = t
            if t == self.horizon or not len(target) or (cost <= self.horizon).all():
                break
            moved = np.logical_or.reduceat(reach[source] & allowed[which[t]][kind], starts, axis=0)
            reach = np.zeros_like(reach)
            reach[target[starts]] = moved
        return cost

    def cost_without_opportunity(self, broken: NDArray[np.bool_], counted: NDArray[np.bool_]) -> int:
        """Length of the shortest plan that breaks nothing, never even could, and does nothing that a quota counts.

        Args:
            broken: Shape (moments,), which moments break a norm.
            counted: Shape (moments,), which acts a quota counts.

        Returns:
            Acts; `horizon + 1` where every norm-keeping plan passes a state in which a norm could be broken.
        """
        which, count = self._configurations
        breaking = broken.reshape(count, len(self._kinds))
        telling = (broken | counted).reshape(count, len(self._kinds))
        reach = np.zeros(self._count, dtype=np.bool_)
        reach[0] = True
        for t in range(self.horizon):
            if reach[self._goals].any():
                return t
            now = breaking[which[t]]
            calm = np.ones(self._count, dtype=np.bool_)
            calm[self._offers[now[self._offers[:, 1]], 0]] = False
            live = reach[self._source] & calm[self._source] & ~telling[which[t]][self._kind]
            reach = np.zeros(self._count, dtype=np.bool_)
            reach[self._target[live]] = True
        return self.horizon if reach[self._goals].any() else self.horizon + 1

    def plan(
        self, risk: NDArray[np.float64], budget: int, *, start: State | None = None, first_round: int = 1
    ) -> list[Step] | None:
        """The plan with the least price: its acts, and `BREACH` times its expected breaches.

        Certain breaches therefore come first and length second; a risk of one in `BREACH` weighs one act.

        Args:
            risk: Shape (moments,), the probability that the act breaks something.
            budget: Last round in which an act may fall; at most the horizon.
            start: Where to plan from; the morning by default.
            first_round: The round in which the first act falls.

        Returns:
            The steps (ties go to the act listed first), or None where no plan finishes in time or the
            start lies on no plan from the morning on.
        """
        node = 0 if start is None else self._node(start)
        if node < 0:
            return None
        which, count = self._configurations
        price = 1.0 + BREACH * risk.reshape(count, len(self._kinds))
        value = np.where(self._goals, 0.0, np.inf)
        choice: list[NDArray[np.int64]] = []
        for t in reversed(range(first_round - 1, budget)):
            # Rounded, so that equally good acts tie on every machine and the first one listed is taken.
            total = np.round(price[which[t]][self._kind] + value[self._target], 6)
            best = np.where(self._goals, 0.0, np.inf)
            np.minimum.at(best, self._source, total)
            first = np.full(self._count, len(total), dtype=np.int64)
            hit = np.flatnonzero((total == best[self._source]) & np.isfinite(total))
            np.minimum.at(first, self._source[hit], hit)
            choice.append(first)
            value = best
        if not np.isfinite(value[node]):
            return None
        return list(self._follow(node, choice[::-1], first_round))

    def _node(self, state: State) -> int:
        """The node of a state with whatever history, or -1."""
        me, morning = self.stage.newcomer, self.stage.morning()
        alone = tuple(earlier if i == me else frozenset() for i, earlier in enumerate(state.earlier))
        opened = tuple(asked if i == me else 0 for i, asked in enumerate(state.opened))
        bare = state._replace(earlier=alone, opened=opened, recent=morning.recent, tally=morning.tally)
        node = self._index.get(bare, -1)
        if self._histories is None or node < 0:
            return node
        return self._histories.get((node, self.memory.project(state.recent[me], state.tally[me])), -1)

    def _follow(self, node: int, choice: Sequence[NDArray[np.int64]], first_round: int) -> Iterator[Step]:
        which, _ = self._configurations
        for t, first in enumerate(choice, start=first_round - 1):
            if self._goals[node]:
                return
            edge = int(first[node])
            act, _ = self._kinds[int(self._kind[edge])]
            moment = self.moments[int(which[t]) * len(self._kinds) + int(self._kind[edge])]
            yield Step(round=t + 1, act=act, moment=moment)
            node = int(self._target[edge])


def planner_for(
    stage: Stage, task: Task, verbs: Mapping[str, Verb], vocabulary: Vocabulary | None = None
) -> DayPlanner:
    """The planner of a day with its budget as horizon; conditions, trials and twins share it.

    Args:
        stage: The day's set-up.
        task: The day's task.
        verbs: The setting's verbs.
        vocabulary: What the norms are made of that the planner will be asked; None: of norms that look at
            neither the last acts nor counts.
    """
    memory = NONE if vocabulary is None else memory_of(vocabulary)
    return _planner(stage.model_dump_json(), task.model_dump_json(), tuple(verbs.items()), memory)


@lru_cache(maxsize=32)
def _planner(stage: str, task: str, verbs: tuple[tuple[str, Verb], ...], memory: Memory) -> DayPlanner:
    asked = Task.model_validate_json(task)
    return DayPlanner(Yard(Stage.model_validate_json(stage), dict(verbs)), asked, asked.budget, memory)
