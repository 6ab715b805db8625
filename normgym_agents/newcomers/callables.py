"""Plain functions as newcomers: words to words, an observation or a view to an act, a conversation to messages.

A function that keeps something between its calls keeps it between episodes too; a factory of functions
gives each episode its own.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import BaseModel, ValidationError

from normgym_agents.errors import NewcomerError, NoAnswer
from normgym_agents.newcomers._cleaning import clean
from normgym_agents.newcomers._failures import first_fault
from normgym_agents.newcomers._taking import (
    Pieces,
    Takes,
    gathered,
    gathered_async,
    on_the_loop,
    taken_by,
    whole_of,
)
from normgym_agents.newcomers.acting import Answer, read_answer, read_object
from normgym_agents.newcomers.containment import contained, in_thread
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.conversing import Conversation
from normgym_agents.newcomers.offering import offered
from normgym_agents.newcomers.talking import MESSAGES, Place, Talk
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.asking import Question, ReportedNorm
from normgym_agents.worlds.public import NewcomerView, Observation, Reply


def adapt_callable(function: Callable[..., Any], name: str = "the function") -> NewcomerFactory:
    """A factory of newcomers that are this function.

    Args:
        function: Takes the text of an observation, or what its parameter is annotated with: the `Observation`
            itself, its `NewcomerView`, or the conversation so far as a list of messages. Returns words, an
            `Act`, a mapping, a `Reply`, messages, or None to stay silent; or gives these piece by piece. It may be
            asynchronous; a synchronous one runs in a thread.
        name: What messages call it.

    Raises:
        BadInput: It cannot be called with one argument.
    """
    takes, place = taken_by(function, name)
    return lambda _: CallableNewcomer(function, takes, place)


class CallableNewcomer:
    """A function in one episode.

    Args:
        function: The function.
        takes: What it is given.
        place: In which form.
    """

    def __init__(self, function: Callable[..., Any], takes: Takes, place: Place) -> None:
        self._function, self._takes = function, takes
        self._asynchronous = on_the_loop(function)
        self._conversation = Conversation(Talk(told=place, whole=True, resends=True, further={}))

    async def join(self, name: str) -> None:
        """Nothing to get ready."""

    async def leave(self) -> None:
        """Nothing to give back."""

    async def turn(self, observation: Observation) -> Reply:
        """Call the function."""
        with offered(observation) as offer:
            result = await self._call(observation, self._conversation)
            if _is_talk(result) or (self._takes == "talk" and isinstance(result, str)):
                return offer.read(_heard(result, self._conversation))
        if offer.taken:
            return offer.read(Answer(text=result if isinstance(result, str) else ""))
        return reply_from(result, observation.view)

    async def report(self, question: Question) -> str | Sequence[ReportedNorm]:
        """Call the function with the question; whoever wrote it decides whether it tells that from a turn.

        Raises:
            NoAnswer: It returned an act, or something else that is neither words nor norms.
        """
        asked = Observation.model_construct(text=question.text, view=question.view, retry=None)
        result = await self._call(asked, self._conversation.fork())
        if isinstance(result, Reply):
            return result.words
        if _is_talk(result):
            return _heard(result, self._conversation.fork()).text
        if isinstance(result, str | list | tuple):
            return result
        raise NoAnswer(f"the agent answered with {type(result).__name__}, and not words or norms")

    async def _call(self, observation: Observation, conversation: Conversation) -> object:
        given: object = observation.text
        if self._takes != "text":
            given = observation if self._takes == "observation" else observation.view
        if self._takes == "talk":
            given = conversation.say(observation.text)

        def call() -> object:
            result = self._function(given)
            return gathered(result) if isinstance(result, Iterator) else result

        async def run() -> object:
            result = self._function(given) if self._asynchronous else await in_thread(call)
            if inspect.isawaitable(result):
                result = await result
            if isinstance(result, AsyncIterator):
                return whole_of(await gathered_async(result), observation.view)
            if isinstance(result, Iterator):
                result = gathered(result)
            return whole_of(result, observation.view) if isinstance(result, Pieces) else result

        return await contained(run)


def _is_talk(result: object) -> bool:
    """Whether a function gave messages, as frameworks and providers have them."""
    if isinstance(result, Mapping) and MESSAGES in result:
        return True
    listed = result if isinstance(result, list | tuple) else [result]
    return bool(listed) and all(
        isinstance(one, BaseMessage) or (isinstance(one, Mapping) and {"role", "content"} <= set(one))
        for one in listed
    )


def _heard(result: object, conversation: Conversation) -> Answer:
    one = isinstance(result, Mapping) and MESSAGES not in result
    heard = conversation.hear([result] if one else result)
    return Answer(text=heard.text, structured=heard.structured, calls=[call[1:] for call in heard.calls])


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
