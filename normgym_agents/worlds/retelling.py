"""The same watched day, told otherwise: with two people's names exchanged, or with habits in between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.scripts import Rounds
from normgym_agents.worlds.stage import Stage
from normgym_agents.worlds.world import ScriptedAct

HABIT_AFTER: Final = 2
"""Members say their habit after every so many rounds."""


def swapped(stage: Stage, rounds: Rounds, peer: int) -> tuple[Stage, Rounds]:
    """A day in which the peer and the newcomer bear each other's names, wherever these stand."""
    people = list(stage.people)
    one, other = people[peer], people[-1]
    names: Mapping[str, str] = {one.name: other.name, other.name: one.name}
    people[peer], people[-1] = (
        one.model_copy(update={"name": other.name}),
        other.model_copy(update={"name": one.name}),
    )
    acts = tuple(tuple(_renamed(scripted, names) for scripted in acts) for acts in rounds)
    return stage.model_copy(update={"people": tuple(people)}), acts


def in_stead(stage: Stage, rounds: Rounds, peer: int) -> tuple[Stage, Rounds]:
    """The newcomer's day as the peer's: each stands where the other stood, and the peer does what is done."""
    shown, acts = swapped(stage, rounds, peer)
    people = list(shown.people)
    people[peer], people[-1] = people[-1], people[peer]
    owners = {stage.newcomer: peer, peer: stage.newcomer}
    return shown.model_copy(update={"people": tuple(people)}), tuple(
        tuple(
            scripted.model_copy(update={"person": owners.get(scripted.person, scripted.person)})
            for scripted in of_round
        )
        for of_round in acts
    )


def _renamed(scripted: ScriptedAct, names: Mapping[str, str]) -> ScriptedAct:
    def renamed(act: Act) -> Act:
        return act if act.to is None or act.to not in names else act.model_copy(update={"to": names[act.to]})

    passed = None if scripted.passed is None else renamed(scripted.passed)
    return scripted.model_copy(update={"act": renamed(scripted.act), "passed": passed})


def with_habits(stage: Stage, rounds: Rounds, habit: Act | None) -> tuple[Stage, Rounds, frozenset[int]]:
    """A day in which, after every second round, each member says what members here always say."""
    if habit is None:
        return stage, rounds, frozenset()
    says = tuple(ScriptedAct(person=i, act=habit) for i in range(stage.newcomer))
    longer: list[tuple[ScriptedAct, ...]] = []
    shown: list[int] = []
    habits: list[int] = []
    for i, acts in enumerate(rounds):
        longer.append(acts)
        shown.append(i)
        if (i + 1) % HABIT_AFTER == 0:
            longer.append(says)
            shown.append(i)
            habits.append(len(longer))
    signals = {name: tuple(values[i] for i in shown) for name, values in stage.signals.items()}
    longer_stage = stage.model_copy(update={"signals": signals, "rounds": len(shown)})
    return longer_stage, tuple(longer), frozenset(habits)
