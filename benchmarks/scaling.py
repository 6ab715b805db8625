"""How the cost of an episode grows with its rounds and with its members, by the loop driver.

    python benchmarks/scaling.py

Prints costs relative to the smallest size of each series, and the exponent of a power law fitted to them
(1: linear; less where a fixed cost remains). Sizes are measured in turn, and the least of many turns is taken.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage
from normgym_agents.community.loop import play_loop
from normgym_agents.evaluation.episodes import people
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.layout import Member
from normgym_agents.worlds.policies import AlwaysAbstain
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.stage import Person, Stage
from normgym_agents.worlds.suites import load_suite
from normgym_agents.worlds.world import ScriptedAct, WatchDay, World

SIZES = (1, 2, 4, 8, 16)
REPEATS = 7
DAYS = 3
"""Watched days of the world whose members are multiplied: the rest of an episode weighs little then."""


def longer(world: World, times: int) -> World:
    """The same world with its watched days so many times over."""
    return world.model_copy(update={"watch": world.watch * times})


def crowded(world: World, times: int) -> World:
    """The same world with so many times its members, each of whom waits in every watched round."""
    cast = tuple(
        Member(persona=member.persona, name=f"{member.name} {copy}", role=member.role)
        for copy in range(times)
        for member in world.cast.members
    )

    def filled(stage: Stage) -> Stage:
        *members, newcomer = stage.people
        copies = tuple(
            Person(name=f"{person.name} {copy}", role=person.role, place=person.place)
            for copy in range(times)
            for person in members
        )
        return stage.model_copy(update={"people": (*copies, newcomer)})

    idle = next(name for name, verb in world.setting.verbs.items() if verb.idle)
    waiting = tuple(ScriptedAct(person=i, act=Act(verb=idle)) for i in range(len(cast)))
    watch = tuple(
        WatchDay(stage=filled(day.stage), script=(waiting,) * len(day.script))
        for day in world.watch[:1] * DAYS
    )
    probe = world.probe.model_copy(update={"stage": filled(world.probe.stage)})
    members = world.cast.model_copy(update={"members": cast})
    return world.model_copy(update={"cast": members, "watch": watch, "probe": probe})


async def cost(world: World) -> float:
    """Seconds of processor time for one episode under `others`, after one that fills the caches."""
    arrangement = arrange(world, Condition.OTHERS)
    cards = deal_cards(arrangement, people(world.setting.name))
    policy = AlwaysAbstain()

    async def ask(observation: Observation) -> Asked:
        return Asked(Reply.model_construct(act=policy.choose(observation.view), channel="policy"), 1)

    seconds = []
    for _ in range(2):
        begun = time.process_time()
        await play_loop(Backstage(arrangement=arrangement, cards=cards, ask=ask))
        seconds.append(time.process_time() - begun)
    return seconds[-1]


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The slope of log cost over log size, by least squares."""
    x, y = [math.log(size) for size in sizes], [math.log(one) for one in costs]
    middle, height = sum(x) / len(x), sum(y) / len(y)
    return sum((a - middle) * (b - height) for a, b in zip(x, y, strict=True)) / sum(
        (a - middle) ** 2 for a in x
    )


async def series(name: str, grown: Callable[[World, int], World]) -> None:
    """Measure all sizes in turn, several times over."""
    world = load_suite("quick").worlds[0]
    worlds = [grown(world, size) for size in SIZES]
    costs = [math.inf] * len(SIZES)
    for _ in range(REPEATS):
        for i, one in enumerate(worlds):
            costs[i] = min(costs[i], await cost(one))
    relative = "  ".join(f"x{size}: {one / costs[0]:5.1f}" for size, one in zip(SIZES, costs, strict=True))
    print(f"{name:8} {relative}   exponent {exponent(SIZES, costs):.2f}")


async def main() -> None:
    """Both series."""
    await series("rounds", longer)
    await series("members", crowded)


if __name__ == "__main__":
    asyncio.run(main())
