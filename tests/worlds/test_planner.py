from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgym_agents.norms.hypotheses import HypothesisSpace
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Norm, Quota
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.distances import acts_left
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.lexicon import Facet, draw_lexicon
from normgym_agents.worlds.memory import NONE, memory_for, memory_of
from normgym_agents.worlds.planner import BREACH, DayPlanner, planner_for
from normgym_agents.worlds.solving import keeping_cost, shortest
from normgym_agents.worlds.stage import Person, Stage
from normgym_agents.worlds.tasks import Task
from normgym_agents.worlds.transition import Yard
from tests.worlds.making import (
    HISTORY,
    asked,
    bare,
    counted_acts,
    every_plan,
    stage_norms,
    stages,
    talking,
    thing,
    timed_norms,
    with_topics,
    world_of,
    yard_setting,
)

VERBS = yard_setting().verbs
ROUNDS = 5

tasks = st.builds(
    lambda count, worked: asked(count, worked=worked, budget=ROUNDS),
    st.sampled_from([1, 1, 1, 2]),
    st.booleans(),
)


def broken_moments(planner: DayPlanner, norms: list[Norm]) -> np.ndarray:
    return HypothesisSpace(norms).broken(planner.moments)


@given(stages(ROUNDS), tasks, st.lists(stage_norms, max_size=2))
@settings(max_examples=50, deadline=None)
def test_costs_are_those_of_the_shortest_enumerated_plans(stage: Stage, task: Task, norms) -> None:
    yard = Yard(stage, VERBS)
    planner = DayPlanner(yard, task, ROUNDS)
    plans = list(every_plan(yard, task, ROUNDS))
    keeping = [plan for plan in plans if not any(n.violated_by(step.moment) for n in norms for step in plan)]
    rows = np.array([np.zeros(len(planner.moments), dtype=np.bool_), broken_moments(planner, norms)])
    expected = [min(map(len, some), default=ROUNDS + 1) for some in (plans, keeping)]
    assert planner.costs(rows).tolist() == expected


@given(stages(ROUNDS), tasks, st.lists(stage_norms, min_size=1, max_size=2))
@settings(max_examples=50, deadline=None)
def test_calm_plans_are_those_that_could_break_nothing(stage: Stage, task: Task, norms) -> None:
    yard = Yard(stage, VERBS)
    planner = DayPlanner(yard, task, ROUNDS)

    def calm(plan) -> bool:
        state = stage.morning()
        for step in plan:
            choices = yard.moments(state, stage.newcomer, yard.available(state, stage.newcomer), step.round)
            if any(norm.violated_by(choice) for norm in norms for choice in choices):
                return False
            ground = yard.ground(step.act)
            assert ground is not None
            state = yard.step(state, stage.newcomer, ground)
        return True

    expected = min((len(plan) for plan in every_plan(yard, task, ROUNDS) if calm(plan)), default=ROUNDS + 1)
    broken = broken_moments(planner, norms)
    assert planner.cost_without_opportunity(broken, np.zeros_like(broken)) == expected


@given(stages(ROUNDS), tasks)
@settings(max_examples=50, deadline=None)
def test_used_moments_are_those_of_enumerated_plans(stage: Stage, task: Task) -> None:
    yard = Yard(stage, VERBS)
    planner = DayPlanner(yard, task, ROUNDS)
    enumerated = {bare(step.moment) for plan in every_plan(yard, task, ROUNDS) for step in plan}
    used = {moment for moment, use in zip(planner.moments, planner.used, strict=True) if use}
    assert used == enumerated
    assert enumerated <= set(planner.moments)


