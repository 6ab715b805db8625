"""One run of an agent or team: from what it is told to its end, or to a question for its user in between.

A run that asks stays where it is until it is answered, in a later turn. It is stopped by AutoGen's token first,
since a team waits for its members and they know of nothing else; then by cancelling what is left.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any, Final

from autogen_agentchat.base import TaskResult, Team
from autogen_agentchat.messages import BaseChatMessage, ModelClientStreamingChunkEvent
from autogen_agentchat.teams import BaseGroupChat
from autogen_core import CancellationToken

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers.autogen.casting import Cast
from normgym_agents.newcomers.autogen.replying import Message
from normgym_agents.newcomers.autogen.watching import Watch
from normgym_agents.newcomers.containment import GRACE, ended, start
from normgym_agents.newcomers.user import User, asking

_HEED: Final = 1.0
"""Seconds that an agent has to heed the token."""


class Run:
    """A run under way.

    Args:
        cast: Who runs.
        told: What it is told; nothing to let it go on by itself.
        user: Whom it asks.
        watch: Watches its model calls.
        limit: The most messages, for a team that takes no end of ours.
    """

    def __init__(
        self, cast: Cast, told: Sequence[BaseChatMessage], *, user: User, watch: Watch, limit: int
    ) -> None:
        self.messages: list[Message] = []
        """What came since the last observation."""
        self._cast, self._told, self._watch = cast, told, watch
        self._limit = (
            limit if isinstance(cast.player, Team) and not isinstance(cast.player, BaseGroupChat) else None
        )
        self._token = CancellationToken()
        self._user = user
        with asking(user):
            self._work = start(self._go)

    async def until_heard(self) -> bool:
        """Wait for the end of the run, or for a question; whether it has ended.

        Raises:
            NewcomerError: The agent broke.
            ModelError: Its model's provider failed.
        """
        question = asyncio.create_task(self._user.asked.wait())
        try:
            await asyncio.wait([self._work, question], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.stop()
            raise
        finally:
            question.cancel()
        if self._work.done():
            await ended(self._work)
            return True
        return False

    async def stop(self) -> None:
        """End it now, whatever it is at."""
        self._token.cancel()
        await asyncio.wait([self._work], timeout=_HEED)
        left = [] if self._work.done() else self._cast.runtimes()
        for task in (*left, self._work):
            task.cancel()
        await asyncio.wait([*left, self._work], timeout=GRACE)
        for task in (*left, self._work):
            task.add_done_callback(_heard)

    async def _go(self) -> None:
        told: Any = None if not self._told else self._told[0] if len(self._told) == 1 else list(self._told)
        sent = {message.id for message in self._told}
        stream = self._cast.player.run_stream(task=told, cancellation_token=self._token)
        try:
            async with contextlib.aclosing(stream):
                async for item in stream:
                    if isinstance(item, TaskResult | ModelClientStreamingChunkEvent) or item.id in sent:
                        continue
                    self.messages.append(item)
                    if self._limit is not None and len(self.messages) >= self._limit:
                        break
        except Exception as error:  # noqa: BLE001 # the agent's own code, which may raise anything
            raise self._crossed(error) from self._cause(error)
        finally:
            self._token.cancel()

    def _cause(self, error: Exception) -> BaseException | None:
        """What a model's client raised, where a team told of it in words."""
        failure = self._watch.failure
        told = failure is not None and type(failure).__name__ in str(error)
        return failure if told else error.__cause__

    def _crossed(self, error: Exception) -> Exception:
        """The error; in a line where it is a team's account of another, with the traceback in its text."""
        text, failure = str(error), self._watch.failure
        if (failure is not None and self._cause(error) is failure) or "\nTraceback:\n" not in text:
            return error
        return NewcomerError(one_line(text.split("\n", 1)[0]))


def _heard(task: asyncio.Task[Any]) -> None:
    """Look at how a stopped run ended, so that asyncio does not report it as unheard."""
    if not task.cancelled():
        task.exception()
