"""The newcomer contract: `join`, then `turn` after `turn`, then `leave`; all asynchronous.

The community knows newcomers by this protocol alone. Adapters fit existing agents to it without changing
them; each episode gets a newcomer of its own, made by a factory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from normgym_agents.worlds.public import Observation, Reply


class Newcomer(Protocol):
    """An agent in one episode."""

    async def join(self, name: str) -> None:
        """Get ready for one episode, in which the community calls it `name`."""

    async def turn(self, observation: Observation) -> Reply:
        """Read one observation and say what to do.

        Raises:
            NewcomerError: The agent broke.
            ModelError: Its model provider failed after its retries.
        """

    async def leave(self) -> None:
        """Give back whatever the episode held. Called exactly once, also after a failure."""


NewcomerFactory = Callable[[int], Newcomer]
"""Makes the newcomer of one episode; the integer seeds whatever the newcomer draws at random."""
