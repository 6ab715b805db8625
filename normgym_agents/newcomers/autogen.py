"""AutoGen agents as newcomers. The only module that imports AutoGen.

An AutoGen agent remembers what it was told and its client belongs to one event loop, so each episode needs
an agent of its own. A ready `AssistantAgent` gets a twin per episode: the same tools and prompts, a new
context and a new client. Its component configuration is not used for the whole of it, because that writes
functions out as source and runs them without their module. Any other ready agent is reset between
episodes, which then take turns with it.
"""

from __future__ import annotations

import asyncio
import copy
import warnings
import weakref
from collections.abc import Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.base import ChatAgent, TaskResult
from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, StructuredMessage, TextMessage
from autogen_core import CancellationToken
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    ModelFamily,
    ModelInfo,
)
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import ValidationError

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers._watching import Watch
from normgym_agents.newcomers.acting import Answer, Usage
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.newcomers.offering import offered
from normgym_agents.worlds.asking import Question
from normgym_agents.worlds.public import Observation, Reply

_NOT_A_COMPONENT = (NotImplementedError, AttributeError, TypeError, ValueError, ValidationError)
"""What AutoGen raises for something that cannot be written out and made again."""


def adapt_agent(agent: object, name: str) -> NewcomerFactory:
    """A factory of newcomers that are this ready agent.

    Args:
        agent: An agent of AutoGen's chat API.
        name: What messages call it.

    Raises:
        BadInput: It is something else of AutoGen, e.g. a team or a model client.
    """
    if not isinstance(agent, ChatAgent):
        kind = type(agent).__name__
        raise BadInput(
            f"{name} is a {kind} of AutoGen",
            expected="an agent, e.g. an AssistantAgent, or a function that makes one",
        )
    if type(agent) is AssistantAgent and _renewed(agent.model_context):
        return lambda _: AgentNewcomer(*_twin(agent))
    turns = _Turns()
    return lambda _: SharedAgentNewcomer(agent, turns)


def own_agent(agent: object, name: str) -> Newcomer:
    """The newcomer that is an agent made for one episode.

    Raises:
        BadInput: As `adapt_agent`.
    """
    adapt_agent(agent, name)
    return AgentNewcomer(agent, own=())  # type: ignore[arg-type] # adapt_agent refuses anything else


def make_client(spec: str) -> ChatCompletionClient:
    """A model client for a spec such as `openai:gpt-4o-mini`.

    Raises:
        BadInput: It is another provider's.
    """
    provider, _, model = spec.partition(":")
    if provider != "openai" or not model:
        raise BadInput(f"no AutoGen client can be made for the model {spec!r}", expected="openai:MODEL")
    try:
        return OpenAIChatCompletionClient(model=model)
    except ValueError:  # a model that AutoGen has not heard of needs to be told what it can do
        info = ModelInfo(
            vision=False,
            function_calling=True,
            json_output=True,
            family=ModelFamily.UNKNOWN,
            structured_output=True,
        )
        return OpenAIChatCompletionClient(model=model, model_info=info)


class AgentNewcomer:
    """An agent in the one episode that it exists for.

    Args:
        agent: The agent.
        own: Clients that were made for it, closed when it leaves.
    """

    def __init__(self, agent: ChatAgent, own: Sequence[ChatCompletionClient]) -> None:
        self._agent, self._own = agent, own
        self._watch = Watch()
        self._cut = False  # whether the last turn did not come to its end

    @property
    def waiting_for_model(self) -> bool:
        """Whether the agent's model was asked in the last turn and has not answered."""
        return self._watch.waiting

    async def join(self, name: str) -> None:
        """Nothing to do: the agent is new."""

    async def turn(self, observation: Observation) -> Reply:
        """Give the agent the text, and read its last message."""
        self._watch = Watch()
        if self._cut:
            await contained(lambda: _close_calls(self._agent))
        self._cut = True
        with self._watch.over(self._agent), offered(observation) as offer:
            result = await contained(lambda: _run(self._agent, observation.text))
        self._cut = False
        return offer.read(_answer(result))

    async def report(self, question: Question) -> str:
        """Ask a twin that remembers the same; the agent itself where there can be none, as nothing follows."""
        agent, own = await contained(self._fork)
        self._watch = Watch()
        try:
            with self._watch.over(agent):
                result = await contained(lambda: _run(agent, question.text))
        finally:
            for client in own:
                await contained(client.close)
        return _answer(result).text

    async def _fork(self) -> tuple[ChatAgent, Sequence[ChatCompletionClient]]:
        agent = self._agent
        if type(agent) is not AssistantAgent or not _renewed(agent.model_context):
            return agent, ()
        twin, own = _twin(agent)
        await twin.load_state(await agent.save_state())
        return twin, own

    async def leave(self) -> None:
        """Close the agent, and what was made for it."""
        await contained(self._agent.close)
        for client in self._own:
            await contained(client.close)


