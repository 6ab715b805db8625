"""Who waits for whom: episodes for agents, agents for questions, questions for replies.

It belongs to the event loop of the server and knows neither HTTP nor the run's loop. Whatever a client does is either
what is expected now or a `Misplaced` that changes nothing, so that no client can harm an episode that is not its own.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import deque
from typing import Final

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers.http_agent.contract import Asked, Kind, Sent
from normgym_agents.worlds.public import NewcomerView

UNMET: Final = 10.0
"""Seconds after which an episode that was given to a client, who then asked for nothing, is given to another."""

_MOST_ENDED: Final = 10_000
"""Episodes that are remembered as ended; a client that comes later than that is told that there is no such."""


class Misplaced(Exception):
    """A request that is not expected now.

    Args:
        status: What HTTP calls that.
        message: One sentence.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Sitting:
    """One episode at the desk.

    Args:
        name: What the community calls its agent.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.id = ""
        self.met = asyncio.Event()
        """Set once its client has asked for something."""
        self._number = 0
        self._asked: Asked | None = None
        self._answer: asyncio.Future[Sent] | None = None
        self._accepted: Sent | None = None
        self._news = asyncio.Event()
        self._over: str | None = None

    async def ask(self, kind: Kind, text: str, view: NewcomerView) -> Sent:
        """Ask, and wait for the reply; whoever stops waiting takes the question back.

        Raises:
            NewcomerError: The client has left.
        """
        if self._over is not None:
            raise NewcomerError(self._over)
        self._number += 1
        self._answer = asyncio.get_running_loop().create_future()
        self._asked = Asked(number=self._number, kind=kind, text=text, view=view)
        self._news.set()
        try:
            return await self._answer
        finally:
            self._asked = self._answer = None
            if not self.ended:
                self._news.clear()

    async def question(self, seconds: float) -> Asked | None:
        """What is asked now; None where nothing is for so long."""
        self.met.set()
        try:
            async with asyncio.timeout(seconds):
                while self._asked is None and self._over is None:
                    await self._news.wait()
        except TimeoutError:
            return None
        if self._over is not None:
            return Asked(number=self._number + 1, kind="end", text="")
        return self._asked

    def reply(self, sent: Sent) -> None:
        """Take a reply. The same one once more, as from a client that heard no answer, changes nothing.

        Raises:
            Misplaced: It is not what is asked now.
        """
        self.met.set()
        if sent == self._accepted:
            return
        if self._over is not None:
            raise Misplaced(410, "the episode is over")
        answer = self._answer
        if self._asked is None or answer is None or answer.done():
            raise Misplaced(409, f"nothing is asked now; {sent.number} was answered, or its time was over")
        if sent.number != self._number:
            raise Misplaced(409, f"{sent.number} is not asked now, but {self._number}")
        self._accepted, self._asked = sent, None
        self._news.clear()
        answer.set_result(sent)

    @property
    def ended(self) -> bool:
        """Whether nothing is asked any more."""
        return self._over is not None

    def end(self, why: str) -> None:
        """Nothing is asked any more."""
        if self._over is None:
            self._over = why
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(NewcomerError(self._over))
        self._news.set()


class Desk:
    """All episodes of one run."""

    def __init__(self) -> None:
        self._waiting: deque[Sitting] = deque()
        self._sittings: dict[str, Sitting] = {}
        self._ended: deque[str] = deque()
        self._news = asyncio.Event()
        self._seen: float | None = None
        self.over = False

    @property
    def unseen(self) -> float | None:
        """For how many seconds no client was heard of; None where none ever was."""
        return None if self._seen is None else time.monotonic() - self._seen

    def seen(self) -> None:
        """A client was heard of."""
        self._seen = time.monotonic()

    async def expect(self, name: str) -> Sitting:
        """An episode waits for an agent."""
        sitting = Sitting(name)
        self._waiting.append(sitting)
        self._news.set()
        return sitting

    async def came(self, sitting: Sitting, seconds: float) -> bool:
        """Whether an agent has come to an episode, after waiting for so long at most."""
        try:
            async with asyncio.timeout(seconds):
                await sitting.met.wait()
        except TimeoutError:
            return False
        return True

    async def take(self, seconds: float) -> Sitting | None:
        """The episode that has waited longest is the caller's; None where none waits for so long.

        Raises:
            Misplaced: The run is over.
        """
        try:
            async with asyncio.timeout(seconds):
                while not self.over and not self._waiting:  # another may be faster
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return None
        if self.over:
            raise Misplaced(410, "the run is over")
        sitting = self._waiting.popleft()
        sitting.id = secrets.token_urlsafe(12)
        self._sittings[sitting.id] = sitting
        asyncio.get_running_loop().call_later(UNMET, self._take_back, sitting, sitting.id)
        return sitting

    def put_back(self, sitting: Sitting) -> None:
        """Whoever took an episode has gone before it was told."""
        self._take_back(sitting, sitting.id)

    def at(self, key: str) -> Sitting:
        """The episode of an id.

        Raises:
            Misplaced: There is none.
        """
        sitting = self._sittings.get(key)
        if sitting is None:
            raise Misplaced(404, "there is no such episode")
        return sitting

    async def dismiss(self, sitting: Sitting, why: str = "the episode is over") -> None:
        """An episode ends; its client can still learn that."""
        sitting.end(why)
        if sitting in self._waiting:
            self._waiting.remove(sitting)
        if sitting.id:
            self._ended.append(sitting.id)
            while len(self._ended) > _MOST_ENDED:
                self._sittings.pop(self._ended.popleft(), None)

    async def close(self) -> None:
        """The run is over."""
        self.over = True
        for sitting in self._sittings.values():
            sitting.end("the run is over")
        self._news.set()

    def _take_back(self, sitting: Sitting, key: str) -> None:
        if sitting.met.is_set() or sitting.ended or sitting.id != key:
            return
        self._sittings.pop(key)
        sitting.id = ""
        self._waiting.appendleft(sitting)
        self._news.set()
