"""Functions that make the graph: synchronous, asynchronous, taking a run configuration or tools."""

import asyncio
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph


def _compile(greeting: str) -> CompiledStateGraph:
    def respond(state: MessagesState) -> dict:
        turns = sum(message.type == "human" for message in state["messages"])
        return {"messages": [("ai", f"say {greeting} {turns}")]}

    return StateGraph(MessagesState).add_node("respond", respond).add_edge(START, "respond").compile()


def make_graph() -> CompiledStateGraph:
    return _compile("turn")


async def make_graph_async() -> CompiledStateGraph:
    await asyncio.sleep(0)
    return _compile("turn")


def make_graph_with_loop() -> CompiledStateGraph:
    """As people fetch the tools of an MCP server."""
    return asyncio.run(make_graph_async())


def make_graph_from_config(config: RunnableConfig) -> CompiledStateGraph:
    return _compile(config.get("configurable", {}).get("greeting", "turn"))


def make_graph_from_cfg(cfg):
    return _compile(cfg["configurable"].get("greeting", "turn"))


def make_graph_from_tools(tools: Sequence[BaseTool]) -> CompiledStateGraph:
    """Calls the tool `say`, whatever else it is given."""
    say = next(tool for tool in tools if tool.name == "say")

    async def respond(state: MessagesState) -> dict:
        turns = sum(message.type == "human" for message in state["messages"])
        return {"messages": [("ai", await say.ainvoke({"words": f"turn {turns}"}))]}

    return StateGraph(MessagesState).add_node("respond", respond).add_edge(START, "respond").compile()
