from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from normgym_agents.norms.hypotheses import HypothesisSpace, enumerate_norms
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.policies import (
    NEGLIGIBLE,
    AlwaysAbstain,
    CopyMajority,
    IdealObserverPolicy,
    MemoriseOwnSanctions,
    NormBlind,
    Random,
    ToldOracle,
    idle,
)
from normgym_agents.worlds.public import Answer, NewcomerView, PublicEvent, PublicSanction
from normgym_agents.worlds.rollout import play, watched
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.views import newcomer_view, public_event
from normgym_agents.worlds.world import World
from tests.worlds.making import quick, world_of


def view_of(
    world: World,
    phase: Phase,
    *,
    state: State | None = None,
    number: int = 1,
    events: tuple[PublicEvent, ...] = (),
    told: tuple[str, ...] = (),
    announced: tuple[int, ...] = (),
) -> NewcomerView:
    day = world.day(phase)
    return newcomer_view(
        setting=world.setting,
        vocabulary=world.vocabulary,
        yard=world.yard(phase),
        state=day.stage.morning() if state is None else state,
        task=day.task,
        day=len(world.watch) + 1,
        round_number=number,
        events=events,
        new_events=len(events),
        told=told,
        announced=announced,
    )


def happened(world: World, phase: Phase, act: Act, *, actor: str, answered: bool = False) -> PublicEvent:
    """An act of the newcomer in the first round of the day, told as somebody's."""
    yard = world.yard(phase)
    ground = yard.ground(act)
    assert ground is not None
    me = yard.stage.newcomer
    event = public_event(world.setting, yard, yard.stage.morning(), me, ground, day=1, round_number=1)
    answers = (PublicSanction(member="Mira", whom=actor, answer=Answer.GESTURE),) if answered else ()
    return event.model_copy(update={"actor": actor, "answers": answers})


@pytest.fixture
def world() -> World:
    """The newcomer starts its day of practice where a thing can be taken."""
    return world_of("001a")


def first_take(world: World, phase: Phase) -> tuple[State, int, Act]:
    """How things stand when the norm-blind plan first takes something, and that act."""
    yard, state = world.yard(phase), world.day(phase).stage.morning()
    for number in range(1, world.day(phase).task.budget + 1):
        act = NormBlind().choose(view_of(world, phase, state=state, number=number))
        if act.verb == "take":
            return state, number, act
        ground = yard.ground(act)
        assert ground is not None
        state = yard.step(state, yard.stage.newcomer, ground)
    raise AssertionError("the norm-blind plan takes nothing")


def test_idling_is_always_possible(world: World) -> None:
    view = view_of(world, Phase.PROBE)
    assert idle(view) == Act(verb="wait")
    assert idle(view) in view.available
    assert AlwaysAbstain().choose(view) == idle(view)


def test_where_no_plan_is_left_nothing_is_done(world: World) -> None:
    last = world.probe.task.budget
    assert NormBlind().choose(view_of(world, Phase.PROBE, number=last)) == Act(verb="wait")


def test_random_acts_are_possible_and_hang_on_the_seed(world: World) -> None:
    view = view_of(world, Phase.PROBE)
    chosen = Counter(Random(seed).choose(view) for seed in range(400))
    assert set(chosen) == set(view.available)
    assert Random(5).choose(view) == Random(5).choose(view)


def test_the_told_avoid_what_they_are_told(world: World) -> None:
    state, number, act = first_take(world, Phase.PROBE)
    view = view_of(world, Phase.PROBE, state=state, number=number)
    ground = world.yard(Phase.PROBE).ground(act)
    assert ground is not None
    glaze = dict(ground.slots)["glaze"]
    told = view_of(world, Phase.PROBE, state=state, number=number, told=(f"forbid take(glaze={glaze})",))
    assert ToldOracle().choose(view) == act
    assert ToldOracle().choose(told) != act
    # Told, there is nothing left to infer.
    assert IdealObserverPolicy(world.enforcement.rates).choose(told) == ToldOracle().choose(told)


