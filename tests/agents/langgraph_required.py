"""A graph whose state needs a key of its own beside the messages."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from pydantic import BaseModel
from typing_extensions import TypedDict


class Known(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    user_name: str


class Strict(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages]
    user_name: str


def greet(state):
    name = state["user_name"] if isinstance(state, dict) else state.user_name
    return {"messages": [("ai", f"say I am {name}")]}


def _graph(state):
    return StateGraph(state).add_node("greet", greet).add_edge(START, "greet").compile()


typed_dict = _graph(Known)
pydantic = _graph(Strict)
