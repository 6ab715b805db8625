"""A deadline for an agent's code that nothing but the agent itself can use up.

It moves on while a provider that failed is waited for (`newcomers.spending`), and while another agent holds up the
event loop (`pulse`); and it is over at once where a budget is.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from normgym_agents.errors import NewcomerError
from normgym_agents.evaluation.pulse import Pulse, Waiting, deadline_of_context
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.spending import Spending

T = TypeVar("T")


class Late(Exception):
    """The deadline has passed."""


class Deadline(Waiting):
    """One call of an agent's code under a deadline.

    Args:
        seconds: How long it may take.
        spending: What it spends; None where nothing is counted.
    """

    def __init__(self, seconds: float, spending: Spending | None = None) -> None:
        self._seconds, self._spending = seconds, spending
        self._loop = asyncio.get_running_loop()
        self._begun = time.monotonic()
        self._held_up = 0.0
        self._scope: asyncio.Timeout | None = None
        self.blocked = self.interrupted = False

    @property
    def used(self) -> float:
        """Seconds that the agent itself has had so far."""
        return max(0.0, self._seconds - self._left())

    @property
    def overdue(self) -> bool:
        """Whether the deadline has passed."""
        return self._left() < 0

    def _left(self) -> float:
        waited = 0.0 if self._spending is None else self._spending.waited
        return self._seconds + waited + self._held_up - (time.monotonic() - self._begun)

    def hold_up(self, seconds: float) -> None:
        """Another agent's code has kept this one waiting."""
        self._held_up += seconds
        self._move()

    async def run(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What an agent's coroutine returns.

        Raises:
            Late: It has not ended in time.
            NewcomerError: The agent broke, or used up a budget.
            ModelError: Its model provider failed.
        """
        token = deadline_of_context.set(self)
        pulse = Pulse.here()
        if self._spending is not None:
            self._spending.on_change = self._changed
        try:
            with contextlib.nullcontext() if pulse is None else pulse.watching(self):
                async with asyncio.timeout(self._seconds) as self._scope:
                    result = await contained(call, by_contract=True)
        except TimeoutError:
            self._refuse_overspent()
            if self.interrupted:
                raise self._blocked() from None
            raise Late from None
        except NewcomerError:
            if self.interrupted:
                raise self._blocked() from None
            raise
        finally:
            self._scope = None
            deadline_of_context.reset(token)
        self._refuse_overspent()
        return result

    def _refuse_overspent(self) -> None:
        if self._spending is not None and self._spending.over is not None:
            raise NewcomerError(f"it took {self._spending.over}")

    def _blocked(self) -> NewcomerError:
        return NewcomerError(
            f"its asynchronous code blocked the event loop for more than {self._seconds:g} s"
        )

    def _changed(self) -> None:
        """The spending has changed; called from any thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._move)

    def _move(self) -> None:
        scope = self._scope
        if scope is None or scope.expired():
            return
        over = self._spending is not None and self._spending.over is not None
        scope.reschedule(self._loop.time() + (0.0 if over else self._left()))
