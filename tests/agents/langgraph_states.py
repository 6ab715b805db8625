"""Messages in states of each kind: typed dict, pydantic, dataclass, one list, without a reducer, plain objects."""

import operator
from dataclasses import dataclass, field
from typing import Annotated, TypedDict

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph import START, StateGraph, add_messages
from pydantic import BaseModel


class Dict(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    steps: int


class Model(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages] = []


@dataclass
class Data:
    messages: Annotated[list[AnyMessage], add_messages] = field(default_factory=list)


class Forgetful(TypedDict):
    messages: list[AnyMessage]


class Objects(TypedDict):
    messages: Annotated[list[dict], operator.add]


def _graph(state, node, **kinds):
    return StateGraph(state, **kinds).add_node("respond", node).add_edge(START, "respond").compile()


def _turns(messages) -> int:
    return sum(message.type == "human" for message in messages)


typed_dict = _graph(Dict, lambda s: {"messages": [("ai", f"say turn {_turns(s['messages'])}")], "steps": 1})
pydantic = _graph(Model, lambda s: {"messages": [("ai", f"say turn {_turns(s.messages)}")]})
dataclass_ = _graph(Data, lambda s: {"messages": [("ai", f"say turn {_turns(s.messages)}")]})
one_list = _graph(Annotated[list[AnyMessage], add_messages], lambda s: [("ai", f"say turn {_turns(s)}")])
no_reducer = _graph(
    Forgetful, lambda s: {"messages": s["messages"] + [("ai", f"say turn {_turns(s['messages'])}")]}
)
only_the_reply = _graph(Forgetful, lambda s: {"messages": [("ai", f"say turn {_turns(s['messages'])}")]})
objects = _graph(
    Objects,
    lambda s: {
        "messages": [
            {"role": "assistant", "content": f"say turn {sum(m['role'] == 'user' for m in s['messages'])}"}
        ]
    },
)
in_a_humans_name = _graph(
    Dict, lambda s: {"messages": [HumanMessage(f"say turn {(len(s['messages']) + 1) // 2}", name="coder")]}
)
