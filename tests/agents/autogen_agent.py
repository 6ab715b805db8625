"""An AutoGen agent as people write them: its own tool, its own prompt, its own client."""

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient

NOTES = "Noted"


async def remember(note: str) -> str:
    """Write a note to yourself."""
    return f"{NOTES}: {note}"


def make_agent() -> AssistantAgent:
    return AssistantAgent(
        name="newcomer",
        model_client=OpenAIChatCompletionClient(model="gpt-4o-mini-2024-07-18"),
        tools=[remember],
        reflect_on_tool_use=True,
        system_message="You are a careful newcomer. Do one thing at a time.",
    )


agent = make_agent()