def test_a_sanction_of_one_s_own_is_remembered_for_the_same_looks_only(world: World) -> None:
    phase = Phase.PRACTISE
    state, number, act = first_take(world, phase)
    yard = world.yard(phase)
    ground = yard.ground(act)
    assert ground is not None
    me = yard.stage.newcomer
    event = public_event(world.setting, yard, state, me, ground, day=1, round_number=number)
    answer = PublicSanction(member="Mira", whom=event.actor, answer=Answer.REBUKE)
    burnt = event.model_copy(update={"answers": (answer,)})

    def choose(event: PublicEvent) -> Act:
        return MemoriseOwnSanctions().choose(
            view_of(world, phase, state=state, number=number, events=(event,))
        )

    assert choose(burnt) != act
    assert choose(event) == act
    assert choose(burnt.model_copy(update={"actor": "Mira"})) == act
    elsewhere = burnt.model_copy(update={"moment": burnt.moment._replace(present=frozenset({"nobody"}))})
    assert choose(elsewhere) != act
    other = burnt.model_copy(update={"moment": burnt.moment._replace(slots=(("form", "nothing"),))})
    assert choose(other) == act


def test_the_majority_is_copied_in_the_same_context_only(world: World) -> None:
    phase = Phase.PRACTISE
    blind = NormBlind().choose(view_of(world, phase))
    others = [act for act in view_of(world, phase).available if act != blind and act.verb == "go"]
    waits = happened(world, phase, Act(verb="wait"), actor="Sef")
    goes = happened(world, phase, others[0], actor="Oren")

    def choose(*events: PublicEvent) -> Act:
        return CopyMajority().choose(view_of(world, phase, events=events))

    assert choose() == blind
    assert choose(waits) == Act(verb="wait")
    # A verb is copied, not where it led: the first act of that verb is taken.
    assert choose(waits, goes, goes).verb == "go"
    assert choose(waits.model_copy(update={"held": (("form", "cup"),)})) == blind
    elsewhere = waits.moment._replace(present=frozenset({"nobody"}))
    assert choose(waits.model_copy(update={"moment": elsewhere})) == blind
    mine = waits.model_copy(update={"actor": world.cast.newcomer})
    assert choose(mine) == blind


def test_the_ideal_observer_learns_each_event_once(world: World) -> None:
    events = watched(world)
    policy = IdealObserverPolicy(world.enforcement.rates)
    space = HypothesisSpace(enumerate_norms(world.vocabulary))
    observer = IdealObserver(space.norms, world.enforcement.rates)
    for column, event in zip(space.table([event.moment for event in events]).T, events, strict=True):
        observer.observe(column, sanctioned=bool(event.answers))
    half = len(events) // 2
    for seen in (half, half, len(events), len(events)):
        view = view_of(world, Phase.PROBE, events=events[:seen])
        planner = policy.planner(view)
        risk = policy.risk(view, planner)
    expected = observer.violation_probability(space.table(planner.moments))
    assert risk == pytest.approx(expected, abs=2 * NEGLIGIBLE * len(space.norms))
    told = ToldOracle().risk(view_of(world, Phase.PROBE, told=world.norms), planner)
    # It knows by now: what the norms forbid is risky, and hardly anything else.
    assert np.corrcoef(risk, told)[0, 1] > 0.9


def test_after_an_announced_change_nothing_of_before_counts(world: World) -> None:
    """Under `change` the same days are watched twice, the second time under the norms that stay."""
    events, change = watched(world, Condition.CHANGE), len(world.watch) + 1
    policies = [IdealObserverPolicy(world.enforcement.rates) for _ in range(3)]

    def risk(policy: IdealObserverPolicy, events: tuple[PublicEvent, ...], *announced: int) -> bytes:
        view = view_of(world, Phase.PROBE, events=events, announced=announced)
        return policy.risk(view, policy.planner(view)).tobytes()

    of_the_second_half = risk(policies[0], watched(world))
    assert risk(policies[1], events, change) == of_the_second_half
    # Nor does it matter when it last looked: with what was already taken in before it was announced, too.
    for seen in (len(events) // 4, len(events) // 2, 3 * len(events) // 4):
        risk(policies[2], events[:seen])
    assert risk(policies[2], events) != of_the_second_half
    assert risk(policies[2], events, change) == of_the_second_half
    assert risk(policies[2], events, change) == of_the_second_half


def test_whoever_is_told_of_a_change_learns_the_norms_that_stay() -> None:
    announced = [
        world
        for world in quick().worlds
        if any(day.announced for day in arrange(world, Condition.CHANGE).days)
    ]
    assert announced
    for world in announced:
        assert play(world, IdealObserverPolicy(world.enforcement.rates), Condition.CHANGE).passed


def test_the_view_holds_public_things_only(world: World) -> None:
    view = view_of(world, Phase.PROBE, events=watched(world))
    text = view.model_dump_json()
    for norm in world.norms:
        assert norm not in text
    assert world.digest not in text
    assert world.coins not in text
    assert view.told == ()
