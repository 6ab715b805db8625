"""Ctrl-C and SIGTERM for a command that runs for long: cancel, let it keep what is done, and come back.

A newcomer may be stuck in a thread that nobody can stop, or in a task that will not be cancelled. Waiting for
it would make Ctrl-C look broken, so after a grace the process ends without it. A newcomer may also stop the
loop, or raise in a task of its own what asyncio lets out of the loop; the loop then goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers.threads import AgentThreads

T = TypeVar("T")

GRACE: Final = 2.0
"""Seconds that a stuck thread or task is waited for at the end."""


class Interrupted(Exception):
    """The user, or the system, asked the run to stop."""


def run_interruptible(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, or until SIGINT or SIGTERM cancels it.

    A second signal ends the process at once.

    Raises:
        Interrupted: A signal came, and the coroutine has put its things in order.
        NewcomerError: No signal came, but it was cancelled all the same.
    """
    loop = asyncio.new_event_loop()
    loop.set_default_executor(AgentThreads())
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
        return _drive(loop, task)
    except asyncio.CancelledError:
        if stopped:
            raise Interrupted from None
        raise NewcomerError(
            "the newcomer's code cancelled the whole run; what was done before is kept, and --resume goes on with it"
        ) from None
    finally:
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(name)
        _drive(loop, loop.create_task(_cancel_rest()))
        _drive(loop, loop.create_task(loop.shutdown_asyncgens()))
        # What is left now would be reported as destroyed, which tells the user nothing that they can act on.
        loop.set_exception_handler(lambda *_: None)
        loop.close()


def _drive(loop: asyncio.AbstractEventLoop, task: asyncio.Task[T]) -> T:
    """Run the loop until the task is done, whatever stops it before.

    SIGINT is handled by the loop itself, so a `KeyboardInterrupt` here is a newcomer's, as is a `SystemExit`.
    """
    task.add_done_callback(lambda _: loop.stop())
    while not task.done():
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            loop.run_forever()
    return task.result()


async def _cancel_rest() -> None:
    """Cancel whatever a newcomer left running, and wait a moment for it."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    if rest:
        done, _ = await asyncio.wait(rest, timeout=GRACE)
        for task in done:
            if not task.cancelled():
                task.exception()  # heard, so that asyncio does not report it


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
