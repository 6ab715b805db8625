"""How many acts are left to the end of a task, from wherever one stands.

What was done earlier decides nothing of that, so it is found over a fraction of a day's states; searches that
do tell earlier acts apart then enter only what can still end in time.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from normgym_agents.worlds.stage import NOTHING, State
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard

Indices = NDArray[np.int64]
"""Indices of nodes, edges or kinds, or counts of acts."""


def acts_left(yard: Yard, task: Task, horizon: int) -> dict[State, int]:
    """For every state, what was done earlier left aside, the acts to the end of the task.

    Nothing that can be done hangs on what was done earlier, so this is what a full search would find, over a
    fraction of the states.

    Args:
        yard: The day's transition model.
        task: The day's task.
        horizon: Most acts of a plan from the morning on.

    Returns:
        Acts by state; states that no plan of so many acts passes may be missing.
    """
    actor, fitting = yard.stage.newcomer, task.fitting(yard.stage)
    morning = bare(yard.stage.morning())
    index: dict[State, int] = {morning: 0}
    depth, goals = [0], [task.delivered(fitting, morning) >= task.count]
    edges: list[tuple[int, int]] = []
    queue = deque([morning])
    while queue:
        state = queue.popleft()
        here = index[state]
        if goals[here] or depth[here] >= horizon:
            continue
        for ground in yard.available(state, actor):
            if not ground.verb.effects:
                continue
            after = bare(yard.step(state, actor, ground, history=False))
            missing = task.count - task.delivered(fitting, after)
            # Each missing thing takes an act to take and one to give, less the one in hand.
            if depth[here] + 1 + 2 * missing - (after.hands[actor] != NOTHING) > horizon:
                continue
            there = index.setdefault(after, len(index))
            if there == len(depth):
                depth.append(depth[here] + 1)
                goals.append(missing <= 0)
                queue.append(after)
            edges.append((here, there))
    every = np.array(edges, dtype=np.int64).reshape(-1, 2)
    left = steps_left(every[:, 0], every[:, 1], np.array(goals), horizon)
    return {state: int(left[i]) for state, i in index.items() if left[i] <= horizon}


def bare(state: State) -> State:
    """The state without what was done earlier, on which only norms look."""
    return state._replace(earlier=(frozenset(),) * len(state.earlier))


def steps_left(source: Indices, target: Indices, goals: NDArray[np.bool_], horizon: int) -> Indices:
    """Per node the acts to the nearest goal, shape (nodes,); `horizon + 1` where none is that near."""
    distance = np.where(goals, 0, horizon + 1)
    for _ in range(horizon):
        nearer = distance.copy()
        np.minimum.at(nearer, source, distance[target] + 1)
        if (nearer == distance).all():
            break
        distance = nearer
    return distance
