"""The loop driver: the steps of a round in a plain loop, for scripted sweeps."""

from __future__ import annotations

import inspect

from normgym_agents.community import steps
from normgym_agents.community.episode import Backstage, EpisodeState, Json, opening


async def play_loop(backstage: Backstage) -> list[Json]:
    """Play an episode to its end and return its log."""
    state = opening()
    while not state["ended"]:
        _apply(state, steps.open_round(backstage, state))
        for due in steps.members_due(backstage, state):
            _apply(state, steps.member(backstage, due))
        for _, step in steps.AFTER_MEMBERS:
            change = step(backstage, state)
            _apply(state, await change if inspect.isawaitable(change) else change)
    return state["log"]


def _apply(state: EpisodeState, change: steps.Change) -> None:
    """What the graph's channels do: the log grows, intents are gathered, the rest is replaced."""
    for name, value in change.items():
        if name == "log":
            state["log"].extend(value)
        elif name == "intents":
            state["intents"] = [] if value is None else [*state["intents"], *value]
        else:
            state[name] = value  # type: ignore[literal-required]  # steps name channels of the state
