"""Worlds changed on purpose, so that one point of their certificate fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from normgym_agents.worlds.certificate import DayFacts, NotCertified, certify, day_facts
from normgym_agents.worlds.planner import planner_for
from normgym_agents.worlds.world import WorkDay, World
from tests.worlds.making import twin_of

Change = Callable[[World], World]


def fault(world: World, twin: World) -> str:
    with pytest.raises(NotCertified) as caught:
        certify(world, twin)
    return str(caught.value)


def both(world: World, change: Change) -> tuple[World, World]:
    """A world and its twin, changed alike and sealed again, so that their digests fit."""
    return change(world).sealed(), change(twin_of(world)).sealed()


def copied(world: World, **changes: Any) -> World:
    return world.model_copy(update=changes)


def with_budget(budget: int) -> Change:
    def change(world: World) -> World:
        task = world.probe.task.model_copy(update={"budget": budget})
        return copied(world, probe=world.probe.model_copy(update={"task": task}))

    return change


def restated(world: World) -> World:
    """With the stored acts of the probe as the planner finds them now."""
    planner = planner_for(world.probe.stage, world.probe.task, world.setting.verbs)
    facts = day_facts(planner, world.rules, world.probe.task.budget)
    return copied(world, probe=stored_as(world.probe, facts))


def stored_as(day: WorkDay, facts: DayFacts) -> WorkDay:
    return day.model_copy(update={"tempting": facts.tempting, "near_misses": facts.near_misses})
