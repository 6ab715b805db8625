"""Functional entrypoints, with and without a memory of their own."""

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import add_messages


@task
def call_model(messages: list[BaseMessage]) -> AIMessage:
    turns = sum(message.type == "human" for message in messages)
    return AIMessage(f"say turn {turns}")


@entrypoint(checkpointer=InMemorySaver())
def agent(messages: list[BaseMessage], *, previous: list[BaseMessage] | None = None):
    """Saves the conversation, returns only what is new."""
    messages = add_messages(previous or [], messages)
    response = call_model(messages).result()
    return entrypoint.final(value=[response], save=add_messages(messages, response))


@entrypoint()
async def without_checkpointer(messages: list[BaseMessage], *, previous: Any = None):
    messages = add_messages(previous or [], messages)
    messages = add_messages(messages, await call_model(messages))
    return entrypoint.final(value=messages[-1], save=messages)


@entrypoint()
def without_memory(messages):
    """Is told all of the conversation each time."""
    return call_model(messages).result()


@entrypoint()
def of_a_dict(inputs: dict) -> dict:
    return {"messages": [call_model(inputs["messages"]).result()]}


@entrypoint()
def of_words(text: str, *, previous: int = 0) -> str:
    turn = (previous or 0) + 1
    return entrypoint.final(value=f"say turn {turn}", save=turn)
