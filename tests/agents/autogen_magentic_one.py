"""An AutoGen team in the manner of Magentic-One: an orchestrator plans, keeps a ledger and sums up."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient


def make_team() -> MagenticOneGroupChat:
    client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
    helper = AssistantAgent("helper", model_client=client, system_message="You are the helper.")
    return MagenticOneGroupChat([helper], model_client=client)


team = make_team()
