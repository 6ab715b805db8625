"""A LangChain agent as people write them: its own tool, its own prompt, its own model."""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI


def remember(note: str) -> str:
    """Write a note to yourself."""
    return f"Noted: {note}"


graph = create_agent(
    ChatOpenAI(model="gpt-4o-mini"),
    tools=[remember],
    system_prompt="You are a careful newcomer. Do one thing at a time.",
)
