"""Twins of asynchronous functions, for code that is not asynchronous."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from normgym_agents.errors import BadInput
from normgym_agents.newcomers.threads import AgentThreads

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def synchronous(
    function: Callable[Arguments, Coroutine[Any, Any, Result]], name: str
) -> Callable[Arguments, Result]:
    """A function that does the same, and returns when it is done.

    Args:
        function: What it does.
        name: What it is called.

    Returns:
        The function. It raises `BadInput` where an event loop is running, which it would have to wait for.
    """

    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(_on_threads_of_ours(function(*args, **kwargs)))
        raise BadInput("an event loop is running here", expected=f"await {function.__name__}(...)")

    functools.update_wrapper(call, function)
    call.__name__ = call.__qualname__ = name
    return call


async def _on_threads_of_ours(work: Coroutine[Any, Any, Result]) -> Result:
    asyncio.get_running_loop().set_default_executor(AgentThreads())
    return await work