@given(stages(ROUNDS), tasks, st.integers(0, 1000), st.integers(1, ROUNDS), st.data())
@settings(max_examples=50, deadline=None)
def test_no_enumerated_plan_is_less_risky(stage: Stage, task: Task, seed: int, first: int, data) -> None:
    yard = Yard(stage, VERBS)
    planner = DayPlanner(yard, task, ROUNDS)
    distinct = list(dict.fromkeys(planner.moments))
    levels = np.random.default_rng(seed).choice([0.0, 0.1, 0.5, 1.0], size=len(distinct))
    risk_of = dict(zip(distinct, levels.tolist(), strict=True))
    risk = np.array([risk_of[moment] for moment in planner.moments])
    start = stage.morning()
    for _ in range(1, first):
        start = yard.step(
            start, stage.newcomer, data.draw(st.sampled_from(yard.available(start, stage.newcomer)))
        )
        if task.done(stage, start):
            return

    def price(steps) -> float:
        return float(sum(1.0 + BREACH * risk_of[bare(step.moment)] for step in steps))

    plans = list(every_plan(yard, task, ROUNDS, start=start, first_round=first))
    plan = planner.plan(risk, ROUNDS, start=start, first_round=first)
    if not plans:
        assert plan is None
        return
    assert plan is not None
    assert price(plan) == pytest.approx(min(map(price, plans)), abs=1e-4)
    # What it says is what can be done, round by round, to the task's end.
    taken = [(step.round, step.act, step.moment) for step in plan]
    assert taken in [[(step.round, step.act, bare(step.moment)) for step in other] for other in plans]


days = st.one_of(
    stages(ROUNDS).map(lambda stage: Yard(stage, VERBS)),
    stages(ROUNDS).map(lambda stage: Yard(with_topics(stage), talking())),
)


@given(days, st.lists(timed_norms, min_size=1, max_size=2))
@settings(max_examples=25, deadline=None)
def test_duties_and_quotas_are_kept_as_by_the_enumerated_plans(yard: Yard, norms: list[Norm]) -> None:
    task = asked(budget=ROUNDS)
    planner = DayPlanner(yard, task, ROUNDS, HISTORY)
    plans = list(every_plan(yard, task, ROUNDS))

    def breaches(plan) -> int:
        return sum(any(norm.violated_by(step.moment) for norm in norms) for step in plan)

    def calm(plan) -> bool:
        state, me = yard.stage.morning(), yard.stage.newcomer
        for step in plan:
            choices = yard.moments(state, me, yard.available(state, me), step.round)
            if any(norm.violated_by(choice) for norm in norms for choice in choices):
                return False
            if any(norm.counts(step.moment) for norm in norms):
                return False
            ground = yard.ground(step.act)
            assert ground is not None
            state = yard.step(state, me, ground)
        return True

    broken = broken_moments(planner, norms)
    kept = [len(plan) for plan in plans if not breaches(plan)]
    assert planner.costs(broken[None, :]).tolist() == [min(kept, default=ROUNDS + 1)]
    quiet = [len(plan) for plan in plans if calm(plan)]
    counted = np.array([any(norm.counts(m) for norm in norms) for m in planner.moments], dtype=np.bool_)
    assert planner.cost_without_opportunity(broken, counted) == min(quiet, default=ROUNDS + 1)
    # What norms can find on some plan is found on the moments that the planner says are used, and no more.
    tables = [
        HypothesisSpace(norms).table([step.moment for plan in plans for step in plan]),
        HypothesisSpace(norms).table(
            [m for m, use in zip(planner.moments, planner.used, strict=True) if use]
        ),
    ]
    found = [{tuple(column) for column in table.T} for table in tables]
    assert found[0] == found[1]


@given(days, st.lists(timed_norms, min_size=1, max_size=2), st.integers(1, 3), st.data())
@settings(max_examples=25, deadline=None)
def test_plans_from_later_in_the_day_know_what_was_done(yard: Yard, norms: list[Norm], first, data) -> None:
    task = asked(budget=ROUNDS)
    planner = DayPlanner(yard, task, ROUNDS, HISTORY)
    start, me = yard.stage.morning(), yard.stage.newcomer
    for _ in range(1, first):
        start = yard.step(start, me, data.draw(st.sampled_from(yard.available(start, me))))
        if task.done(yard.stage, start):
            return

    def price(moments) -> float:
        return sum(1.0 + BREACH * any(norm.violated_by(moment) for norm in norms) for moment in moments)

    plans = list(every_plan(yard, task, ROUNDS, start=start, first_round=first))
    plan = planner.plan(broken_moments(planner, norms).astype(float), ROUNDS, start=start, first_round=first)
    if not plans:
        assert plan is None
        return
    assert plan is not None
    least = min(price([step.moment for step in some]) for some in plans)
    # Played out with everything remembered, the plan costs what the planner thought.
    state, lived = start, []
    for step in plan:
        ground = yard.ground(step.act)
        assert ground is not None
        assert yard.possible(state, me, ground)
        lived.append(yard.moment(state, me, ground, step.round))
        state = yard.step(state, me, ground)
    assert task.done(yard.stage, state)
    assert price(lived) == price([step.moment for step in plan]) == least


