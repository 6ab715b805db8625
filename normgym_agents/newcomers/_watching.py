"""Whether an AutoGen agent's model owes it an answer; AutoGen tells of calls only when they are over.

For the length of a turn the agent's client is put behind a proxy that counts. The client itself is left as it
is, since other agents may use it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

_CLIENT: Final = "_model_client"
"""Where AutoGen's agents keep their client. There is no public way; 0.7 is its last line, and pinned."""


class Watch:
    """Watches one turn of an agent."""

    def __init__(self) -> None:
        self._under_way = 0

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


class _Watched:
    """A client, as AutoGen's agents use one."""

    def __init__(self, client: Any, watch: Watch) -> None:
        self._client_behind, self._watch = client, watch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client_behind, name)

    async def create(self, *args: Any, **options: Any) -> Any:
        with self._watch.call():
            return await self._client_behind.create(*args, **options)

    async def create_stream(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        async with contextlib.aclosing(self._client_behind.create_stream(*args, **options)) as stream:
            while True:
                try:
                    with self._watch.call():
                        part = await anext(stream)
                except StopAsyncIteration:
                    return
                yield part
