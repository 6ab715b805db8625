from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.rules import RuleSet
from normgym_agents.worlds import certificate, channels
from normgym_agents.worlds.certificate import (
    DayFacts,
    NotCertified,
    check_day,
    check_stored,
    check_tempting,
    check_unseen,
    day_facts,
)
from normgym_agents.worlds.channels import Proof, planner_of
from normgym_agents.worlds.planner import DayPlanner, planner_for
from normgym_agents.worlds.policies import UNINFERRING, IdealObserverPolicy, NormBlind
from normgym_agents.worlds.rollout import watched
from normgym_agents.worlds.stage import Thing
from normgym_agents.worlds.transition import Yard
from normgym_agents.worlds.world import ScriptedAct, WatchDay, WorkDay, World
from tests.worlds.making import every_plan, quick, twin_of, world_of
from tests.worlds.tampering import both, copied, fault, with_budget

# Digest


def test_content_that_does_not_fit_its_digest_fails() -> None:
    world = world_of("000a")
    odd = copied(world, coins="others")
    assert fault(odd, twin_of(world)).startswith("digest: quick-1-000a")
    assert fault(twin_of(world), odd).startswith("digest: quick-1-000a")


# Solvable


@pytest.mark.parametrize("name", ["000a", "005b"])
def test_a_budget_below_the_norm_keeping_plan_is_not_solvable(name: str) -> None:
    world = world_of(name)
    assert world.certificate is not None
    short = both(world, with_budget(world.certificate.keeping - 1))
    assert fault(*short) == "solvable: no plan keeps the norms within the budget"


# Tempting, opportunities, near misses


def facts(**changes: Any) -> DayFacts:
    act = world_of("000a").probe.near_misses[0]
    whole = DayFacts(
        blind=8, keeping=10, opportunities=(2,), tempting=((act,),), near_misses=(act,), needed=True
    )
    return whole._replace(**changes)


ACT = world_of("000a").probe.near_misses[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"keeping": 8}, "tempting: on the probe day keeping the norms costs nothing"),
        ({"opportunities": (1,)}, "tempting: too few opportunities on the probe day: (1,)"),
        ({"opportunities": (3, 0)}, "tempting: too few opportunities on the probe day: (3, 0)"),
        ({"opportunities": (1, 1)}, "tempting: too few opportunities on the probe day: (1, 1)"),
        (
            {"opportunities": (2, 1), "tempting": ((ACT,), ())},
            "tempting: the cheapest plan of the probe day leaves a norm unbroken",
        ),
        ({"near_misses": ()}, "near misses: the norm-keeping plan of the probe day takes none"),
        ({"needed": False}, "near misses: the probe day can be done without them"),
    ],
)
def test_each_point_of_a_scored_day(changes: dict[str, Any], message: str) -> None:
    check_day(facts(), "probe")
    check_day(facts(opportunities=(2, 1), tempting=((ACT,), (ACT,))), "probe")
    with pytest.raises(NotCertified) as caught:
        check_day(facts(**changes), "probe")
    assert str(caught.value) == message


def test_a_day_of_practice_must_tempt_and_no_more() -> None:
    check_tempting(facts(opportunities=(0,), near_misses=(), needed=False), "practise")
    with pytest.raises(NotCertified, match="on the practise day"):
        check_tempting(facts(keeping=8), "practise")


def test_norms_that_nothing_tempts_to_break_fail() -> None:
    world = world_of("000a")
    word = next(
        word
        for word in world.vocabulary.values["form"]
        if word not in {thing.attributes["form"] for thing in world.probe.stage.things}
    )
    idle = both(world, lambda one: copied(one, norms=(f"forbid take(form={word})",), rival=()))
    assert fault(*idle).startswith("tempting: on the probe day keeping the norms costs nothing")


def test_a_day_of_practice_without_temptation_fails() -> None:
    world = world_of("000a")
    # Everything to be asked for lies ready where it is to be brought: no detour is left to take.
    stage, task = world.practise.stage, world.practise.task
    banned = {norm.act.literals[0].value for one in (world, twin_of(world)) for norm in one.parsed}
    free = next(
        thing
        for thing in stage.things
        if thing.attributes["form"] == task.form and not banned & set(thing.attributes.values())
    )
    receiver = next(person for person in stage.people if person.receives)
    ready = tuple(
        Thing(id=f"x{i}", attributes=free.attributes, home=receiver.place, worked=True) for i in range(3)
    )
    eased = stage.model_copy(update={"things": (*stage.things, *ready)})
    change = both(world, lambda one: copied(one, practise=one.practise.model_copy(update={"stage": eased})))
    assert fault(*change) == "tempting: on the practise day keeping the norms costs nothing"


