"""How much the two drivers cost per round, against an empty LangGraph graph of the same topology.

    python benchmarks/drivers.py

Prints ratios only: each triple (loop, graph, empty graph) is measured in turn, and the median over many
triples is given, so a machine whose clock drifts gives the same answer.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage
from normgym_agents.community.graph import SUPERSTEPS, play_graph
from normgym_agents.community.loop import play_loop
from normgym_agents.community.members import STEPS as MEMBER_STEPS
from normgym_agents.community.steps import AFTER_MEMBERS
from normgym_agents.evaluation.episodes import people
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.policies import AlwaysAbstain
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.suites import load_suite
from normgym_agents.worlds.world import World

REPEATS = 15


def backstage(world: World, condition: Condition) -> Backstage:
    """An episode with scripted members and a newcomer that costs next to nothing."""
    policy = AlwaysAbstain()

    async def ask(observation: Observation) -> Asked:
        return Asked(Reply.model_construct(act=policy.choose(observation.view), channel="policy"), 1)

    arrangement = arrange(world, condition)
    cards = deal_cards(arrangement, people(world.setting.name))
    return Backstage(arrangement=arrangement, cards=cards, ask=ask)


def empty_graph() -> Callable[[int], Awaitable[Any]]:
    """The community's topology with nothing in its nodes: what LangGraph itself costs."""

    class State(TypedDict):
        round: int
        rounds: int
        intents: Annotated[list[int], lambda old, new: old if new is None else new]

    class MemberState(TypedDict):
        member: int
        intents: Annotated[list[int], lambda old, new: old if new is None else new]

    async def nothing(_: Any) -> dict[str, Any]:
        return {}

    async def count(state: State) -> dict[str, Any]:
        return {"round": state["round"] + 1}

    member = StateGraph(MemberState)
    previous = START
    for name, _ in MEMBER_STEPS:
        member.add_node(name, nothing)
        member.add_edge(previous, name)
        previous = name
    graph = StateGraph(State)
    graph.add_node("open_round", count)
    graph.add_node("member", member.compile())
    graph.add_edge(START, "open_round")
    graph.add_conditional_edges(
        "open_round", lambda _: [Send("member", {"member": i, "intents": []}) for i in range(6)], ["member"]
    )
    previous = "member"
    for name, _ in AFTER_MEMBERS:
        graph.add_node(name, nothing)
        graph.add_edge(previous, name)
        previous = name
    graph.add_conditional_edges(
        previous,
        lambda state: END if state["round"] >= state["rounds"] else "open_round",
        ["open_round", END],
    )
    compiled = graph.compile()

    def play(rounds: int) -> Awaitable[Any]:
        start = {"round": 0, "rounds": rounds, "intents": []}
        return compiled.ainvoke(start, {"recursion_limit": SUPERSTEPS * rounds + 1})

    return play


async def timed(play: Awaitable[Any]) -> float:
    """Seconds of processor time that a coroutine takes."""
    begun = time.process_time()
    await play
    return time.process_time() - begun


async def main() -> None:
    """Measure the probe alone (neutral members) and watching with it (members act in every round)."""
    world = load_suite("quick").worlds[0]
    empty = empty_graph()
    for condition in (Condition.NONE, Condition.OTHERS):
        rounds = world.probe.task.budget
        if condition is Condition.OTHERS:
            rounds += sum(len(day.script) for day in world.watch)
        speedups, overheads, per_round = [], [], []
        await play_graph(backstage(world, condition))
        await empty(rounds)
        for _ in range(REPEATS):
            loop = await timed(play_loop(backstage(world, condition)))
            graph = await timed(play_graph(backstage(world, condition)))
            floor = await timed(empty(rounds))
            speedups.append(graph / loop)
            overheads.append(graph / floor)
            per_round.append(loop / rounds * 1e6)
        print(
            f"{condition.value:7} {rounds:3} rounds: graph / loop {statistics.median(speedups):5.1f}, "
            f"graph / empty graph {statistics.median(overheads):4.2f}, "
            f"loop about {statistics.median(per_round):.0f} µs a round"
        )


if __name__ == "__main__":
    asyncio.run(main())
