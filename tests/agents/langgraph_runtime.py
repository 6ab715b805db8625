"""Graphs that need a context, configured keys, or a store."""

from dataclasses import dataclass
from typing import Any, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.config import get_store
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore


@dataclass
class Defaults:
    greeting: str = "turn"


@dataclass
class User:
    user_id: str


class Loose(TypedDict, total=False):
    greeting: str


def _turns(state: MessagesState) -> int:
    return sum(message.type == "human" for message in state["messages"])


def _graph(node, context=None, **compiled: Any):
    builder = StateGraph(MessagesState, context_schema=context)
    return builder.add_node("respond", node).add_edge(START, "respond").compile(**compiled)


def greet(state: MessagesState, runtime: Runtime[Defaults]) -> dict:
    return {"messages": [("ai", f"say {runtime.context.greeting} {_turns(state)}")]}


def greet_user(state: MessagesState, runtime: Runtime[User]) -> dict:
    return {"messages": [("ai", f"say {runtime.context.user_id} {_turns(state)}")]}


def greet_loosely(state: MessagesState, runtime: Runtime[Loose]) -> dict:
    return {"messages": [("ai", f"say {runtime.context.get('greeting', 'turn')} {_turns(state)}")]}


def greet_configured(state: MessagesState, config: RunnableConfig) -> dict:
    user = config["configurable"]["user_id"]
    return {"messages": [("ai", f"say {user} {_turns(state)}")]}


def count_in_store(state: MessagesState, *, store: BaseStore) -> dict:
    seen = store.get(("turns",), "count")
    count = 1 if seen is None else seen.value["n"] + 1
    store.put(("turns",), "count", {"n": count})
    return {"messages": [("ai", f"say turn {count}")]}


async def count_in_ambient_store(state: MessagesState) -> dict:
    return count_in_store(state, store=get_store())


def no_store_here(state: MessagesState, runtime: Runtime) -> dict:
    return {"messages": [("ai", f"say turn {_turns(state)}")]}


defaults = _graph(greet, Defaults)
user = _graph(greet_user, User)
loose = _graph(greet_loosely, Loose)
configured = _graph(greet_configured)
own_store = _graph(count_in_store, store=InMemoryStore())
needs_store = _graph(count_in_store)
needs_ambient_store = _graph(count_in_ambient_store)
no_store = _graph(no_store_here)