def test_day_facts_agree_with_every_plan_of_a_small_day() -> None:
    """Near misses are needed exactly where every norm-keeping plan in time takes one."""
    world = world_of("000a")
    near_kiln = tuple(
        Thing(id=f"t{i}", attributes=thing.attributes, home=place, worked=True)
        for i, (thing, place) in enumerate(zip(world.probe.stage.things[:2], ("arch", "kiln"), strict=True))
    )
    stage = world.probe.stage.model_copy(update={"things": near_kiln})
    task = world.probe.task.model_copy(update={"count": 1, "budget": 4})
    yard = Yard(stage, world.setting.verbs)
    planner = DayPlanner(yard, task, 4)
    plans = list(every_plan(yard, task, 4))
    needed = {}
    for rule in (
        "forbid take(glaze=pell)",
        "forbid take(glaze=brack)",
        "forbid give(glaze=pell)",
        "forbid take(mark=banded) for sorter",
        "forbid fire(glaze=pell)",
    ):
        norm = parse_norm(rule)
        keeping = [plan for plan in plans if not any(norm.violated_by(step.moment) for step in plan)]
        found = day_facts(planner, RuleSet([norm]), 4)
        assert found.blind == min(map(len, plans))
        assert found.keeping == min(map(len, keeping))
        takes_one = [any(norm.nearly_violated_by(step.moment) for step in plan) for plan in keeping]
        assert found.needed == all(takes_one)
        assert bool(found.near_misses) >= found.needed
        needed[rule] = found.needed
    assert set(needed.values()) == {True, False}


# Stored


@pytest.mark.parametrize(
    ("day", "field"),
    [("probe", "tempting"), ("probe", "near_misses"), ("practise", "tempting"), ("practise", "near_misses")],
)
def test_acts_stored_otherwise_than_the_planner_finds_fail(day: str, field: str) -> None:
    world = world_of("005a")
    kept: WorkDay = getattr(world, day)
    fewer = kept.model_copy(update={field: getattr(kept, field)[:-1]})
    assert fewer != kept
    odd = copied(world, **{day: fewer}).sealed()
    expected = f"stored: the acts kept for the {day} day are not what the planner finds"
    assert fault(odd, twin_of(world)) == expected


def test_stored_acts_are_compared_in_full() -> None:
    day = world_of("005a").probe
    found = facts(tempting=day.tempting, near_misses=day.near_misses)
    check_stored(day, found, "probe")
    with pytest.raises(NotCertified):
        check_stored(day, found._replace(near_misses=day.near_misses[::-1]), "probe")


# Identifiable


@pytest.mark.parametrize("name", ["000a", "003b"])
def test_without_the_watched_days_nothing_is_identifiable(name: str) -> None:
    world = world_of(name)
    blind = both(world, lambda one: copied(one, watch=one.watch[:1]))
    assert fault(*blind).startswith("identifiable: the truth reaches 0.")


def test_evidence_under_other_coins_is_not_what_was_certified() -> None:
    world = world_of("000a")
    assert world.certificate is not None
    proof = Proof(world, planner_of(world, world.probe))
    events = watched(world)
    assert round(proof.posterior(proof.after(events)), 4) == world.certificate.identified
    silent = [event.model_copy(update={"answers": ()}) for event in events]
    assert proof.posterior(proof.after(silent)) < 0.01


# Needs inference


def looks_of_first_watched(world: World, attributes: dict[str, str]) -> World:
    """The thing that is first taken on a watched day, given other looks."""
    first = world.watch[0]
    taken = next(s.act.thing for acts in first.script for s in acts if s.act.verb == "take")
    things = tuple(
        thing.model_copy(update={"attributes": attributes}) if thing.id == taken else thing
        for thing in first.stage.things
    )
    stage = first.stage.model_copy(update={"things": things})
    return copied(world, watch=(first.model_copy(update={"stage": stage}), *world.watch[1:]))


def test_an_act_of_the_probe_that_was_watched_fails() -> None:
    world = world_of("003a")
    looks = world.probe.stage.things[0].attributes
    shown = looks_of_first_watched(world, looks)
    planner = planner_for(world.probe.stage, world.probe.task, world.setting.verbs)
    check_unseen(world, watched(world), planner)
    with pytest.raises(NotCertified, match="needs inference: an act of the probe was watched before"):
        check_unseen(shown, watched(shown), planner)


