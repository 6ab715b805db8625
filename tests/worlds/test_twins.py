from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from normgym_agents.norms.hypotheses import HypothesisSpace, enumerate_norms
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Family, Norm
from normgym_agents.worlds.certificate import certify, check_twins
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.enforcement import Enforcement
from normgym_agents.worlds.planner import DayPlanner
from normgym_agents.worlds.stage import Thing
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.twins import MOST_SLACK, find_twins, shape
from normgym_agents.worlds.world import WorkDay, World
from tests.worlds.making import quick, reaches_goal, twin_of, world_of
from tests.worlds.tampering import Change, both, copied, fault, restated, with_budget


def test_each_other_s_norms_are_noticed() -> None:
    world = world_of("000a")
    twin = twin_of(world)
    swapped = (
        copied(world, norms=twin.norms, rival=world.norms).sealed(),
        copied(twin, norms=world.norms, rival=twin.norms).sealed(),
    )
    assert fault(*swapped).startswith("stored: ")


def with_spare_things(world: World) -> World:
    """Two more things that either twin permits, where they make keeping both sets merely dear."""
    stage = world.probe.stage
    spare = next(thing for thing in stage.things if thing.attributes["glaze"] == "pell" and not thing.worked)
    more = tuple(Thing(id=f"x{i}", attributes=spare.attributes, home="cart") for i in (1, 2))
    things = stage.model_copy(update={"things": (*stage.things, *more)})
    return copied(world, probe=world.probe.model_copy(update={"stage": things}))


def test_a_budget_that_lets_a_plan_keep_both_sets_fails() -> None:
    world = world_of("000a")
    tight = both(world, lambda one: restated(with_budget(12)(with_spare_things(one))))
    assert certify(*tight).keeping == 10
    loose = both(world, lambda one: restated(with_budget(13)(with_spare_things(one))))
    assert fault(*loose) == "twin: a plan of 13 acts keeps both norm sets within the budget of 13"


def test_the_same_norms_are_no_twin() -> None:
    world = world_of("000a")
    world = copied(world, rival=world.norms).sealed()
    twin = copied(world, id=world.twin, twin=world.id).sealed()
    assert fault(world, twin).startswith("twin: a plan of 10 acts keeps both")


def test_twins_are_named_as_such() -> None:
    world = world_of("000a")
    assert fault(world, world_of("001b")) == "twin: quick-1-000a and quick-1-001b are not each other's twins"
    assert "not each other's twins" in fault(world, world)


@pytest.mark.parametrize(
    "norms",
    [
        ("forbid take(glaze!=ossin)",),
        ("forbid take",),
        ("forbid take(glaze=ossin)", "forbid give(glaze=ossin)"),
    ],
)
def test_norm_sets_of_another_shape_are_no_twins(norms: tuple[str, ...]) -> None:
    world = world_of("000a")
    odd = copied(twin_of(world), norms=norms).sealed()
    assert fault(copied(world, rival=norms).sealed(), odd) == ("twin: the norm sets are not of one shape")


def _renamed(world: World) -> World:
    return copied(world, setting=world.setting.model_copy(update={"title": "the other yard"}))


def _other_day(day: str, part: str) -> Change:
    def change(world: World) -> World:
        kept: WorkDay = getattr(world, day)
        update: dict[str, Any] = {"sentence": "Do something else."}
        if part == "stage":
            update = {"paths": (*kept.stage.paths[1:], kept.stage.paths[0])}
        return copied(
            world,
            **{day: kept.model_copy(update={part: getattr(kept, part).model_copy(update=update)})},
        )

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_other_day("probe", "stage"), "twin: the days of the twins differ"),
        (_other_day("practise", "stage"), "twin: the days of the twins differ"),
        (_other_day("probe", "task"), "twin: the days of the twins differ"),
        (_other_day("practise", "task"), "twin: the days of the twins differ"),
        (lambda world: copied(world, watch=world.watch[:-1]), "more than the evidence differs (watch)"),
        (lambda world: copied(world, coins="others"), "more than the evidence differs (coins)"),
        (lambda world: copied(world, replay=world.replay[:-1]), "more than the evidence differs (replay)"),
        (lambda world: copied(world, peer=None), "more than the evidence differs (peer)"),
        (
            lambda world: copied(world, rival=world.norms),
            "the rival norms of quick-1-000b are not those of its twin",
        ),
        (
            lambda world: copied(world, cast=world.cast.model_copy(update={"newcomer": "Ada"})),
            "more than the evidence differs (cast)",
        ),
        (
            lambda world: copied(world, enforcement=Enforcement(detection=0.91)),
            "more than the evidence differs (enforcement)",
        ),
        (
            lambda world: copied(
                world, vocabulary=world.vocabulary.model_copy(update={"overseer": world.cast.role})
            ),
            "more than the evidence differs (vocabulary)",
        ),
        (_renamed, "more than the evidence differs (setting)"),
    ],
)
def test_twins_that_show_different_things_fail(change: Change, message: str) -> None:
    world = world_of("000a")
    check_twins(world, twin_of(world))
    assert message in fault(world, change(twin_of(world)).sealed())


