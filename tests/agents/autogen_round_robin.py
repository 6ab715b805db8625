"""An AutoGen team: a writer and a critic take turns until the critic approves."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient

model_client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)


def get_team() -> RoundRobinGroupChat:
    writer = AssistantAgent(
        "writer", model_client=model_client, system_message="You are the writer. Say what to do next."
    )
    critic = AssistantAgent(
        "critic",
        model_client=model_client,
        system_message="You are the critic. Respond with 'APPROVE' when the step is right.",
    )
    termination = TextMentionTermination("APPROVE") | MaxMessageTermination(10)
    return RoundRobinGroupChat([writer, critic], termination_condition=termination)


team = get_team()