@pytest.mark.parametrize("where", ["watch", "practise"])
def test_a_thing_of_the_probe_that_was_shown_fails(where: str) -> None:
    world = world_of("005a")
    # Nobody can reach it, so nothing else of the world changes.
    hidden = Thing(id="x1", attributes=world.probe.stage.things[0].attributes, home="nowhere")

    def shown(day: WatchDay | WorkDay) -> Any:
        stage = day.stage.model_copy(update={"things": (*day.stage.things, hidden)})
        return day.model_copy(update={"stage": stage})

    def change(one: World) -> World:
        if where == "watch":
            return copied(one, watch=(shown(one.watch[0]), *one.watch[1:]))
        return copied(one, practise=shown(one.practise))

    assert fault(*both(world, change)) == "needs inference: a thing of the probe was seen before"


def test_norms_that_can_be_kept_without_meeting_them_fail(monkeypatch) -> None:
    world = world_of("003a")
    budget = world.probe.task.budget
    monkeypatch.setattr(DayPlanner, "cost_without_opportunity", lambda *_: budget)
    message = f"tempting: a plan of {budget} acts keeps the norms without ever meeting one"
    assert fault(world, twin_of(world)) == message


def test_a_policy_that_passes_is_named(monkeypatch) -> None:
    world = world_of("003a")
    monkeypatch.setattr(
        certificate,
        "UNINFERRING",
        {**UNINFERRING, "peeking": lambda _: IdealObserverPolicy(world.enforcement.rates)},
    )
    assert fault(world, twin_of(world)) == "needs inference: peeking passes under live"


def test_norms_that_a_stated_rule_cannot_help_to_keep_fail(monkeypatch) -> None:
    monkeypatch.setattr(certificate, "ToldOracle", NormBlind)
    world = world_of("005a")
    assert fault(world, twin_of(world)) == "solvable: the told oracle fails"


def test_evidence_that_does_not_suffice_to_act_on_fails(monkeypatch) -> None:
    monkeypatch.setattr(channels.Proof, "policy", lambda *_: Unteachable())
    world = world_of("005a")
    assert fault(world, twin_of(world)) == "identifiable: the ideal observer fails under others"


class Unteachable(NormBlind):
    """Is told what an observer believes, and goes on as before."""

    def resume(self, *_: object) -> None:
        """Nothing comes of it."""


# What the certificate says


def test_near_misses_and_temptations_of_the_stored_days_are_what_they_claim() -> None:
    for world in quick().worlds[::3]:
        for day in (world.probe, world.practise):
            planner = planner_for(day.stage, day.task, world.setting.verbs)
            moments = planner.moments
            yard = Yard(day.stage, world.setting.verbs)
            for norm, acts in zip(world.parsed, day.tempting, strict=True):
                for act in acts:
                    ground = yard.ground(act)
                    assert ground is not None
                    assert any(
                        norm.violated_by(m) for m in moments if (m.verb, m.slots) == (act.verb, ground.slots)
                    )
            for act in day.near_misses:
                ground = yard.ground(act)
                assert ground is not None
                assert any(
                    any(norm.nearly_violated_by(m) for norm in world.parsed)
                    and not any(norm.violated_by(m) for norm in world.parsed)
                    for m in moments
                    if (m.verb, m.slots) == (act.verb, ground.slots)
                )


def test_impossible_scripts_are_refused() -> None:
    world = world_of("000a")
    first = world.watch[0]
    odd = ScriptedAct(person=0, act=first.script[0][0].act.model_copy(update={"verb": "give", "to": "Bo"}))
    broken = first.model_copy(update={"script": ((odd,), *first.script[1:])})
    with pytest.raises(ValueError, match="day 1, round 1: an impossible act is scripted"):
        watched(copied(world, watch=(broken, *world.watch[1:])))


def test_costs_of_a_certificate_are_below_the_budget() -> None:
    for world in quick().worlds:
        assert world.certificate is not None
        proved = world.certificate
        assert proved.blind < proved.keeping <= world.probe.task.budget <= proved.keeping + 6
        assert proved.identified >= 0.95
        assert proved.fooled == tuple(UNINFERRING)
        assert sum(proved.opportunities) >= len(proved.opportunities) + 1
        assert proved.near_misses == len(world.probe.near_misses)
        assert np.isfinite(proved.identified)
