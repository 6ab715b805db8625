"""A LangChain agent whose model calls the same tool for ever."""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI


def ponder(thought: str) -> str:
    """Think about it."""
    return "Go on."


graph = create_agent(ChatOpenAI(model="gpt-4o-mini", max_retries=0), tools=[ponder])
