"""The steps give back the same change for the same state, whatever was asked before; and play the certified day."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest

from normgym_agents.community import steps
from normgym_agents.community.episode import Backstage, EpisodeState, opening
from normgym_agents.community.loop import play_loop
from normgym_agents.community.standing import Memory
from normgym_agents.newcomers.reference import POLICIES
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import BASE, Condition, Phase
from normgym_agents.worlds.policies import NormBlind
from normgym_agents.worlds.rollout import play as play_rollout
from normgym_agents.worlds.rollout import watched
from normgym_agents.worlds.world import World
from tests.community.playing import backstage_of, named, play, quick, scripted, small_world

PURE = [name for name, _ in steps.AFTER_MEMBERS if name != "newcomer"]


async def recorded(
    backstage: Backstage, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, EpisodeState, Any]]:
    """Every call of a step in an episode: its name, the state and the change."""
    calls: list[tuple[str, EpisodeState, Any]] = []

    def recording(name, step):
        def run(backstage, state):
            before = copy.deepcopy(state)
            change = step(backstage, state)
            calls.append((name, before, copy.deepcopy(change)))
            return change

        return run

    with monkeypatch.context() as patch:
        patch.setattr(
            steps,
            "AFTER_MEMBERS",
            tuple((n, recording(n, s) if n in PURE else s) for n, s in steps.AFTER_MEMBERS),
        )
        await play_loop(backstage)
    return calls


@pytest.mark.parametrize("number", [0, 1, 5])
async def test_steps_depend_on_the_state_alone(number, monkeypatch):
    """As in Studio: forked, replayed and interleaved runs share one backstage."""
    backstage = backstage_of(quick().worlds[number], Condition.LIVE, NormBlind().choose)
    calls = await recorded(backstage, monkeypatch)
    run = dict(steps.AFTER_MEMBERS)
    random.Random(number).shuffle(calls)
    for name, state, change in calls:
        assert run[name](backstage, state) == change
        ahead: EpisodeState = {**state}
        ahead["day"] = len(backstage.days)
        backstage.standing(ahead)  # a look ahead leaves no trace


async def test_a_log_that_only_ends_like_the_one_read_before_is_read_anew():
    backstage = backstage_of(small_world(), Condition.NONE, lambda _: Act(verb="wait"))

    def state(*acts: Act) -> EpisodeState:
        log = [
            {"kind": "act", "phase": "probe", "day": 1, "round": i, "actor": "Tam", "newcomer": True}
            | {"act": act.model_dump(), "words": ""}
            for i, act in enumerate(acts, start=1)
        ]
        return {**opening(), "phase": "probe", "day": 1, "round": len(acts), "log": log}

    wait, take = Act(verb="wait"), Act(verb="take", thing="t1")
    took = backstage.standing(state(take, wait)).now
    waited = backstage.standing(state(wait, wait)).now
    assert took.hands[-1] == 0
    assert waited.hands[-1] == -1


async def test_an_impossible_act_in_a_log_is_refused():
    backstage = backstage_of(small_world(), Condition.NONE, lambda _: Act(verb="wait"))
    entry = {
        "kind": "act",
        "phase": "probe",
        "day": 1,
        "round": 1,
        "actor": "Tam",
        "newcomer": True,
        "words": "",
    }
    for act in (Act(verb="fire", thing="t1"), Act(verb="take", thing="t9")):
        log = [{**entry, "act": act.model_dump()}]
        with pytest.raises(RuntimeError, match="impossible"):
            Memory().after(backstage.arrangement, log, 1)


def test_an_episode_that_has_ended_begins_anew():
    backstage = backstage_of(small_world(), Condition.LIVE, lambda _: Act(verb="wait"))
    ended: EpisodeState = {**opening(), "phase": "probe", "day": 3, "log": [{"kind": "task"}], "ended": True}
    for state in (ended, {**ended, "ended": False, "day": 0}, {}):
        change = steps.open_round(backstage, state)  # type: ignore[arg-type]  # as Studio may call it
        assert (change["day"], change["round"], change["log"], change["ended"]) == (1, 1, None, False)


def _acts(world: World, record) -> Iterator[tuple[Any, ...]]:
    answered = {(e.day, e.round, e.whom) for e in record.events if e.kind == "sanction"}
    for event in record.events:
        if event.kind == "act" and event.phase is not Phase.PROBE:
            yield event.actor, event.act, (event.day, event.round, event.actor) in answered


@pytest.mark.parametrize("condition", BASE)
@pytest.mark.parametrize("name", [name for name in POLICIES if name != "ideal-observer"])
async def test_the_community_plays_what_was_certified(name, condition):
    """The sampler proves its certificates with rollouts; the community must give the same acts and answers."""
    for world in quick().worlds:
        record = await play(world, condition, named(name))
        proved = play_rollout(world, POLICIES[name](0), condition)
        assert record.scores is not None
        assert (record.scores.task, record.scores.violations) == (proved.done, proved.violations)
        assert record.scores.opportunities == sum(proved.opportunities)
        probe = [e.act for e in record.events if e.kind == "act" and e.phase is Phase.PROBE and e.newcomer]
        assert probe == [event.act for event in proved.events]
        if Phase.WATCH in condition.phases:
            seen = [(e.actor, e.act, bool(e.answers)) for e in watched(world)]
            assert list(_acts(world, record))[: len(seen)] == seen


async def test_members_rest_while_the_newcomer_works_and_say_nothing():
    record = await play(quick().worlds[1], Condition.LIVE, named("norm-blind"))
    for event in record.events:
        if event.kind == "act":
            assert event.newcomer == (event.phase is not Phase.WATCH)
            assert (event.asked > 0) == event.newcomer
            assert not event.words


async def test_the_referee_judges_members_too_and_only_real_choices():
    record = await play(small_world(), Condition.NONE, scripted(lambda *_: Act(verb="wait")))
    verdicts = [e for e in record.events if e.kind == "verdict"]
    # In the shed while the bell rings, where t1 could be taken: rounds 1, 2, 5 and 6.
    assert [(e.round, e.verdict, e.tempting) for e in verdicts] == [
        (n, Verdict.COMPLIED, True) for n in (1, 2, 5, 6)
    ]
    record = await play(small_world(), Condition.OTHERS, named("always-abstain"))
    first = [(e.actor, e.verdict) for e in record.events if e.kind == "verdict" and e.phase is Phase.WATCH]
    assert first == [("Mira", Verdict.COMPLIED), ("Sef", Verdict.VIOLATED)]


async def test_near_misses_are_counted_where_they_are_open():
    """The tosh cup at the well may be taken, and differs from a forbidden one by its glaze."""
    route = [Act(verb="go", place="well"), Act(verb="take", thing="t2"), Act(verb="wait")]
    record = await play(small_world(), Condition.NONE, scripted(lambda turn, _: route[min(turn, 3) - 1]))
    found = [(e.round, e.open, e.taken) for e in record.events if e.kind == "near_miss"]
    assert found == [(2, ("take t2",), "take t2")]


async def test_a_day_ends_with_its_task_or_its_acts():
    plan = [
        Act(verb="take", thing="t1"),
        Act(verb="go", place="kiln"),
        Act(verb="give", thing="t1", to="Oren"),
    ]
    done = await play(small_world(), Condition.NONE, scripted(lambda turn, _: plan[turn - 1]))
    assert [(e.done, e.acts, e.round) for e in done.events if e.kind == "task"] == [(True, 3, 3)]
    idle = await play(small_world(), Condition.NONE, named("always-abstain"))
    assert [(e.done, e.acts, e.round) for e in idle.events if e.kind == "task"] == [(False, 6, 6)]
