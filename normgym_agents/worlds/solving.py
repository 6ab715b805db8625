"""Whether a day's task can be done at all, and without breaking a norm.

Certified worlds are known to be solvable. Where nothing is proved, as of the days of authored communities,
this is asked when they are opened, so that nobody plays a day that cannot be done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.distances import acts_left, bare
from normgym_agents.worlds.memory import memory_for
from normgym_agents.worlds.planner import DayPlanner
from normgym_agents.worlds.settings import Verb
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard

SPARE = 3
"""Acts more than the task takes anybody that keeping the norms may take: further ways are not looked for."""


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
    planner = DayPlanner(yard, task, horizon, memory_for(now.norms))
    keeping = int(planner.costs(now.broken(planner.moments)[None, :])[0])
    return Shortest(ignoring, keeping if keeping <= horizon else None)