@pytest.mark.parametrize("world", quick().worlds[::2], ids=lambda world: world.pair)
def test_no_sequence_of_acts_keeps_both_norm_sets(world: World) -> None:
    """Exhaustive and without the planner: what the certificate says of costs and of twins."""
    assert world.certificate is not None
    blind, keeping = world.certificate.blind, world.certificate.keeping
    yard, task = Yard(world.probe.stage, world.setting.verbs), world.probe.task
    for norms, cost in (((), blind), (world.parsed, keeping)):
        assert not reaches_goal(yard, task, norms, cost - 1)
        assert reaches_goal(yard, task, norms, cost)
    assert not reaches_goal(yard, task, (*world.parsed, *twin_of(world).parsed), task.budget)


@pytest.mark.parametrize(("size", "family"), [(1, Family.PROHIBITION), (2, Family.SEQUENCE)])
def test_found_twins_are_what_was_asked_for(size: int, family: Family) -> None:
    world = world_of("001a")
    yard, task = Yard(world.probe.stage, world.setting.verbs), world.probe.task
    assert world.certificate is not None
    blind = world.certificate.blind
    planner = DayPlanner(yard, task, blind + 4)
    space = HypothesisSpace(enumerate_norms(world.vocabulary))
    table = space.table(planner.moments)
    found = list(find_twins(planner, space, table, size, family, blind, Draws("twins")))
    assert found == list(find_twins(planner, space, table, size, family, blind, Draws("twins")))
    assert len(found) >= 3
    slacks = []
    for twins in found:
        one, other = ([space.norms[i] for i in side] for side in (twins.one, twins.other))
        assert len(one) == len(other) == size
        assert not set(twins.one) & set(twins.other)
        assert sorted(repr(shape(norm)) for norm in one) == sorted(repr(shape(norm)) for norm in other)
        assert family in {norm.family for norm in one}
        rows = np.array(
            [HypothesisSpace(norms).broken(planner.moments) for norms in (one, other, one + other)]
        )
        mine, theirs, joint = planner.costs(rows).tolist()
        assert blind < min(mine, theirs)
        assert max(mine, theirs) <= twins.budget <= planner.horizon + MOST_SLACK
        assert joint > twins.budget
        slacks.append(twins.budget - max(mine, theirs))
    assert slacks == sorted(slacks, reverse=True)
    assert max(slacks) <= MOST_SLACK
    norms = [n for i in (*found[0].one, *found[0].other) if isinstance(n := space.norms[i], Norm)]
    assert len(norms) == 2 * size
    assert not reaches_goal(yard, task, norms, found[0].budget)


def test_shapes_tell_negations_and_kinds_apart() -> None:
    texts = [
        "forbid take",
        "forbid give",
        "forbid take(glaze=iron)",
        "forbid take(glaze!=iron)",
        "forbid take when bell=still",
        "forbid take when present(keeper)",
        "forbid take when not present(keeper)",
        "forbid take for keeper",
        "forbid take for not keeper",
        "forbid take before greet(role=keeper)",
        "forbid take after greet(role=keeper)",
    ]
    shapes = [shape(parse_norm(text)) for text in texts]
    assert len(set(shapes)) == len(texts)
    assert shape(parse_norm("forbid take(mark=barred) when lamp=lit")) == shape(
        parse_norm("forbid take(glaze=ash) when bell=still")
    )
