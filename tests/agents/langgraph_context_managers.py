"""A graph inside of a context manager that keeps something open while it is used."""

from contextlib import asynccontextmanager, contextmanager

from langgraph.graph import START, MessagesState, StateGraph

OPEN = []


def _compile(connection: str):
    def respond(state: MessagesState) -> dict:
        if connection not in OPEN:
            raise RuntimeError("the connection is closed")
        turns = sum(message.type == "human" for message in state["messages"])
        return {"messages": [("ai", f"say turn {turns}")]}

    return StateGraph(MessagesState).add_node("respond", respond).add_edge(START, "respond").compile()


@asynccontextmanager
async def make_graph():
    OPEN.append("async")
    try:
        yield _compile("async")
    finally:
        OPEN.remove("async")


@contextmanager
def make_graph_sync():
    OPEN.append("sync")
    try:
        yield _compile("sync")
    finally:
        OPEN.remove("sync")


async def make_graph_generator():
    OPEN.append("generator")
    yield _compile("generator")
    OPEN.remove("generator")
