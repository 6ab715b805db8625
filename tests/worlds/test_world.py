from __future__ import annotations

import pytest

from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.world import World
from tests.worlds.making import quick, twin_of, world_of


@pytest.fixture
def world() -> World:
    return world_of("000a")


def test_bundled_digests_fit_their_content() -> None:
    for world in quick().worlds:
        assert world.digest == world.computed_digest()
        assert World.model_validate_json(world.model_dump_json()) == world


@pytest.mark.parametrize(
    "changes",
    [
        {"norms": ("forbid take",)},
        {"coins": "others"},
        {"seed": (2, 0)},
        {"watch": ()},
        {"enforcement": Enforcement(detection=0.8)},
        {"setting": {"title": "the other yard"}},
        {"probe": {"near_misses": ()}},
        {"probe": {"tempting": ((Act(verb="wait"),),)}},
        {"schema_version": 2},
    ],
)
def test_a_digest_covers_all_that_can_change_a_score(world: World, changes: dict) -> None:
    for name, change in changes.items():
        if isinstance(change, dict):
            changes = {name: getattr(world, name).model_copy(update=change)}
    assert world.model_copy(update=changes).computed_digest() != world.digest


def test_a_digest_leaves_out_what_follows_from_the_rest(world: World) -> None:
    assert world.model_copy(update={"certificate": None, "digest": ""}).sealed().digest == world.digest


def test_a_copy_has_nothing_of_the_old_content(world: World) -> None:
    assert [norm.act.literals[0].value for norm in world.parsed] == ["brack"]
    assert world.yard(Phase.PROBE).stage is world.probe.stage
    stage = world.probe.stage
    assert stage.neighbours
    moved = stage.model_copy(update={"paths": stage.paths[:-1]})
    assert moved.neighbours != stage.neighbours
    copied = world.model_copy(
        update={"norms": ("forbid wait",), "probe": world.probe.model_copy(update={"stage": moved})}
    )
    assert [norm.act.verb for norm in copied.parsed] == ["wait"]
    assert copied.yard(Phase.PROBE).stage is moved
    assert world.yard(Phase.PROBE).stage is stage


def test_days_by_phase(world: World) -> None:
    assert world.day(Phase.PROBE) is world.probe
    assert world.day(Phase.PRACTISE) is world.practise
    assert world.yard(Phase.PRACTISE).stage is world.practise.stage
    assert [world.yard(Phase.WATCH, i).stage for i in range(len(world.watch))] == [
        day.stage for day in world.watch
    ]
    assert world.yard(Phase.PROBE) is world.yard(Phase.PROBE)


def test_twins_share_all_but_norms_and_what_follows_from_them(world: World) -> None:
    one, other = world.model_dump(), twin_of(world).model_dump()
    assert {name for name in one if one[name] != other[name]} == {
        "id",
        "twin",
        "norms",
        "rival",
        "choices",
        "certificate",
        "digest",
        "probe",
        "practise",
    }
    assert (one["rival"], other["rival"]) == (other["norms"], one["norms"])
    for day in ("probe", "practise"):
        assert {name for name in one[day] if one[day][name] != other[day][name]} <= {
            "tempting",
            "near_misses",
        }


def test_conditions_differ_in_their_evidence_alone() -> None:
    odd = {
        Condition.LIVE: (Phase.WATCH, Phase.PRACTISE, Phase.PROBE),
        Condition.NONE: (Phase.PROBE,),
        Condition.TOLD: (Phase.PROBE,),
        Condition.OWN: (Phase.PRACTISE, Phase.PROBE),
    }
    for condition in Condition:
        assert condition.phases == odd.get(condition, (Phase.WATCH, Phase.PROBE))
        assert condition.summary
