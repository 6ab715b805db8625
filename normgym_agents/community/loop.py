"""The loop driver: the steps of a round in a plain loop, for scripted sweeps."""

from __future__ import annotations

import asyncio
import inspect
from typing import Final

from normgym_agents.community import steps
from normgym_agents.community.episode import Backstage, EpisodeState, Interrupted, Json, opening

_GROWING: Final = ("log", "intents", "spoken")


async def play_loop(backstage: Backstage) -> list[Json]:
    """Play an episode to its end and return its log.

    Raises:
        Interrupted: A step failed.
    """
    state = opening()
    try:
        while not state["ended"]:
            await _play_round(backstage, state)
    except Exception as error:
        raise Interrupted(error, state["log"]) from error
    return state["log"]


async def _play_round(backstage: Backstage, state: EpisodeState) -> None:
    _apply(state, steps.open_round(backstage, state))
    changes = [steps.member(backstage, due) for due in steps.members_due(backstage, state)]
    waiting = [change for change in changes if inspect.isawaitable(change)]
    ready = [change for change in changes if not inspect.isawaitable(change)]
    for decided in [*ready, *(await asyncio.gather(*waiting))]:
        _apply(state, decided)
    for _, step in steps.AFTER_MEMBERS:
        change = step(backstage, state)
        _apply(state, await change if inspect.isawaitable(change) else change)


def _apply(state: EpisodeState, change: Json) -> None:
    """What the graph's channels do: some grow (None empties them), the rest is replaced."""
    for name, value in change.items():
        if name not in _GROWING:
            state[name] = value  # type: ignore[literal-required]  # steps name channels of the state
        elif value is None:
            state[name] = []  # type: ignore[literal-required]  # as above
        else:
            state[name].extend(value)  # type: ignore[literal-required]  # as above
