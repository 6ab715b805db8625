"""Functions that make an AutoGen agent or team: given a model client, a way to ask the user, or tools."""

from collections.abc import Awaitable, Callable
from typing import Any

from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken
from autogen_core.models import ChatCompletionClient
from autogen_ext.models.openai import OpenAIChatCompletionClient


def by_name(model_client):
    return AssistantAgent("assistant", model_client=model_client)


def by_annotation(model: ChatCompletionClient) -> AssistantAgent:
    return AssistantAgent("assistant", model_client=model)


async def asynchronous(model_client: ChatCompletionClient) -> RoundRobinGroupChat:
    return RoundRobinGroupChat([AssistantAgent("assistant", model_client=model_client)], max_turns=1)


async def with_person(
    input_func: Callable[[str, CancellationToken | None], Awaitable[str]],
) -> RoundRobinGroupChat:
    client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06")
    assistant = AssistantAgent("assistant", model_client=client)
    person = UserProxyAgent("person", input_func=input_func)
    return RoundRobinGroupChat([assistant, person], termination_condition=TextMentionTermination("exit"))


def with_tools(tools: list[Any]) -> RoundRobinGroupChat:
    return _build(tools)


def _build(tools: list[Any]) -> RoundRobinGroupChat:
    client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06")
    return RoundRobinGroupChat([AssistantAgent("assistant", model_client=client, tools=tools)], max_turns=1)
