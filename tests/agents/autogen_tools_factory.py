"""An AutoGen factory that takes its tools."""

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient


def make_agent(tools: list) -> AssistantAgent:
    return AssistantAgent("newcomer", OpenAIChatCompletionClient(model="gpt-4o-mini-2024-07-18"), tools=tools)
