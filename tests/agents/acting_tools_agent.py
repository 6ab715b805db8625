"""A LangChain agent that its owner gave our tools to act with, beside one of its own."""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from normgym_agents import acting_tools


def remember(note: str) -> str:
    """Write a note to yourself."""
    return f"Noted: {note}"


graph = create_agent(ChatOpenAI(model="gpt-4o-mini"), tools=[remember, *acting_tools()])