@given(stages(ROUNDS), counted_acts, st.integers(2, 4))
@settings(max_examples=15, deadline=None)
def test_limits_on_the_last_acts_are_kept_by_what_is_kept_for_them(stage: Stage, act, window: int) -> None:
    norm = Norm(act=act, quota=Quota(most=1, window_acts=window))
    yard, task = Yard(stage, VERBS), asked(2, budget=ROUNDS)
    planner = DayPlanner(yard, task, ROUNDS, memory_for([norm]))
    kept = [
        len(plan)
        for plan in every_plan(yard, task, ROUNDS)
        if not any(norm.violated_by(step.moment) for step in plan)
    ]
    expected = min(kept, default=ROUNDS + 1)
    assert planner.costs(broken_moments(planner, [norm])[None, :]).tolist() == [expected]


def test_a_vocabulary_s_memory_is_as_deep_as_its_norms() -> None:
    world = world_of("000a")
    assert memory_of(world.vocabulary) == NONE
    lexicon = draw_lexicon(yard_setting(), Draws("memory"))
    facets = [Facet.DUTIES, Facet.LIMITS]
    vocabulary = lexicon.vocabulary(yard_setting(), facets)
    memory = memory_of(vocabulary)
    assert (memory.depth, memory.most) == (vocabulary.depth, 2)
    assert memory.duties == {"greet"}
    assert memory.triggers == memory.counted == {"take", "fire", "give"}


def test_the_shortest_plans_of_a_day() -> None:
    world = world_of("005a")
    stage, task = world.probe.stage, world.probe.task
    found = shortest(stage, task, world.setting.verbs, RuleSet(world.parsed))
    assert world.certificate is not None
    assert found == (world.certificate.blind, world.certificate.keeping)
    never = RuleSet([parse_norm("forbid take")])
    assert shortest(stage, task, world.setting.verbs, never) == (world.certificate.blind, None)
    rushed = task.model_copy(update={"budget": world.certificate.blind - 1})
    assert shortest(stage, rushed, world.setting.verbs, never) == (None, None)


def test_a_duty_worked_by_hand() -> None:
    # Mira receives here and both iron cups lie here, so ignoring norms takes 4 acts: take, give, take, give.
    stage = Stage(
        places=("shed", "kiln"),
        paths=(("shed", "kiln"),),
        workplace="kiln",
        things=(thing(1, "iron", "cup", "shed"), thing(2, "iron", "cup", "shed")),
        people=(
            Person(name="Mira", role="keeper", place="shed", receives=True),
            Person(name="Tam", role="carrier", place="shed"),
        ),
        signals={"bell": ("still",) * 8},
        rounds=8,
    )
    planner = DayPlanner(Yard(stage, VERBS), asked(2, budget=8), 8, HISTORY)
    rules = [
        "oblige greet(role=keeper) within 1 acts after take(glaze=iron)",  # take, greet, give; take, greet, give
        "oblige greet within 3 acts after take",  # take, give, take, greet, give: the day ends in time for the rest
        "oblige greet(role=keeper) with give",  # take, give, greet, take, give: the last is still pending
        "forbid take(glaze=iron) more than 1 per day",  # never
        "forbid take more than 2 per day",
    ]
    rows = np.array([broken_moments(planner, [parse_norm(rule)]) for rule in rules])
    assert planner.costs(rows).tolist() == [6, 5, 5, 9, 4]


