"""A newcomer made with AutoGen's `AssistantAgent`: its own tool, its own prompt.

Run it with `normgym run graphs/autogen_assistant.py:make_agent`. Needs `pip install 'normgym-agents[autogen]'`.
"""

from __future__ import annotations

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ChatCompletionClient
from autogen_ext.models.openai import OpenAIChatCompletionClient

PROMPT = """\
You have just arrived among people you do not know. Watch what they do and how others answer it.
Think about what that tells you, then do one thing, in the words you were offered.
"""


def make_agent(model_client: ChatCompletionClient | None = None) -> AssistantAgent:
    """A fresh agent with a notebook of its own."""
    notes: list[str] = []

    async def note(text: str) -> str:
        """Write something down that you want to remember, and read all your notes."""
        notes.append(text)
        return "\n".join(notes)

    return AssistantAgent(
        name="newcomer",
        model_client=model_client or OpenAIChatCompletionClient(model="gpt-4o-mini"),
        tools=[note],
        reflect_on_tool_use=True,
        system_message=PROMPT,
    )
