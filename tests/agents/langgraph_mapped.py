"""A graph with a nested output, whose mapping lies beside it."""

from typing import TypedDict

from langgraph.graph import START, StateGraph
from pydantic import BaseModel


class Request(BaseModel):
    text: str
    language: str = "en"


class Draft(BaseModel):
    answer: str


class State(TypedDict):
    request: Request
    drafts: list[Draft]
    limit: int


def write(state: State) -> dict:
    assert state["request"].text
    drafts = [Draft(answer="say first"), Draft(answer=f"say draft {state['limit']}")]
    return {"drafts": drafts[: state["limit"]]}


graph = StateGraph(State).add_node("write", write).add_edge(START, "write").compile()
