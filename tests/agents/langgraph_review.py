"""An agent whose tools a person reviews, through LangChain's middleware."""

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver


def send_word(to: str) -> str:
    """Send word to somebody."""
    return f"sent to {to}"


def make_agent(**review):
    return create_agent(
        ChatOpenAI(model="gpt-4o-mini"),
        tools=[send_word],
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"send_word": True}, **review)],
        checkpointer=InMemorySaver(),
    )


def per_call():
    return make_agent(interrupt_mode="per_call")
