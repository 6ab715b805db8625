"""Whether a day's task can be done at all, and without breaking a norm.

Certified worlds are known to be solvable. Where nothing is proved, as of the days of authored communities, or
where a file only says so, this is asked when they are opened, so that nobody plays a day that cannot be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from typing import Final, NamedTuple

from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.distances import acts_left, bare
from normgym_agents.worlds.memory import memory_for
from normgym_agents.worlds.planner import DayPlanner
from normgym_agents.worlds.settings import Slot, Verb
from normgym_agents.worlds.stage import Stage, State
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard

SPARE = 3
"""Acts more than the task takes anybody that keeping the norms may take: further ways are not looked for."""


ENTERED: Final = 5_000
"""States that a walk towards the end may enter before the whole day is laid out instead."""


class Shortest(NamedTuple):
    """Acts of the shortest plan that ignores the norms and of the shortest that keeps them; None: none found."""

    ignoring: int | None
    keeping: int | None


def shortest(stage: Stage, task: Task, verbs: Mapping[str, Verb], rules: RuleSet) -> Shortest:
    """The shortest plans of a working day, within the budget of its task.

    Args:
        stage: The day's set-up.
        task: Its task.
        verbs: The setting's verbs.
        rules: The norms; of those that change, what holds on working days.
    """
    yard, now = Yard(stage, verbs), rules.at(None)
    morning = bare(stage.morning())
    # Every thing takes an act to take and one to give; short plans are found on small graphs.
    for horizon in (*range(2 * task.count, task.budget, 2), task.budget):
        left = acts_left(yard, task, horizon)
        if morning in left:
            ignoring = left[morning]
            break
    else:
        return Shortest(None, None)
    horizon = min(ignoring + SPARE, task.budget)
    return Shortest(ignoring, _laid_out(yard, task, now, horizon))


def _laid_out(yard: Yard, task: Task, rules: RuleSet, horizon: int) -> int | None:
    planner = DayPlanner(yard, task, horizon, memory_for(rules.norms))
    keeping = int(planner.costs(rules.broken(planner.moments)[None, :])[0])
    return keeping if keeping <= horizon else None


def keeping_cost(yard: Yard, task: Task, left: Mapping[State, int], rules: RuleSet) -> int | None:
    """Acts of the shortest plan that keeps the norms; None where none within the budget does.

    States are entered in the order of how long a plan through them must be at least (A*), so that the first end
    that is met is the nearest one. Where there is a short way, that is much quicker than to lay out the day.

    Args:
        yard: The day's transition model.
        task: The day's task.
        left: From `acts_left`, for its budget.
        rules: The norms of the day, none of which changes.
    """
    horizon = task.budget
    me, morning, memory = yard.stage.newcomer, yard.stage.morning(), memory_for(rules.norms)
    remembers = memory.depth > 0 or memory.most > 0
    signals = yard.stage.configurations
    breaks: dict[object, bool] = {}
    entered: set[object] = set()
    # Of plans that may be equally long, the one that is furthest goes on first; the count settles ties.
    queue = [(left.get(bare(morning), horizon + 1), 0, 0, morning)]
    while queue and len(entered) < ENTERED:
        least, minus_done, _, state = heappop(queue)
        done = -minus_done
        if least > horizon:
            return None
        if least == done:
            return done
        present = yard.present(state, me)
        for ground in yard.available(state, me):
            if Slot.WORDS in ground.verb.slots:
                continue
            after = yard.step(state, me, ground, history=remembers)
            place = after._replace(recent=morning.recent, tally=morning.tally) if remembers else after
            history = memory.project(after.recent[me], after.tally[me]) if remembers else None
            whole = done + 1 + left.get(bare(place), horizon)
            if whole > horizon or (done + 1, place, history) in entered:
                continue
            moment = (
                id(ground),
                signals[done],
                present,
                state.earlier[me],
                state.recent[me],
                state.tally[me],
            )
            if moment not in breaks:
                breaks[moment] = rules.violates(yard.moment(state, me, ground, done + 1))
            if not breaks[moment]:
                entered.add((done + 1, place, history))
                heappush(queue, (whole, -done - 1, len(entered), after))
    return _laid_out(yard, task, rules, horizon) if queue else None
