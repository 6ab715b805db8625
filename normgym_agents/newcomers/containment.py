"""Run an agent's code so that nothing of it reaches its caller but a result or a named error.

It runs in a task of its own, in a copy of the caller's context in which LangChain's ambient run
configuration is cleared: else its interrupts would pause the community and its tokens enter our streams.
The rest of the context stays, so that its spans nest under the current one.

An agent shares our event loop, since its clients, locks and memories may belong to it. So an asynchronous
agent that blocks holds up every episode, and no deadline can reach it until it comes back; a synchronous
one runs in a thread. What an agent does in tasks of its own is out of reach here: a `KeyboardInterrupt` there,
stopping the loop or cancelling every task is dealt with by whoever runs the loop (`cli.interrupting`).
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from contextvars import copy_context
from typing import Any, Final, TypeVar

from langchain_core.runnables.config import var_child_runnable_config

from normgym_agents.errors import NewcomerError, NormgymError
from normgym_agents.newcomers._failures import crossed

T = TypeVar("T")

GRACE: Final = 5.0
"""Seconds that a cancelled agent has for tidying up before it is left behind."""


async def contained(run: Callable[[], Coroutine[Any, Any, T]], *, by_contract: bool = False) -> T:
    """What an agent's coroutine returns.

    Cancelling this cancels the agent; one that will not end is left behind after a few seconds.

    Args:
        run: Makes the coroutine.
        by_contract: Whether it keeps the newcomer contract, and so may raise our errors; out of any other
            agent's own code they mean no more than other exceptions.

    Raises:
        NewcomerError: The agent raised, left the process or cancelled itself.
        ModelError: Its model provider failed.
    """
    return await ended(start(run, by_contract=by_contract))


def start(run: Callable[[], Coroutine[Any, Any, T]], *, by_contract: bool = False) -> asyncio.Task[T]:
    """Begin an agent's coroutine in a task and a context of its own."""
    context = copy_context()
    context.run(var_child_runnable_config.set, None)
    return asyncio.get_running_loop().create_task(_guarded(run, by_contract), context=context)


async def ended(task: asyncio.Task[T]) -> T:
    """What a task of `start` returns; see `contained`."""
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        task.add_done_callback(_forget)
        await asyncio.wait([task], timeout=GRACE)
        raise
    if task.cancelled():
        raise NewcomerError("the agent cancelled its own turn")
    if isinstance(failure := task.exception(), GeneratorExit):
        raise crossed(failure) from failure
    return task.result()


async def _guarded(run: Callable[[], Coroutine[Any, Any, T]], by_contract: bool) -> T:
    try:
        return await run()
    except (asyncio.CancelledError, GeneratorExit):
        raise  # how a coroutine is ended from outside; `ended` tells who did
    except NormgymError as error:
        if by_contract:
            raise
        raise crossed(error) from error
    except BaseException as error:
        raise crossed(error) from error


def _forget(task: asyncio.Task[Any]) -> None:
    """Look at how an abandoned task ended, so that asyncio does not report it as unheard."""
    if not task.cancelled():
        task.exception()


async def in_thread(call: Callable[[], T]) -> T:
    """What a blocking call returns, run in a thread that does not keep the program alive.

    The loop's own pool would wait at exit for a call that never returns.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = copy_context()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(result)  # type: ignore[arg-type] # None only where T allows it
        else:
            future.set_exception(error)

    def work() -> None:
        result: T | None = None
        failure: BaseException | None = None
        try:
            result = context.run(call)
        except StopIteration as error:  # a future cannot hold one
            failure = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:  # noqa: BLE001 # handed over whole, and raised where it is awaited
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=work, name="newcomer", daemon=True).start()
    return await future
