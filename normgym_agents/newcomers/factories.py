"""Factories of agents: functions that make a fresh agent for each episode.

A function is a factory if it can be called without an argument, or with nothing but what `_parameters` knows to
give: a model, a run configuration, tools. Any other function takes part itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from typing import Any, Final

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers._keys import TO_SET, missing_key
from normgym_agents.newcomers._legacy import TO_PORT, legacy_import
from normgym_agents.newcomers._parameters import arguments_for
from normgym_agents.newcomers.containment import GRACE, ended, in_thread, start
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory, waits_for_model
from normgym_agents.newcomers.exports import maker_of, of_a_framework
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import Observation, Reply

_MOST_MAKERS: Final = 3
"""A factory may make an object that makes the agent; one that goes on and on makes none."""


def adapt_factory(function: Callable[..., Any], name: str, wiring: Wiring) -> NewcomerFactory:
    """A factory of newcomers that are what the function makes.

    Args:
        function: The factory, a class for one; `_parameters` says what its parameters get. It may be asynchronous,
            and may make a context manager (asynchronous or not, or a generator), which stays open as long as the
            episode, or an object that has or makes the agent.
        name: What messages call it.
        wiring: How it is connected. Without a parameter for the model, the model is still put where a graph that
            the factory makes looks for it.

    Raises:
        BadInput: It needs a model and there is none, or none can be made of the spec.
    """
    give = arguments_for(function, name, wiring)

    async def call() -> Any:
        return await _called(functools.partial(function, **give()))

    return lambda seed: MadeNewcomer(call, name, seed, wiring)


class MadeNewcomer:
    """What a factory makes, in the one episode that it was made for.

    Args:
        call: Calls the factory.
        name: What messages call it.
        seed: Passed on.
        wiring: Passed on.
    """

    def __init__(self, call: Callable[[], Any], name: str, seed: int, wiring: Wiring) -> None:
        self._call, self._name, self._seed, self._wiring = call, name, seed, wiring
        self._inner: Newcomer | None = None
        self._life: asyncio.Task[None] | None = None
        self._leaving = asyncio.Event()

    @property
    def waiting_for_model(self) -> bool:
        """Whether a model owes what was made an answer."""
        return self._inner is not None and waits_for_model(self._inner)

    async def join(self, name: str) -> None:
        """Make the agent.

        Raises:
            BadInput: The factory made something that cannot take part.
            NewcomerError: It failed.
        """
        made: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        life = self._life = start(lambda: self._live(made))
        await asyncio.wait([life, made], return_when=asyncio.FIRST_COMPLETED)
        if not made.done():
            await ended(life)
        inner = self._adapt(await made)
        self._inner = inner
        await inner.join(name)

    async def turn(self, observation: Observation) -> Reply:
        """Pass the observation on."""
        if self._inner is None:
            raise NewcomerError("the agent was asked before it was made")
        return await self._inner.turn(observation)

    async def report(self, question: Question) -> str | Sequence[ReportedNorm]:
        """Pass the question on.

        Raises:
            NewcomerError: What was made cannot be asked.
        """
        report = getattr(self._inner, "report", None)
        if report is None:
            raise NewcomerError("what was made cannot be asked: it has no `report`")
        answer: str | Sequence[ReportedNorm] = await report(question)
        return answer

    async def leave(self) -> None:
        """Let the agent leave, then close what its factory opened."""
        try:
            if self._inner is not None:
                await self._inner.leave()
        finally:
            self._leaving.set()
            if self._life is not None:
                await self._end(self._life)

    async def _end(self, life: asyncio.Task[None]) -> None:
        if life.done():  # a failure to make the agent was told when it joined
            return
        if self._inner is None:  # cancelled while the agent was being made
            life.cancel()
            await asyncio.wait([life], timeout=GRACE)
            return
        await ended(life)

    async def _live(self, made: asyncio.Future[Any]) -> None:
        """Make the agent; hold open what must be closed again, in the one task that opened it."""
        async with AsyncExitStack() as held:
            try:
                agent, opened = await self._make(held)
            except Exception as error:
                old = legacy_import(error)
                if old is not None:
                    raise BadInput(
                        f"{self._name} imports {old!r}, which is AutoGen 0.2", expected=TO_PORT
                    ) from error
                key = missing_key(error)
                if key is None:
                    raise
                raise BadInput(
                    f"{self._name} needs {key}, which is not set", expected=TO_SET.format(key=key)
                ) from error
            made.set_result(agent)
            if opened:
                await self._leaving.wait()

    async def _make(self, held: AsyncExitStack) -> tuple[object, bool]:
        """What is made in the end, and whether something must be closed again."""
        agent, opened = await self._call(), False
        for _ in range(_MOST_MAKERS):
            if (context := _context(agent)) is not None:
                agent = await _entered(context, held)
                opened = True
            elif (maker := maker_of(agent)) is not None:
                given = arguments_for(maker, self._name, self._wiring)()
                agent = await _called(functools.partial(maker, **given))
            else:
                break
        return agent, opened

    def _adapt(self, made: object) -> Newcomer:
        from normgym_agents.newcomers.adapting import adapt_ready
        from normgym_agents.newcomers.callables import adapt_callable

        if any(kind.__module__.startswith("autogen_") for kind in type(made).__mro__):
            from normgym_agents.newcomers.autogen import own_agent

            return own_agent(made, self._name, self._wiring)
        ready = adapt_ready(made, self._name, self._wiring)
        if ready is not None:
            return ready.factory(self._seed)
        if callable(made):
            return adapt_callable(made, self._name)(self._seed)
        raise BadInput(
            f"{self._name} made a {type(made).__qualname__}",
            expected="a graph, an agent, a chat model or a function",
        )


async def _called(call: functools.partial[Any]) -> Any:
    """What a factory makes; one that runs an event loop of its own is called where it can, in a thread."""
    try:
        made = await in_thread(call) if _runs_a_loop(call.func) else call()
    except RuntimeError as error:
        if "running event loop" not in str(error):
            raise
        made = await in_thread(call)
    return await made if isinstance(made, Awaitable) and not of_a_framework(made) else made


def _runs_a_loop(function: Callable[..., Any]) -> bool:
    """Whether a function's code says so: called on our loop, it would leave a coroutine behind that nobody awaits."""
    names: tuple[str, ...] = getattr(getattr(function, "__code__", None), "co_names", ())
    return {"asyncio", "run"} <= set(names) or "run_until_complete" in names


def _context(made: object) -> AbstractAsyncContextManager[Any] | AbstractContextManager[Any] | None:
    """What must be opened before there is an agent; None where there is one already."""
    if inspect.isasyncgen(made):
        return contextlib.asynccontextmanager(lambda: made)()
    if inspect.isgenerator(made):
        return contextlib.contextmanager(lambda: made)()
    if of_a_framework(made) or hasattr(made, "turn"):
        return None
    return made if isinstance(made, AbstractAsyncContextManager | AbstractContextManager) else None


async def _entered(
    context: AbstractAsyncContextManager[Any] | AbstractContextManager[Any], held: AsyncExitStack
) -> object:
    if isinstance(context, AbstractAsyncContextManager):
        return await held.enter_async_context(context)
    return held.enter_context(context)
