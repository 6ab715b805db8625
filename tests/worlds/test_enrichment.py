from __future__ import annotations

import numpy as np
import pytest

from normgym_agents.norms.likelihood import choice_likelihood
from normgym_agents.worlds.channels import Proof, planner_of
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.draws import uniform
from normgym_agents.worlds.enrichment import (
    CHOICE_DAYS,
    CHOICE_ROUNDS,
    MEMBERS_CHOOSE,
    REPLAY_DAYS,
    REPLAY_ROUNDS,
    enrich,
)
from normgym_agents.worlds.families import in_turn
from normgym_agents.worlds.rollout import watched
from normgym_agents.worlds.scripts import Script
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.world import World
from tests.worlds.making import quick, twin_of, world_of

WORLDS = quick().worlds


@pytest.mark.parametrize("world", WORLDS[::2], ids=lambda world: world.id)
def test_only_a_peer_of_the_newcomers_role_acts_in_what_is_replayed(world: World) -> None:
    assert world.peer is not None
    assert world.cast.members[world.peer].role == world.cast.role
    assert 1 <= len(world.replay) <= REPLAY_DAYS
    for day in world.replay:
        assert 1 <= len(day.script) <= REPLAY_ROUNDS
        assert all([scripted.person for scripted in acts] == [world.peer] for acts in day.script)


@pytest.mark.parametrize("world", WORLDS[::2], ids=lambda world: world.id)
def test_twins_are_each_others_rivals_and_are_answered_otherwise(world: World) -> None:
    twin = twin_of(world)
    assert (world.rival, twin.rival) == (twin.norms, world.norms)
    mine, theirs = (watched(one, Condition.REPLAY_OTHERS) for one in (world, twin))
    assert [event.act for event in mine] == [event.act for event in theirs]
    assert [bool(event.answers) for event in mine] != [bool(event.answers) for event in theirs]


@pytest.mark.parametrize("world", WORLDS[::3], ids=lambda world: world.id)
def test_members_choose_as_the_norms_and_the_coins_have_it(world: World) -> None:
    """Every choice again: who breaks what follows from the norms, what is taken from one coin."""
    assert 1 <= len(world.choices) <= CHOICE_DAYS
    withstood = tempted = 0
    for number, day in enumerate(world.choices, start=1):
        assert 1 <= len(day.script) <= CHOICE_ROUNDS
        for scene in Script("choices", Yard(day.stage, world.setting.verbs), day.script).scenes:
            assert scene.passed is not None
            taken, passed = (world.rules.violates(m) for m in (scene.moment, scene.passed))
            easier, dearer = (passed, taken) if scene.easier else (taken, passed)
            chance = choice_likelihood(MEMBERS_CHOOSE, easier=True)[int(dearer) + 2 * int(easier)]
            coin = uniform("chosen", world.coins, number, scene.round, scene.person)
            assert scene.easier == (coin < chance)
            if easier and not dearer:
                tempted += 1
                withstood += scene.easier
    assert tempted >= 3
    assert withstood >= tempted / 2


def test_choices_tell_by_what_is_passed_over() -> None:
    world = world_of("000a")
    proof = Proof(world, planner_of(world, world.probe))
    events = watched(world, Condition.COMPLIANCE)
    assert not any(event.answers for event in events)
    whole = proof.posterior(proof.after(events))
    assert world.certificate is not None
    assert round(whole, 4) == world.certificate.channels[Condition.COMPLIANCE].identified
    turned = [event.model_copy(update={"easier": not event.easier}) for event in events]
    assert proof.posterior(proof.after(turned)) < whole / 2


def test_where_norms_change_by_themselves_nothing_is_added() -> None:
    world, twin = WORLDS[:2]
    plain = [
        one.model_copy(
            update={
                "norms": in_turn(one.norms, other.norms, announced=False),
                "rival": (),
                "replay": (),
                "choices": (),
                "peer": None,
            }
        )
        for one, other in ((world, twin), (twin, world))
    ]
    found = enrich((plain[0], plain[1]))
    assert found == (plain[0].sealed(), plain[1].sealed())
    assert found[0].rules.changes == (2,)


def test_both_ends_of_a_choice_are_open_at_once() -> None:
    for world in WORLDS[1::4]:
        events = watched(world, Condition.COMPLIANCE)
        assert all(event.passed is not None and event.passed.role == event.role for event in events)
        assert np.mean([event.easier for event in events]) < 0.9
