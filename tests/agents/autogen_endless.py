"""An AutoGen team that nobody told when to stop."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

model_client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
planner = AssistantAgent("planner", model_client, system_message="You are the planner.")
actor = AssistantAgent("actor", model_client, system_message="You are the actor.")

team = RoundRobinGroupChat([planner, actor])
