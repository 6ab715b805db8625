"""A builder that nobody has compiled."""

from langgraph.graph import START, MessagesState, StateGraph


def respond(state: MessagesState) -> dict:
    turns = sum(message.type == "human" for message in state["messages"])
    return {"messages": [("ai", f"say turn {turns}")]}


builder = StateGraph(MessagesState)
builder.add_node("respond", respond)
builder.add_edge(START, "respond")
