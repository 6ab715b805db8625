"""Whether an AutoGen agent's model owes it an answer; AutoGen tells of calls only when they are over.

For the length of a turn the agent's client is put behind a proxy that counts. The client itself is left as it
is, since other agents may use it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from normgym_agents.errors import ModelError
from normgym_agents.newcomers._failures import crossed
from normgym_agents.newcomers.spending import spending

_CLIENT: Final = "_model_client"
"""Where AutoGen's agents keep their client. There is no public way; 0.7 is its last line, and pinned."""


class Watch:
    """Watches one turn of an agent."""

    def __init__(self) -> None:
        self._under_way = 0
        self._spending = spending()

    @property
    def waiting(self) -> bool:
        """Whether a call has begun and not come back; one that was cancelled counts as such."""
        return self._under_way > 0

    @contextlib.contextmanager
    def over(self, agent: object) -> Iterator[None]:
        """Watch the agent inside the block, if it has a client."""
        client = getattr(agent, _CLIENT, None)
        if client is None:
            yield
            return
        setattr(agent, _CLIENT, _Watched(client, self))
        try:
            yield
        finally:
            setattr(agent, _CLIENT, client)

    @contextlib.contextmanager
    def call(self) -> Iterator[None]:
        """One call; it stays under way if it is cancelled."""
        self._under_way += 1
        try:
            yield
        except asyncio.CancelledError:
            raise
        except BaseException:
            self._under_way -= 1
            raise
        self._under_way -= 1

    def asked(self, key: object) -> None:
        """A call begins."""
        if self._spending is not None:
            self._spending.asked(key)

    def answered(self, key: object, last: object) -> None:
        """It has come to its end, with this as the last part of its answer."""
        used = getattr(last, "usage", None)
        tokens = 0 if used is None else used.prompt_tokens + used.completion_tokens
        if self._spending is not None:
            self._spending.answered(key, tokens)

    def broke(self, key: object, error: BaseException) -> None:
        """It failed; one that was cancelled stays under way."""
        if self._spending is not None and not isinstance(error, asyncio.CancelledError):
            failed = isinstance(crossed(error), ModelError)
            (self._spending.failed if failed else self._spending.dropped)(key)


class _Watched:
    """A client, as AutoGen's agents use one."""

    def __init__(self, client: Any, watch: Watch) -> None:
        self._client_behind, self._watch = client, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client_behind, name)

    async def create(self, *args: Any, **options: Any) -> Any:
        key = object()
        self._watch.asked(key)
        try:
            with self._watch.call():
                result = await self._client_behind.create(*args, **options)
        except BaseException as error:
            self._watch.broke(key, error)
            raise
        self._watch.answered(key, result)
        return result

    async def create_stream(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        key, part = object(), None
        self._watch.asked(key)
        async with contextlib.aclosing(self._client_behind.create_stream(*args, **options)) as stream:
            while True:
                try:
                    with self._watch.call():
                        part = await anext(stream)
                except StopAsyncIteration:
                    self._watch.answered(key, part)
                    return
                except BaseException as error:
                    self._watch.broke(key, error)
                    raise
                yield part
