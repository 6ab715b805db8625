"""A research graph with keys of its own, which carry over if a thread is used twice."""

import operator
from typing import Annotated, TypedDict

from langgraph.graph import END, START, StateGraph


class ResearchState(TypedDict):
    research_topic: str
    notes: Annotated[list[str], operator.add]
    running_summary: str


def take_notes(state: ResearchState) -> dict:
    return {"notes": [state["research_topic"][:20]]}


def summarize(state: ResearchState) -> dict:
    return {"running_summary": f"say {len(state['notes'])} notes"}


builder = StateGraph(ResearchState)
builder.add_node(take_notes)
builder.add_node(summarize)
builder.add_edge(START, "take_notes")
builder.add_edge("take_notes", "summarize")
builder.add_edge("summarize", END)
graph = builder.compile()
