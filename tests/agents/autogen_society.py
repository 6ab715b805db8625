"""An AutoGen society of mind: a team inside of an agent, which sums up in its own words."""

from autogen_agentchat.agents import AssistantAgent, SocietyOfMindAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
inner = RoundRobinGroupChat(
    [
        AssistantAgent("dreamer", model_client=client, system_message="You are the dreamer."),
        AssistantAgent("doubter", model_client=client, system_message="You are the doubter."),
    ],
    termination_condition=MaxMessageTermination(3),
)
agent = SocietyOfMindAgent("society", team=inner, model_client=client)
