"""What must be true of a world before anything is measured in it, proved anew from its content alone.

A certificate is recomputed, never trusted: the sampler takes it when a world is drawn, and anybody can
take it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.errors import NormgymError
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.rules import RuleSet
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.channels import planner_of, prove_channels
from normgym_agents.worlds.conditions import BASE, Condition
from normgym_agents.worlds.planner import DayPlanner, Step
from normgym_agents.worlds.policies import UNINFERRING, ToldOracle
from normgym_agents.worlds.public import PublicEvent
from normgym_agents.worlds.rollout import play, watched
from normgym_agents.worlds.twins import shape
from normgym_agents.worlds.unseen import contexts_of
from normgym_agents.worlds.world import CHANNELS, IDENTIFIED, Certificate, Channel, WorkDay, World


class NotCertified(NormgymError):
    """The world fails a point of the certificate; the message names it."""


class DayFacts(NamedTuple):
    """What the planner says of a working day under a norm set.

    Attributes:
        blind: Cost of the cheapest plan that ignores the norms.
        keeping: Cost of the cheapest plan that keeps them.
        opportunities: Per norm, how many the norm-ignoring plan meets; 0 for a permit.
        tempting: Per norm, the acts of that plan that break it; none for a permit.
        near_misses: Near misses that the cheapest norm-keeping plan takes.
        needed: Whether the task cannot be done in time without near misses.
        judged: Places of the norms that can be broken: all but permits. None: all.
    """

    blind: int
    keeping: int
    opportunities: tuple[int, ...]
    tempting: tuple[tuple[Act, ...], ...]
    near_misses: tuple[Act, ...]
    needed: bool
    judged: tuple[int, ...] | None = None


def day_facts(planner: DayPlanner, norms: RuleSet, budget: int) -> DayFacts:
    """Costs, opportunities and near misses of a day for one norm set.

    Raises:
        NotCertified: No plan keeps the norms within the budget.
    """
    broken = norms.broken(planner.moments)
    near = _near_misses(planner.moments, norms)
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
            tuple(dict.fromkeys(step.act for step in ignoring if i in norms.broken_by(step.moment)))
            for i in range(len(norms.norms))
        ),
        near_misses=tuple(dict.fromkeys(step.act for step in kept if near[position[step.moment]])),
        needed=without > budget,
        judged=tuple(i for i, row in enumerate(norms.rows) if row is not None),
    )


def _near_misses(moments: Sequence[Moment], norms: RuleSet) -> NDArray[np.bool_]:
    return np.array([norms.near(moment) for moment in moments], dtype=np.bool_)


def _opportunities(planner: DayPlanner, norms: RuleSet, steps: list[Step]) -> tuple[int, ...]:
    yard, me = planner.yard, planner.stage.newcomer
    state = planner.stage.morning()
    counts = [0] * len(norms.norms)
    for step in steps:
        choices = yard.moments(state, me, yard.available(state, me), step.round)
        ground = yard.ground(step.act)
        if ground is None:
            raise NotCertified("planner: a plan holds an act that the stage does not have")
        moment = yard.moment(state, me, ground, step.round)
        for i in range(len(counts)):
            counts[i] += norms.evaluate(i, moment, choices) is not Verdict.NO_OPPORTUNITY
        state = yard.step(state, me, ground)
    return tuple(counts)


def certify(world: World, twin: World) -> Certificate:
    """Prove a world, given its twin, and all its channels.

    Raises:
        NotCertified: A point fails; the message begins with its name.
    """
    base = prove(world, twin)
    further = [condition for condition in CHANNELS if condition not in base.channels]
    channels = {**base.channels, **prove_channels(world, planner_of(world, world.probe), further)}
    check_replays(channels)
    return base.model_copy(update={"channels": channels})


def prove(world: World, twin: World) -> Certificate:
    """Prove a world, given its twin, without the channels of its further evidence.

    Raises:
        NotCertified: A point fails; the message begins with its name.
    """
    for digest, one in ((world.digest, world), (twin.digest, twin)):
        if digest and digest != one.computed_digest():
            raise NotCertified(f"digest: {one.id} does not match its content")
    check_twins(world, twin)
    own = world.rules.at(None)
    budget = world.probe.task.budget
    planner = planner_of(world, world.probe)
    facts = day_facts(planner, own, budget)
    check_day(facts, "probe")
    check_stored(world.probe, facts, "probe")
    check_met(planner, own, budget)
    practise_budget = world.practise.task.budget
    practised = day_facts(planner_of(world, world.practise), own, practise_budget)
    check_tempting(practised, "practise")
    check_stored(world.practise, practised, "practise")
    both = own.broken(planner.moments) | twin.rules.at(None).broken(planner.moments)
    cost = int(planner.costs(both[None, :])[0])
    if cost <= budget:
        raise NotCertified(f"twin: a plan of {cost} acts keeps both norm sets within the budget of {budget}")
    events = watched(world)
    channels = prove_channels(world, planner, (Condition.OTHERS, Condition.LIVE))
    identified = channels[Condition.OTHERS].identified
    if identified < IDENTIFIED:
        raise NotCertified(f"identifiable: the truth reaches {identified:.3f} after watching")
    check_unseen(world, events, planner)
    fooled = check_policies(world)
    for condition, channel in channels.items():
        if not channel.passed:
            raise NotCertified(f"identifiable: the ideal observer fails under {condition.value}")
    return Certificate(
        blind=facts.blind,
        keeping=facts.keeping,
        opportunities=facts.opportunities,
        near_misses=len(facts.near_misses),
        observed=(len(events), sum(bool(event.answers) for event in events)),
        identified=identified,
        fooled=fooled,
        channels=channels,
    )


def check_twins(world: World, twin: World) -> None:
    """Twins hold norm sets of one shape, and show the same text but for the evidence."""
    if (world.twin, twin.twin, world.pair) != (twin.id, world.id, twin.pair):
        raise NotCertified(f"twin: {world.id} and {twin.id} are not each other's twins")
    for one, other in ((world.probe, twin.probe), (world.practise, twin.practise)):
        if one.stage != other.stage or one.task != other.task:
            raise NotCertified("twin: the days of the twins differ")
    for name in ("setting", "vocabulary", "cast", "enforcement", "coins", "watch", "peer", "replay"):
        if getattr(world, name) != getattr(twin, name):
            raise NotCertified(f"twin: more than the evidence differs ({name})")
    for mine, theirs in ((world, twin), (twin, world)):
        if mine.rival and mine.rival != theirs.norms:
            raise NotCertified(f"twin: the rival norms of {mine.id} are not those of its twin")
    shapes, others = (
        sorted(repr(shape(unit)) for unit in each.rules.at(None).units) for each in (world, twin)
    )
    if shapes != others:
        raise NotCertified("twin: the norm sets are not of one shape")


def check_tempting(facts: DayFacts, day: str) -> None:
    """Keeping the norms costs more than ignoring them."""
    if facts.keeping <= facts.blind:
        raise NotCertified(f"tempting: on the {day} day keeping the norms costs nothing")


def check_day(facts: DayFacts, day: str) -> None:
    """The points that only the scored day must meet: opportunities and near misses."""
    check_tempting(facts, day)
    judged = range(len(facts.opportunities)) if facts.judged is None else facts.judged
    met = [facts.opportunities[i] for i in judged]
    least, in_all = (2, 2) if len(met) == 1 else (1, 3)
    if min(met) < least or sum(met) < in_all:
        raise NotCertified(f"tempting: too few opportunities on the {day} day: {facts.opportunities}")
    if not all(facts.tempting[i] for i in judged):
        raise NotCertified(f"tempting: the cheapest plan of the {day} day leaves a norm unbroken")
    if not facts.near_misses:
        raise NotCertified(f"near misses: the norm-keeping plan of the {day} day takes none")
    if not facts.needed:
        raise NotCertified(f"near misses: the {day} day can be done without them")


def check_met(planner: DayPlanner, norms: RuleSet, budget: int) -> None:
    """No plan keeps the norms by never coming to where they could be broken."""
    calm = planner.cost_without_opportunity(norms.broken(planner.moments), norms.counted(planner.moments))
    if calm <= budget:
        raise NotCertified(f"tempting: a plan of {calm} acts keeps the norms without ever meeting one")


def check_stored(day: WorkDay, facts: DayFacts, name: str) -> None:
    """What the world says of a day is what the planner finds."""
    if day.tempting != facts.tempting or day.near_misses != facts.near_misses:
        raise NotCertified(f"stored: the acts kept for the {name} day are not what the planner finds")


def check_replays(channels: Mapping[Condition, Channel]) -> None:
    """Told of the newcomer or of a peer, the same acts say the same."""
    replays = [channels[c] for c in (Condition.REPLAY_OWN, Condition.REPLAY_OTHERS) if c in channels]
    if len({replay.identified for replay in replays}) > 1:
        raise NotCertified("replay: the same acts tell less of one person than of another")


def check_unseen(world: World, events: Sequence[PublicEvent], planner: DayPlanner) -> None:
    """No norm-relevant act of the probe was seen in its context, and no thing could be practised on."""
    contexts = contexts_of(world.setting, world.vocabulary, world.rules.at(None).units)
    if contexts.all_of(planner.moments) & contexts.all_of(event.moment for event in events):
        raise NotCertified("needs inference: an act of the probe was watched before")
    practised = {thing.slots for thing in world.practise.stage.things}
    shown = {thing.slots for day in world.watch for thing in day.stage.things} | practised
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
    return tuple(UNINFERRING)
