"""What an agent asks of its models: whether an answer is owed, what it cost, and what failed.

AutoGen tells of a call only when it is over, of the calls that choose a speaker not at all, and of a failure
inside of a team only in words. So the clients of an episode stand behind a proxy that keeps count. A client
itself is left as it is, since other agents may use it.
"""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any

from normgym_agents.errors import ModelError
from normgym_agents.newcomers._failures import crossed
from normgym_agents.newcomers.acting import Usage
from normgym_agents.newcomers.spending import spending


class Watch:
    """Watches the model calls of one newcomer, one turn at a time."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin a turn."""
        self._under_way = self._calls = self._input = self._output = 0
        self._spending = spending()
        self.failure: BaseException | None = None
        """What the last call raised; None where it was answered."""

    @property
    def waiting(self) -> bool:
        """Whether a call has begun and not come back; one that was cancelled counts as such."""
        return self._under_way > 0

    def usage(self) -> Usage:
        """The sums of the turn; None for each where no model was seen."""
        if not self._calls:
            return Usage()
        return Usage(model_calls=self._calls, input_tokens=self._input, output_tokens=self._output)

    @contextlib.contextmanager
    def call(self) -> Iterator[Call]:
        """One call, which stays under way if it is cancelled."""
        call = Call()
        self._under_way += 1
        if self._spending is not None:
            self._spending.asked(call)
        try:
            yield call
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._under_way -= 1
            self.failure = error
            if self._spending is not None:
                failed = isinstance(crossed(error), ModelError)
                (self._spending.failed if failed else self._spending.dropped)(call)
            raise
        self._under_way -= 1
        self.failure = None
        self._count(call)

    def _count(self, call: Call) -> None:
        used = getattr(call.last, "usage", None)
        prompt, completion = (0, 0) if used is None else (used.prompt_tokens, used.completion_tokens)
        self._calls += 1
        self._input += prompt
        self._output += completion
        if self._spending is not None:
            self._spending.answered(call, prompt + completion)


class Call:
    """A call of a model."""

    last: object = None
    """What it answered; of an answer in parts the last, which tells what it cost."""


class Watched:
    """A client, as AutoGen's agents use one."""

    def __init__(self, client: Any, watch: Watch) -> None:
        self.behind, self._watch = client, watch
        # Of the names of models in its own table; a server may have others.
        warnings.filterwarnings("ignore", "Resolved model mismatch", UserWarning)

    @property  # type: ignore[misc] # what `isinstance` asks
    def __class__(self) -> type:
        """What `isinstance` sees: agents refuse what is no client, or not one of a kind."""
        return type(self.behind)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)

    async def create(self, *args: Any, **options: Any) -> Any:
        """Ask the client, and count."""
        with self._watch.call() as call:
            call.last = await self.behind.create(*args, **options)
        return call.last

    async def create_stream(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        """Ask the client, and count what the last part tells."""
        with self._watch.call() as call:
            async with contextlib.aclosing(self.behind.create_stream(*args, **options)) as stream:
                async for call.last in stream:
                    yield call.last


def behind(client: Any) -> Any:
    """The client itself, where it stands behind a proxy."""
    return client.behind if type(client) is Watched else client
