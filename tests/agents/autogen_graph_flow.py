"""An AutoGen GraphFlow: two look at it from two sides, a third decides."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow
from autogen_ext.models.openai import OpenAIChatCompletionClient

client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
bold = AssistantAgent("bold", model_client=client, system_message="You are the bold one.")
wary = AssistantAgent("wary", model_client=client, system_message="You are the wary one.")
judge = AssistantAgent("judge", model_client=client, system_message="You are the judge.")

builder = DiGraphBuilder()
builder.add_node(bold).add_node(wary).add_node(judge)
builder.add_edge(bold, judge)
builder.add_edge(wary, judge)

flow = GraphFlow(participants=builder.get_participants(), graph=builder.build())
