"""Ctrl-C and SIGTERM for a command that runs for long: cancel, let it keep what is done, and come back.

A newcomer may be stuck in a thread that nobody can stop. Waiting for such a thread would make Ctrl-C look
broken, so after a grace the process ends without it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

T = TypeVar("T")

GRACE: Final = 2.0
"""Seconds that a stuck thread is waited for after an interrupt."""


class Interrupted(Exception):
    """The user, or the system, asked the run to stop."""


def run_interruptible(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, or until SIGINT or SIGTERM cancels it.

    A second signal ends the process at once.

    Raises:
        Interrupted: A signal came, and the coroutine has put its things in order.
    """
    loop = asyncio.new_event_loop()
    threads = ThreadPoolExecutor(thread_name_prefix="normgym")
    loop.set_default_executor(threads)
    task = loop.create_task(work)
    stopped = False

    def stop() -> None:
        nonlocal stopped
        if stopped:
            os._exit(128 + signal.SIGINT)
        stopped = True
        task.cancel()

    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop)
    try:
        return loop.run_until_complete(task)
    except asyncio.CancelledError:
        raise Interrupted from None
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)
        loop.run_until_complete(_cancel_rest())
        loop.run_until_complete(loop.shutdown_asyncgens())
        threads.shutdown(wait=not stopped, cancel_futures=True)
        loop.close()


async def _cancel_rest() -> None:
    """Cancel and join whatever a newcomer left running."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


def leave_stuck_threads(status: int) -> None:
    """After an interrupt: end the process here if a thread would keep it from ending."""
    main = threading.main_thread()
    waiting = [t for t in threading.enumerate() if t is not main and not t.daemon]
    for thread in waiting:
        thread.join(GRACE / len(waiting))
    if any(thread.is_alive() for thread in waiting):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
