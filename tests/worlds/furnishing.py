"""Worlds that hold what every condition shows: what theirs lack is made by hand, from the days that are watched."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.programme import peer_of
from normgym_agents.worlds.settings import Slot
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.world import ScriptedAct, WatchDay, World
from tests.worlds.making import quick, twin_of

HABITS = ("As the river bends, so do we.", "Mind the step.")

Pick = Callable[[Yard, State, int, Ground, int], ScriptedAct | None]
"""What becomes of a scripted act: yard, state, person, act and round."""


@cache
def furnished(name: str) -> World:
    """A world of the quick suite with all that it may lack."""
    world = next(world for world in quick().worlds if world.id.endswith(name))
    peer = peer_of(world)
    assert peer is not None
    setting = world.setting.model_copy(update={"habits": world.setting.habits or HABITS})
    return world.model_copy(
        update={
            "setting": setting,
            "rival": twin_of(world).norms,
            "peer": peer,
            "replay": world.replay or tuple(_retold(world, day, _only(peer)) for day in world.watch),
            "choices": world.choices or tuple(_retold(world, day, _chosen(world)) for day in world.watch[:2]),
        }
    )


def _retold(world: World, day: WatchDay, pick: Pick) -> WatchDay:
    """The day with what is picked of its acts, as far as that stays possible."""
    yard, state = Yard(day.stage, world.setting.verbs), day.stage.morning()
    script = []
    for number, acts in enumerate(day.script, start=1):
        kept = []
        for scripted in acts:
            ground = yard.ground(scripted.act)
            if ground is None or not yard.possible(state, scripted.person, ground):
                continue
            picked = pick(yard, state, scripted.person, ground, number)
            if picked is not None:
                kept.append(picked)
                state = yard.step(state, scripted.person, ground)
        script.append(tuple(kept))
    return day.model_copy(update={"script": tuple(script)})


def _only(peer: int) -> Pick:
    def pick(_: Yard, __: State, person: int, ground: Ground, ___: int) -> ScriptedAct | None:
        return ScriptedAct(person=person, act=ground.act) if person == peer else None

    return pick


def _chosen(world: World) -> Pick:
    """Acts that keep the norms, each with another one that was open beside it, every second one easier."""

    def pick(yard: Yard, state: State, person: int, ground: Ground, number: int) -> ScriptedAct | None:
        moment = yard.moment(state, person, ground, number)
        if world.rules.violates(moment):
            return None
        open_now = [g.act for g in yard.available(state, person) if Slot.WORDS not in g.verb.slots]
        passed: Act | None = next((act for act in open_now if act != ground.act), None)
        easier = passed is not None and number % 2 == 0
        return ScriptedAct(person=person, act=ground.act, passed=passed, easier=easier)

    return pick
