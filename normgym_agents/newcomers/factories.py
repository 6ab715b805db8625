"""Factories of agents: functions that make a fresh agent for each episode.

A function is a factory if it can be called without an argument, or with nothing but a model and a run
configuration, as LangGraph's factories are. Any other function takes part itself.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers.containment import GRACE, ended, start
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory, waits_for_model
from normgym_agents.newcomers.models import make_chat_model
from normgym_agents.newcomers.toolset import tools_for
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import Observation, Reply

_MODEL_PARAMETERS: Final = ("model", "model_client", "llm")
_OTHER_PARAMETERS: Final = frozenset({"config", "runtime", "tools"})
"""What factories may take: `config` gets a run configuration, `runtime` None, `tools` those to act with."""


def is_factory(function: Callable[..., Any]) -> bool:
    """Whether a function makes an agent, and is not one."""
    known = {*_MODEL_PARAMETERS, *_OTHER_PARAMETERS}
    return all(name in known or not _required(p) for name, p in _parameters(function).items())


def takes_model(function: Callable[..., Any]) -> bool:
    """Whether a factory has a parameter for the model."""
    return any(key in _MODEL_PARAMETERS for key in _parameters(function))


def adapt_factory(function: Callable[..., Any], name: str, wiring: Wiring) -> NewcomerFactory:
    """A factory of newcomers that are what the function makes.

    Args:
        function: The factory. Its parameter `model`, `model_client` or `llm` gets the model: as a string, or
            as a chat model of LangChain or a client of AutoGen where the annotation says so or the
            parameter is called `llm` or `model_client`. A parameter `config` gets it under
            `configurable["model"]`. A parameter `tools` that is empty by default, or has no default, gets the
            tools to act with.
        name: What messages call it.
        wiring: How it is connected. Without a model its parameter stays at its default; without a parameter for
            it, the model is still put where a graph that the factory makes looks for it.

    Raises:
        BadInput: It needs a model and there is none, or none can be made of the spec.
    """
    parameters, model = _parameters(function), wiring.model
    taking = next((p for key, p in parameters.items() if key in _MODEL_PARAMETERS), None)
    if taking is not None and _required(taking) and model is None:
        raise BadInput(f"{name} needs a model", expected="--model SPEC, e.g. --model openai:gpt-4o-mini")
    fixed: dict[str, Any] = {}
    if "config" in parameters:
        fixed["config"] = {"configurable": {} if model is None else {"model": model}}
    if "runtime" in parameters and _required(parameters["runtime"]):
        fixed["runtime"] = None
    if "tools" in parameters and _lacking(parameters["tools"]):
        fixed["tools"] = tools_for(function)

    async def call() -> Any:
        given: dict[str, Any] = dict(fixed)
        if taking is not None and model is not None:
            given[taking.name] = _model_for(taking, model)
        made = function(**given)
        return await made if inspect.isawaitable(made) else made

    if taking is not None and model is not None:
        _model_for(taking, model)  # what is wrong with the spec shows before anything runs
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
        agent = await self._call()
        if not isinstance(agent, AbstractAsyncContextManager) or hasattr(agent, "on_messages"):
            made.set_result(agent)
            return
        async with agent as inner:
            made.set_result(inner)
            await self._leaving.wait()

    def _adapt(self, made: object) -> Newcomer:
        from normgym_agents.newcomers.adapting import adapt_ready
        from normgym_agents.newcomers.callables import adapt_callable

        if any(kind.__module__.startswith("autogen_") for kind in type(made).__mro__):
            from normgym_agents.newcomers.autogen import own_agent

            return own_agent(made, self._name)
        ready = adapt_ready(made, self._name, self._wiring)
        if ready is not None:
            return ready.factory(self._seed)
        if callable(made):
            return adapt_callable(made)(self._seed)
        raise BadInput(
            f"{self._name} made a {type(made).__qualname__}",
            expected="a graph, an agent, a chat model or a function",
        )


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:  # some builtins have none
        return {}


def _required(parameter: inspect.Parameter) -> bool:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is inspect.Parameter.empty and parameter.kind not in kinds


def _lacking(parameter: inspect.Parameter) -> bool:
    """Whether a parameter has nothing of the owner's in it."""
    return _required(parameter) or parameter.default is None or parameter.default in ([], ())


def _model_for(parameter: inspect.Parameter, spec: str) -> object:
    note = str(parameter.annotation)
    plain = parameter.annotation is str or note.startswith("str")
    if "ChatCompletionClient" in note or (parameter.name == "model_client" and not plain):
        from normgym_agents.newcomers.autogen import make_client

        return make_client(spec)
    if "ChatModel" in note or "Runnable" in note or (parameter.name == "llm" and not plain):
        return make_chat_model(spec)
    return spec
