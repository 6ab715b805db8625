"""Threads for agents' synchronous code, in place of a loop's own pool.

A pool of few threads is used up by as many calls that never return, and every other episode then waits for its
own; and it keeps the program from ending. Here each call has a thread to itself, which the program does not wait for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class AgentThreads(ThreadPoolExecutor):
    """An executor that never runs out; a pool by type alone, because asyncio takes no other."""

    def __init__(self) -> None:
        super().__init__(max_workers=1)
        self._closed = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call in a thread of its own.

        Raises:
            RuntimeError: The executor was shut down.
        """
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 # handed over whole, and raised where it is awaited
                future.set_exception(error)
            else:
                future.set_result(result)

        threading.Thread(target=work, name="normgym", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls. Those that run are left to themselves: who needs one has waited for it."""
        self._closed = True
