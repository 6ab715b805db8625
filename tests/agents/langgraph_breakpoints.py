"""Graphs that stand still before a node, without a word: before their tools, and where a person would speak."""

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph


def model(state: MessagesState) -> dict:
    last = state["messages"][-1]
    turns = sum(message.type == "human" for message in state["messages"])
    if isinstance(last, ToolMessage):
        return {"messages": [AIMessage(f"say turn {turns}")]}
    call = {"name": "lookup", "args": {}, "id": f"call-{turns}"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def tools(state: MessagesState) -> dict:
    return {"messages": [ToolMessage("found", tool_call_id=state["messages"][-1].tool_calls[0]["id"])]}


def route(state: MessagesState) -> str:
    return "tools" if state["messages"][-1].tool_calls else END


builder = StateGraph(MessagesState)
builder.add_node(model)
builder.add_node(tools)
builder.add_edge(START, "model")
builder.add_conditional_edges("model", route)
builder.add_edge("tools", "model")
before_tools = builder.compile(checkpointer=InMemorySaver(), interrupt_before=["tools"])


def chat(state: MessagesState) -> dict:
    turns = sum(message.type == "human" for message in state["messages"])
    return {"messages": [("ai", f"say turn {turns}")]}


def human(state: MessagesState) -> None:
    pass


loop = StateGraph(MessagesState)
loop.add_node(chat)
loop.add_node(human)
loop.add_edge(START, "chat")
loop.add_edge("chat", "human")
loop.add_edge("human", "chat")
before_human = loop.compile(checkpointer=InMemorySaver(), interrupt_before=["human"])
