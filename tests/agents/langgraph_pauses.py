"""Graphs that pause to ask: in words, with an object, a list of requests, at two places at once, for ever."""

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt


def _graph(*nodes, **compiled):
    builder = StateGraph(MessagesState)
    for node in nodes:
        builder.add_node(node)
        builder.add_edge(START, node.__name__)
    return builder.compile(**compiled)


def ask(state: MessagesState) -> dict:
    heard = interrupt("say what now?")
    return {"messages": [("ai", f"say heard {heard}")]}


def ask_with_object(state: MessagesState) -> dict:
    heard = interrupt({"query": "say what now?"})
    return {"messages": [("ai", f"say heard {heard['data']}")]}


def ask_for_approval(state: MessagesState) -> dict:
    approved = interrupt({"question": "say may I?", "draft": "wait"})
    return {"messages": [("ai", "say approved" if approved is True else f"say not {approved}")]}


def ask_with_requests(state: MessagesState) -> dict:
    request = {
        "action_request": {"action": "send_email", "args": {"to": "Mira"}},
        "config": {"allow_accept": True, "allow_respond": True, "allow_ignore": True, "allow_edit": False},
        "description": "say may I wait?",
    }
    heard = interrupt([request])[0]
    return {"messages": [("ai", f"say {heard['type']} {heard['args'] or ''}")]}


def ask_left(state: MessagesState) -> dict:
    return {"messages": [("ai", f"say left {interrupt('say left?')}")]}


def ask_right(state: MessagesState) -> dict:
    return {"messages": [("ai", f"say right {interrupt('which right?')}")]}


def ask_for_ever(state: MessagesState) -> dict:
    while True:
        interrupt("say are you sure?")


words = _graph(ask)
an_object = _graph(ask_with_object)
approval = _graph(ask_for_approval)
requests = _graph(ask_with_requests)
two = _graph(ask_left, ask_right)
for_ever = _graph(ask_for_ever)