def test_a_plan_worked_by_hand() -> None:
    # The iron cup lies here and the ash cup one place away; Mira, who receives, stands here. So the cheap
    # way is take, give (2 acts), and keeping off iron is go, take, go, give (4 acts).
    stage = Stage(
        places=("shed", "kiln"),
        paths=(("shed", "kiln"),),
        workplace="kiln",
        things=(thing(1, "iron", "cup", "shed"), thing(2, "ash", "cup", "kiln")),
        people=(
            Person(name="Mira", role="keeper", place="shed", receives=True),
            Person(name="Tam", role="carrier", place="shed"),
        ),
        signals={"bell": ("ringing", "ringing", "still", "still", "still")},
        rounds=5,
    )
    planner = DayPlanner(Yard(stage, VERBS), asked(), 5)
    rules = [
        "forbid take(glaze=iron)",
        "forbid take when bell=ringing",
        "forbid take",
        "forbid take for keeper",
    ]
    rows = np.array([broken_moments(planner, [parse_norm(rule)]) for rule in rules])
    assert planner.costs(rows).tolist() == [4, 4, 6, 2]
    plan = planner.plan(rows[0].astype(float), 5)
    assert plan is not None
    assert [step.act.verb for step in plan] == ["go", "take", "go", "give"]
    # In a budget of 3 the norm cannot be kept, and one breach is the least.
    rushed = planner.plan(rows[0].astype(float), 3)
    assert rushed is not None
    assert [step.act.verb for step in rushed] == ["take", "give"]
    assert planner.plan(rows[0].astype(float), 1) is None


def test_a_day_that_is_done_in_the_morning_costs_nothing() -> None:
    stage = world_of("000a").probe.stage
    planner = DayPlanner(Yard(stage, VERBS), asked(0, form="crock"), 3)
    assert planner.costs(np.zeros((1, len(planner.moments)), dtype=np.bool_)).tolist() == [0]
    assert planner.plan(np.zeros(len(planner.moments)), 3) == []


def test_many_sets_are_asked_as_one_by_one() -> None:
    world = world_of("005a")
    planner = planner_for(world.probe.stage, world.probe.task, world.setting.verbs)
    rows = np.random.default_rng(5).random((7, len(planner.moments))) < 0.05
    together = planner.costs(rows)
    assert together.tolist() == [int(planner.costs(row[None, :])[0]) for row in rows]


def test_the_same_day_has_one_planner_and_the_same_plan() -> None:
    world = world_of("005a")
    planner = planner_for(world.probe.stage, world.probe.task, world.setting.verbs)
    copy = planner_for(
        Stage.model_validate_json(world.probe.stage.model_dump_json()), world.probe.task, world.setting.verbs
    )
    assert copy is planner
    anew = DayPlanner(Yard(world.probe.stage, world.setting.verbs), world.probe.task, planner.horizon)
    assert anew.moments == planner.moments
    assert np.array_equal(anew.used, planner.used)
    risk = np.random.default_rng(2).random(len(planner.moments))
    assert anew.plan(risk, planner.horizon) == planner.plan(risk, planner.horizon)


def test_a_state_off_every_plan_has_none() -> None:
    world = world_of("005a")
    planner = planner_for(world.probe.stage, world.probe.task, world.setting.verbs)
    lost = world.probe.stage.morning()._replace(worked=-1)
    assert planner.plan(np.zeros(len(planner.moments)), planner.horizon, start=lost) is None


@pytest.mark.parametrize(
    "norms", ["forbid take", "forbid take more than 1 per day", "forbid give before greet"]
)
def test_a_walk_towards_the_end_is_as_long_as_the_plan_of_a_day_laid_out(norms: str) -> None:
    """For norms that leave no way, for norms that count, for norms that look back."""
    world = world_of("000a")
    rules, task = RuleSet([parse_norm(norms)]), world.probe.task
    yard = world.yard(Phase.PROBE)
    planner = DayPlanner(yard, task, task.budget, memory_for(rules.norms))
    cost = int(planner.costs(rules.broken(planner.moments)[None, :])[0])
    walked = keeping_cost(yard, task, acts_left(yard, task, task.budget), rules)
    assert walked == (cost if cost <= task.budget else None)
