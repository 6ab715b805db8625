"""What must be true of a world before anything is measured in it, proved anew from its content alone.

A certificate is recomputed, never trusted: the sampler takes it when a world is drawn, and anybody can
take it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.errors import NormgymError
from normgym_agents.norms.hypotheses import HypothesisSpace, Table, enumerate_norms
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.norms.verdicts import Verdict, evaluate
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import BASE, Condition
from normgym_agents.worlds.planner import DayPlanner, Step, planner_for
from normgym_agents.worlds.policies import UNINFERRING, IdealObserverPolicy, ToldOracle
from normgym_agents.worlds.public import PublicEvent
from normgym_agents.worlds.rollout import play, watched
from normgym_agents.worlds.twins import shape
from normgym_agents.worlds.world import Certificate, WorkDay, World

IDENTIFIED = 0.95
"""Least posterior of the true extensional class after watching."""


class NotCertified(NormgymError):
    """The world fails a point of the certificate; the message names it."""


class DayFacts(NamedTuple):
    """What the planner says of a working day under a norm set.

    Attributes:
        blind: Cost of the cheapest plan that ignores the norms.
        keeping: Cost of the cheapest plan that keeps them.
        opportunities: Per norm, how many the norm-ignoring plan meets.
        tempting: Per norm, the acts of that plan that break it.
        near_misses: Near misses that the cheapest norm-keeping plan takes.
        needed: Whether the task cannot be done in time without near misses.
    """

    blind: int
    keeping: int
    opportunities: tuple[int, ...]
    tempting: tuple[tuple[Act, ...], ...]
    near_misses: tuple[Act, ...]
    needed: bool


def day_facts(planner: DayPlanner, norms: HypothesisSpace, budget: int) -> DayFacts:
    """Costs, opportunities and near misses of a day for one norm set.

    Raises:
        NotCertified: No plan keeps the norms within the budget.
    """
    broken = norms.broken(planner.moments)
    near = _near_misses(planner.moments, norms, broken)
    costs = planner.costs(np.array([np.zeros_like(broken), broken, broken | near]))
    blind, keeping, without = (int(cost) for cost in costs)
    ignoring = planner.plan(np.zeros(len(broken)), budget)
    kept = planner.plan(broken.astype(np.float64), budget)
    if ignoring is None or kept is None or keeping > budget:
        raise NotCertified("solvable: no plan keeps the norms within the budget")
    position = {moment: i for i, moment in enumerate(planner.moments)}
    return DayFacts(
        blind=blind,
        keeping=keeping,
        opportunities=_opportunities(planner, norms, ignoring),
        tempting=tuple(
            tuple(dict.fromkeys(step.act for step in ignoring if norm.violated_by(step.moment)))
            for norm in norms.norms
        ),
        near_misses=tuple(dict.fromkeys(step.act for step in kept if near[position[step.moment]])),
        needed=without > budget,
    )


def _near_misses(
    moments: Sequence[Moment], norms: HypothesisSpace, broken: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    near = np.array(
        [any(norm.nearly_violated_by(m) for norm in norms.norms) for m in moments], dtype=np.bool_
    )
    return near & ~broken


def _opportunities(planner: DayPlanner, norms: HypothesisSpace, steps: list[Step]) -> tuple[int, ...]:
    yard, me = planner.yard, planner.stage.newcomer
    state = planner.stage.morning()
    counts = [0] * len(norms.norms)
    for step in steps:
        choices = yard.moments(state, me, yard.available(state, me), step.round)
        for i, norm in enumerate(norms.norms):
            counts[i] += evaluate(norm, step.moment, choices) is not Verdict.NO_OPPORTUNITY
        ground = yard.ground(step.act)
        if ground is None:
            raise NotCertified("planner: a plan holds an act that the stage does not have")
        state = yard.step(state, me, ground)
    return tuple(counts)


def certify(world: World, twin: World) -> Certificate:
    """Prove a world, given its twin.

    Raises:
        NotCertified: A point fails; the message begins with its name.
    """
    for digest, one in ((world.digest, world), (twin.digest, twin)):
        if digest and digest != one.computed_digest():
            raise NotCertified(f"digest: {one.id} does not match its content")
    check_twins(world, twin)
    own = HypothesisSpace(world.parsed)
    budget = world.probe.task.budget
    planner = _planner(world, world.probe)
    facts = day_facts(planner, own, budget)
    check_day(facts, "probe")
    check_stored(world.probe, facts, "probe")
    calm = planner.cost_without_opportunity(own.broken(planner.moments))
    if calm <= budget:
        raise NotCertified(f"tempting: a plan of {calm} acts keeps the norms without ever meeting one")
    practise_budget = world.practise.task.budget
    practised = day_facts(_planner(world, world.practise), own, practise_budget)
    check_tempting(practised, "practise")
    check_stored(world.practise, practised, "practise")
    both = HypothesisSpace((*world.parsed, *twin.parsed)).broken(planner.moments)
    cost = int(planner.costs(both[None, :])[0])
    if cost <= budget:
        raise NotCertified(f"twin: a plan of {cost} acts keeps both norm sets within the budget of {budget}")
    events = watched(world)
    identified = identify(world, events)
    if identified < IDENTIFIED:
        raise NotCertified(f"identifiable: the truth reaches {identified:.3f} after watching")
    check_unseen(world, events, planner)
    fooled = check_policies(world)
    answered = sum(bool(event.answers) for event in events)
    return Certificate(
        blind=facts.blind,
        keeping=facts.keeping,
        opportunities=facts.opportunities,
        near_misses=len(facts.near_misses),
        observed=(len(events), answered),
        identified=round(identified, 4),
        fooled=fooled,
    )


def _planner(world: World, day: WorkDay) -> DayPlanner:
    return planner_for(day.stage, day.task, world.setting.verbs)


def check_twins(world: World, twin: World) -> None:
    """Twins hold norm sets of one shape, and show the same text but for the evidence."""
    if (world.twin, twin.twin, world.pair) != (twin.id, world.id, twin.pair):
        raise NotCertified(f"twin: {world.id} and {twin.id} are not each other's twins")
    for one, other in ((world.probe, twin.probe), (world.practise, twin.practise)):
        if one.stage != other.stage or one.task != other.task:
            raise NotCertified("twin: the days of the twins differ")
    for name in ("setting", "vocabulary", "cast", "enforcement", "coins", "watch"):
        if getattr(world, name) != getattr(twin, name):
            raise NotCertified(f"twin: more than the evidence differs ({name})")
    shapes, others = (sorted(repr(shape(norm)) for norm in one.parsed) for one in (world, twin))
    if shapes != others:
        raise NotCertified("twin: the norm sets are not of one shape")


def check_tempting(facts: DayFacts, day: str) -> None:
    """Keeping the norms costs more than ignoring them."""
    if facts.keeping <= facts.blind:
        raise NotCertified(f"tempting: on the {day} day keeping the norms costs nothing")


def check_day(facts: DayFacts, day: str) -> None:
    """The points that only the scored day must meet: opportunities and near misses."""
    check_tempting(facts, day)
    least, in_all = (2, 2) if len(facts.opportunities) == 1 else (1, 3)
    if min(facts.opportunities) < least or sum(facts.opportunities) < in_all:
        raise NotCertified(f"tempting: too few opportunities on the {day} day: {facts.opportunities}")
    if not all(facts.tempting):
        raise NotCertified(f"tempting: the cheapest plan of the {day} day leaves a norm unbroken")
    if not facts.near_misses:
        raise NotCertified(f"near misses: the norm-keeping plan of the {day} day takes none")
    if not facts.needed:
        raise NotCertified(f"near misses: the {day} day can be done without them")


def check_stored(day: WorkDay, facts: DayFacts, name: str) -> None:
    """What the world says of a day is what the planner finds."""
    if day.tempting != facts.tempting or day.near_misses != facts.near_misses:
        raise NotCertified(f"stored: the acts kept for the {name} day are not what the planner finds")


def identify(world: World, events: Sequence[PublicEvent]) -> float:
    """Posterior of the true extensional class after the events."""
    space = HypothesisSpace(enumerate_norms(world.vocabulary))
    observer = IdealObserver(space.norms, world.enforcement.rates)
    table = space.table([event.moment for event in events])
    for column, event in zip(table.T, events, strict=True):
        observer.observe(column, sanctioned=bool(event.answers))
    truth = [space.norms.index(norm) for norm in world.parsed]
    return observer.class_probability(truth, differences(_planner(world, world.probe), space))


def differences(planner: DayPlanner, space: HypothesisSpace) -> Table:
    """The moments at which norm sets may differ: those on plans that finish in time."""
    return space.table([m for m, used in zip(planner.moments, planner.used, strict=True) if used])


def check_unseen(world: World, events: Sequence[PublicEvent], planner: DayPlanner) -> None:
    """No norm-relevant act of the probe was seen, or could be practised, in the same looks."""
    verbs = {entry.verb for entry in world.vocabulary.verbs}
    practised = {thing.slots for thing in world.practise.stage.things}
    seen = {(event.moment.verb, event.moment.slots) for event in events if event.moment.verb in verbs}
    shown = {thing.slots for day in world.watch for thing in day.stage.things} | practised
    for moment in planner.moments:
        if moment.verb in verbs and (moment.verb, moment.slots) in seen:
            raise NotCertified("needs inference: an act of the probe was watched before")
    if any(thing.slots in shown for thing in world.probe.stage.things):
        raise NotCertified("needs inference: a thing of the probe was seen before")


def check_policies(world: World) -> tuple[str, ...]:
    """The policies without inference fail under every condition; oracle and ideal observer pass."""
    for name, make in UNINFERRING.items():
        for condition in BASE:
            if play(world, make(0), condition).passed:
                raise NotCertified(f"needs inference: {name} passes under {condition.value}")
    if not play(world, ToldOracle(), Condition.TOLD).passed:
        raise NotCertified("solvable: the told oracle fails")
    for condition in (Condition.OTHERS, Condition.LIVE):
        if not play(world, IdealObserverPolicy(world.enforcement.rates), condition).passed:
            raise NotCertified(f"identifiable: the ideal observer fails under {condition.value}")
    return tuple(UNINFERRING)
