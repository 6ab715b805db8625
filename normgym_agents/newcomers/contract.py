"""The newcomer contract: `join`, then `turn` after `turn`, then `leave`; all asynchronous.

The community knows newcomers by this protocol alone. Adapters fit existing agents to it without changing
them; each episode gets a newcomer of its own, made by a factory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import Observation, Reply


class Newcomer(Protocol):
    """An agent in one episode.

    `join`, each `turn` and `leave` run in tasks of their own, so nothing that belongs to a task (a cancel scope
    or task group of anyio, `asyncio.timeout`) may be opened in one and closed in another.
    """

    async def join(self, name: str) -> None:
        """Get ready for one episode, in which the community calls it `name`."""

    async def turn(self, observation: Observation) -> Reply:
        """Read one observation and say what to do.

        Raises:
            NewcomerError: The agent broke, as any exception says that is not of this package.
            ModelError: Its model provider failed after its retries. Nothing is scored then, so whoever
                writes a newcomer vouches for it.
        """

    async def leave(self) -> None:
        """Give back whatever the episode held. Called exactly once, also after a failure."""


class WaitsForModel(Protocol):
    """What a newcomer may have besides: the deadline of a turn is then its model's failure, not its own."""

    @property
    def waiting_for_model(self) -> bool:
        """Whether in its last turn a model was asked that has not answered.

        It is read after the turn was cancelled. A call that was cancelled has not been answered.
        """


class Reporting(Protocol):
    """What a newcomer may have besides: it can say what one may and must not do here."""

    async def report(self, question: Question) -> str | Sequence[ReportedNorm]:
        """Answer, after the last turn and before `leave`, where the run asks.

        A fork of the agent answers where one can be made, so that the asking leaves no trace in it.

        Returns:
            Words, a line for each norm, or the norms themselves.

        Raises:
            NewcomerError: The agent broke, or cannot be asked. That changes nothing of how the episode ended.
            ModelError: Its model provider failed after its retries; likewise.
        """


def waits_for_model(newcomer: object) -> bool:
    """Whether the newcomer says that its model owes it an answer."""
    try:
        return getattr(newcomer, "waiting_for_model", False) is True
    except Exception:  # noqa: BLE001 # the newcomer's own code, and an answer that cannot be had is none
        return False


NewcomerFactory = Callable[[int], Newcomer]
"""Makes the newcomer of one episode; the integer seeds whatever the newcomer draws at random."""
