"""Plain functions as newcomers: words to words, or an observation to an act.

A function that keeps something between its calls keeps it between episodes too; a factory of functions
gives each episode its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers._cleaning import clean
from normgym_agents.newcomers._failures import first_fault
from normgym_agents.newcomers.acting import Answer, read_answer, read_object
from normgym_agents.newcomers.containment import contained, in_thread
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.offering import offered
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import NewcomerView, Observation, Reply


def adapt_callable(function: Callable[..., Any]) -> NewcomerFactory:
    """A factory of newcomers that are this function.

    Args:
        function: Takes the text of an observation, or the `Observation` itself where its parameter is
            annotated so. Returns words, an `Act`, a mapping, a `Reply`, or None to stay silent; may be
            asynchronous. A synchronous one runs in a thread.
    """
    whole = _wants_observation(function)
    asynchronous = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 # asked whether it is a coroutine function, not whether it is callable
    )

    def make(_: int) -> Newcomer:
        return CallableNewcomer(function, whole=whole, asynchronous=asynchronous)

    return make


class CallableNewcomer:
    """A function in one episode.

    Args:
        function: The function.
        whole: Whether it takes the observation and not just its text.
        asynchronous: Whether it is called on the loop.
    """

    def __init__(self, function: Callable[..., Any], *, whole: bool, asynchronous: bool) -> None:
        self._function, self._whole, self._asynchronous = function, whole, asynchronous

    async def join(self, name: str) -> None:
        """Nothing to get ready."""

    async def leave(self) -> None:
        """Nothing to give back."""

    async def turn(self, observation: Observation) -> Reply:
        """Call the function."""
        with offered(observation) as offer:
            result = await self._call(observation)
        if offer.taken:
            return offer.read(Answer(text=result if isinstance(result, str) else ""))
        return reply_from(result, observation.view)

    async def report(self, question: Question) -> str | Sequence[ReportedNorm]:
        """Call the function with the question; whoever wrote it decides whether it tells that from a turn.

        Raises:
            NewcomerError: It returned an act, or something else that is neither words nor norms.
        """
        result = await self._call(
            Observation.model_construct(text=question.text, view=question.view, retry=None)
        )
        if isinstance(result, Reply):
            return result.words
        if isinstance(result, str | list | tuple):
            return result
        raise NewcomerError(f"the agent answered with {type(result).__name__}, and not words or norms")

    async def _call(self, observation: Observation) -> object:
        given = observation if self._whole else observation.text

        async def run() -> object:
            if self._asynchronous:
                return await self._function(given)
            result = await in_thread(lambda: self._function(given))
            return await result if inspect.isawaitable(result) else result

        return await contained(run)


def reply_from(result: object, view: NewcomerView) -> Reply:
    """The reply that a function's result is.

    Raises:
        NewcomerError: It is nothing that could be one.
    """
    if isinstance(result, Reply):
        return _checked(result, view)
    if result is None or isinstance(result, str):
        return read_answer(Answer(text=result or ""), view)
    if isinstance(result, Mapping | BaseModel):
        text = "" if isinstance(result, Act) else str(result)
        return read_answer(Answer(text=text, structured=result), view)
    raise NewcomerError(
        f"the agent returned {type(result).__name__}, and not words, an Act, a mapping or a Reply"
    )


def _checked(reply: Reply, view: NewcomerView) -> Reply:
    """A reply is taken as it is, but for what could not be done or recorded.

    It is validated again, since one that was put together without validation may hold anything.
    """
    try:
        reply = Reply.model_validate(dict(reply))
    except ValidationError as error:
        raise NewcomerError(f"the agent returned a Reply that will not do: {first_fault(error)}") from error
    if (reply.act is None) == (reply.fault is None):
        raise NewcomerError("the agent returned a Reply that has not exactly one of act and fault")
    read = None if reply.act is None else read_object(reply.act, view)
    if isinstance(read, Act):
        return reply.model_copy(update={"act": read, "words": clean(reply.words)})
    fault = clean(reply.fault or "") if read is None else read.text
    return reply.model_copy(update={"act": None, "fault": fault, "words": clean(reply.words)})


def _wants_observation(function: Callable[..., Any]) -> bool:
    try:
        signature = inspect.signature(function)
    except ValueError:  # some builtins have none
        return False
    first = next(iter(signature.parameters.values()), None)
    if first is None:
        return False
    note = first.annotation
    return note is Observation or (isinstance(note, str) and note.rpartition(".")[2] == "Observation")