class SharedAgentNewcomer(AgentNewcomer):
    """An agent that several episodes take turns with; `join` waits for the others to leave.

    Args:
        agent: The agent.
        turns: Who is with it, shared by all its newcomers.
    """

    def __init__(self, agent: ChatAgent, turns: _Turns) -> None:
        super().__init__(agent, own=())
        self._turns, self._mine = turns, False

    async def join(self, name: str) -> None:
        """Wait for the agent, then make it forget."""
        await self._turns.here().acquire()
        self._mine = True
        await contained(lambda: self._agent.on_reset(CancellationToken()))

    async def leave(self) -> None:
        """Let the next episode have the agent."""
        if self._mine:
            self._mine = False
            self._turns.here().release()


class _Turns:
    """A lock per event loop, since a lock of asyncio belongs to one."""

    def __init__(self) -> None:
        self._locks: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            weakref.WeakKeyDictionary()
        )

    def here(self) -> asyncio.Lock:
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


async def _run(agent: ChatAgent, text: str) -> TaskResult:
    token = CancellationToken()
    message = TextMessage(content=text, source="user")
    try:
        return await agent.run(task=message, cancellation_token=token)
    finally:
        token.cancel()


async def _close_calls(agent: ChatAgent) -> None:
    """Answer the calls that a turn which was cut off left open: providers refuse a conversation with such."""
    context = getattr(agent, "model_context", None)
    if context is None:
        return
    for message in (await context.get_messages())[-1:]:
        if isinstance(message, AssistantMessage) and isinstance(message.content, list):
            results = [
                FunctionExecutionResult(
                    content="This call was cut off; there is no answer.",
                    call_id=call.id,
                    name=call.name,
                    is_error=True,
                )
                for call in message.content
            ]
            await context.add_message(FunctionExecutionResultMessage(content=results))


def _answer(result: TaskResult) -> Answer:
    if not result.messages:
        raise NewcomerError("the agent returned no message")
    last = result.messages[-1]
    text = last.to_text()
    structured = last.content if isinstance(last, StructuredMessage) else None
    return Answer(text=text, structured=structured, usage=_usage(result.messages))


def _usage(messages: Sequence[BaseAgentEvent | BaseChatMessage]) -> Usage:
    used = [message.models_usage for message in messages if message.models_usage is not None]
    if not used:
        return Usage()
    return Usage(
        model_calls=len(used),
        input_tokens=sum(one.prompt_tokens for one in used),
        output_tokens=sum(one.completion_tokens for one in used),
    )


def _twin(agent: AssistantAgent) -> tuple[AssistantAgent, list[ChatCompletionClient]]:
    """The same agent with nothing in its memory, and the clients that had to be made for it."""
    twin = copy.copy(agent)
    # AutoGen has no public way to copy an agent with its functions; 0.7 is its last line, and pinned.
    twin._model_context = _renewed(agent._model_context)
    client = agent._model_client
    # AutoGen's own clients, and only those that can, come out of a copy with a new connection pool.
    if not hasattr(type(client), "__setstate__"):
        return twin, []
    twin._model_client = copy.copy(client)
    shares_pool = "http_client" in getattr(client, "_raw_config", {})
    return twin, [] if shares_pool else [twin._model_client]


def _renewed(component: Any) -> Any:
    """A fresh component of the same configuration; None where AutoGen cannot make one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a provider's name is a private module's
        try:
            return type(component).load_component(component.dump_component())
        except _NOT_A_COMPONENT:
            return None
