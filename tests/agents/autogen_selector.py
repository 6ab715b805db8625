"""An AutoGen team in which a model chooses who speaks next."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import TextMentionTermination
from autogen_agentchat.teams import SelectorGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient


def make_team() -> SelectorGroupChat:
    client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
    looker = AssistantAgent("looker", client, description="Sees what is there.", system_message="You look.")
    doer = AssistantAgent(
        "doer",
        client,
        description="Decides what to do.",
        system_message="You decide. End with TERMINATE.",
    )
    return SelectorGroupChat(
        [looker, doer],
        model_client=client,
        selector_prompt="Roles: {roles}\n{history}\nSelect one of {participants} to speak next. Only the name.",
        termination_condition=TextMentionTermination("TERMINATE"),
    )


team = make_team()
