"""Whom an agent takes for its user: what it asks ends a turn, and what is observed next answers it.

Frameworks ask a person by calling a function that waits for the words. Here that is `ask`, which waits for the
next observation. It finds the episode that it is called in by a context variable, so that a factory can be given
it before it is known what the factory makes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers.pausing import hear


class User:
    """The user of one agent in one episode."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[str]] = []
        self.asked = asyncio.Event()
        """Set while an answer is waited for."""
        self.question = ""
        """What was asked at last."""

    async def ask(self, prompt: str = "", cancellation_token: Any = None) -> str:
        """Wait for the next observation; see `ask`."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        if cancellation_token is not None:
            cancellation_token.link_future(answer)
        self._waiting.append(answer)
        self.question = prompt
        hear(prompt, of_a_run=False)
        self.asked.set()
        try:
            return await answer
        finally:
            self._waiting.remove(answer)
            if not self._waiting:
                self.asked.clear()

    def answer(self, text: str) -> None:
        """Answer whoever waits."""
        self.asked.clear()
        for answer in self._waiting:
            if not answer.done():
                answer.set_result(text)


_USER: ContextVar[User | None] = ContextVar("episode_user", default=None)


async def ask(prompt: str = "", cancellation_token: Any = None) -> str:
    """Ask the user of the agent that this is called by; an input function as AutoGen takes them.

    Args:
        prompt: What is asked.
        cancellation_token: A `CancellationToken` of AutoGen, which may end the waiting.

    Raises:
        NewcomerError: It is not called in a turn of an agent that can ask.
    """
    user = _USER.get()
    if user is None:
        raise NewcomerError("the agent asked its user where there is none: outside of its turn")
    return await user.ask(prompt, cancellation_token)


@contextlib.contextmanager
def asking(user: User) -> Iterator[None]:
    """Inside the block, and in what is begun there, `ask` asks this user."""
    token = _USER.set(user)
    try:
        yield
    finally:
        _USER.reset(token)
