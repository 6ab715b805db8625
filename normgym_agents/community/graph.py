"""The graph driver: the same steps as a LangGraph state graph, compiled once.

Members run side by side, sent by `open_round`; each is a small graph of its own. The graph can be opened,
streamed and checkpointed: its channels hold plain JSON and nothing secret.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send
from typing_extensions import TypedDict

from normgym_agents.community import members, steps
from normgym_agents.community.episode import Backstage, EpisodeState, Interrupted, Json, opening

SUPERSTEPS = len(steps.STEP_NAMES)
"""Supersteps of a round; the members' own graphs count as one."""


def _grow(so_far: list[Json], more: list[Json] | None) -> list[Json]:
    """What is added comes last; None begins anew."""
    return [] if more is None else [*so_far, *more] if more else so_far


class _Channels(TypedDict):
    phase: str
    day: int
    round: int
    log: Annotated[list[Json], _grow]
    intents: Annotated[list[Json], _grow]
    spoken: Annotated[list[Json], _grow]
    plans: list[Json]
    reply: Json | None
    ended: bool


class _MemberChannels(TypedDict):
    member: int
    phase: str
    day: int
    round: int
    log: list[Json]
    plan: Json | None
    due: Json | None
    scene: int | None
    intents: Annotated[list[Json], _grow]
    spoken: Annotated[list[Json], _grow]


class _MemberOutput(TypedDict):
    intents: Annotated[list[Json], _grow]
    spoken: Annotated[list[Json], _grow]


def member_graph(backstage: Backstage | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """One member's round as a graph: perceive → decide → speak."""
    graph = StateGraph(_MemberChannels, context_schema=_context(backstage), output_schema=_MemberOutput)
    previous = START
    for name, step in members.STEPS:
        graph.add_node(name, _node(step, backstage))
        graph.add_edge(previous, name)
        previous = name
    graph.add_edge(previous, END)
    return graph.compile()


def community_graph(backstage: Backstage | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The community as a graph. Invoke it with `opening()`; its channel `log` then holds the episode.

    Args:
        backstage: What the episode is played with; None to give it as the runtime context of each call.
    """
    graph = StateGraph(_Channels, context_schema=_context(backstage))
    graph.add_node("open_round", _node(steps.open_round, backstage))
    graph.add_node("member", member_graph(backstage))
    graph.add_edge(START, "open_round")

    def send(state: EpisodeState, runtime: Runtime[Backstage]) -> list[Send]:
        return [Send("member", due) for due in steps.members_due(backstage or runtime.context, state)]

    graph.add_conditional_edges("open_round", send, ["member"])
    previous = "member"
    for name, step in steps.AFTER_MEMBERS:
        graph.add_node(name, _node(step, backstage))
        graph.add_edge(previous, name)
        previous = name

    def onward(state: EpisodeState) -> str:
        return END if state["ended"] else "open_round"

    graph.add_conditional_edges(previous, onward, ["open_round", END])
    return graph.compile(name="community")


@cache
def _compiled() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph that all episodes share; what differs between them is their context."""
    return community_graph()


async def play_graph(backstage: Backstage) -> list[Json]:
    """Play an episode to its end and return its log.

    Raises:
        Interrupted: A step failed.
    """
    rounds = sum(day.rounds for day in backstage.days)
    config: RunnableConfig = {"recursion_limit": SUPERSTEPS * rounds + 1}
    log: list[Json] = []
    try:
        # Streamed, and not invoked, so that the log of the steps before a failing one is not lost.
        async for state in _compiled().astream(opening(), config, context=backstage, stream_mode="values"):
            log = state.get("log", log)
    except Exception as error:
        raise Interrupted(error, log) from error
    return log


def _context(backstage: Backstage | None) -> type[Backstage] | None:
    """What must be given with each call: nothing, if the graph has its backstage; Studio then asks for none."""
    return Backstage if backstage is None else None


def _node(step: Callable[..., Any], backstage: Backstage | None) -> Callable[..., Any]:
    """A step as a node: its backstage is the one given, else the runtime context of the call."""

    async def run(state: Any, runtime: Runtime[Backstage]) -> Any:
        change = step(backstage or runtime.context, state)
        return await change if inspect.isawaitable(change) else change

    return run
