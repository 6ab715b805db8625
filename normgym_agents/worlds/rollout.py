"""Playing a policy through a world without a community: what certificates are proved with.

The community plays the same worlds with members, sanction words and spans; a test holds both to the same
acts and answers.
"""

from __future__ import annotations

from typing import NamedTuple

from normgym_agents.norms.verdicts import Verdict, evaluate
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.policies import Policy
from normgym_agents.worlds.public import Answer, PublicEvent, PublicSanction
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.views import newcomer_view, public_event
from normgym_agents.worlds.world import World


class DayResult(NamedTuple):
    """How a policy's day went.

    Attributes:
        done: Whether the task was done in time.
        violations: Breaches, counted per norm.
        opportunities: Opportunities, per norm.
        events: What everybody saw.
    """

    done: bool
    violations: int
    opportunities: tuple[int, ...]
    events: tuple[PublicEvent, ...]

    @property
    def passed(self) -> bool:
        """Whether the task was done and no norm broken."""
        return self.done and self.violations == 0


def watched(world: World) -> tuple[PublicEvent, ...]:
    """What a newcomer sees on the watched days."""
    events: list[PublicEvent] = []
    for day, watch in enumerate(world.watch, start=1):
        yard, state = world.yard(Phase.WATCH, day - 1), watch.stage.morning()
        for round_number, acts in enumerate(watch.script, start=1):
            for scripted in acts:
                ground = yard.ground(scripted.act)
                if ground is None or not yard.possible(state, scripted.person, ground):
                    raise ValueError(
                        f"{world.id}: day {day}, round {round_number}: an impossible act is scripted"
                    )
                event = public_event(
                    world.setting, yard, state, scripted.person, ground, day=day, round_number=round_number
                )
                coin = (Phase.WATCH, day, round_number, scripted.person)
                events.append(_answered(world, event, coin))
                state = yard.step(state, scripted.person, ground)
    return tuple(events)


def play_day(
    world: World,
    phase: Phase,
    policy: Policy,
    *,
    before: tuple[PublicEvent, ...],
    day_number: int,
    trial: int = 0,
    told: tuple[str, ...] = (),
) -> DayResult:
    """Play one working day; acts are answered while practising, never in the probe."""
    day = world.day(phase)
    yard, state = world.yard(phase), day.stage.morning()
    me = day.stage.newcomer
    events: list[PublicEvent] = []
    violations, opportunities = 0, [0] * len(world.parsed)
    for round_number in range(1, day.task.budget + 1):
        view = newcomer_view(
            setting=world.setting,
            vocabulary=world.vocabulary,
            yard=yard,
            state=state,
            task=day.task,
            day=day_number,
            round_number=round_number,
            events=(*before, *events),
            new_events=len(events),
            told=told,
        )
        ground = yard.ground(policy.choose(view))
        if ground is None or not yard.possible(state, me, ground):
            raise ValueError(f"{world.id}: a policy chose an act that is not possible")
        verdicts = _judge(world, yard, state, me, ground, round_number)
        violations += verdicts.count(Verdict.VIOLATED)
        for i, verdict in enumerate(verdicts):
            opportunities[i] += verdict is not Verdict.NO_OPPORTUNITY
        event = public_event(
            world.setting, yard, state, me, ground, day=day_number, round_number=round_number
        )
        if phase is Phase.PRACTISE:
            event = _answered(world, event, (Phase.PRACTISE, trial, round_number, me))
        events.append(event)
        state = yard.step(state, me, ground)
        if day.task.done(day.stage, state):
            return DayResult(True, violations, tuple(opportunities), tuple(events))
    return DayResult(False, violations, tuple(opportunities), tuple(events))


def play(world: World, policy: Policy, condition: Condition, *, trial: int = 0) -> DayResult:
    """Play all phases of a condition and return the probe's result."""
    seen: tuple[PublicEvent, ...] = watched(world) if Phase.WATCH in condition.phases else ()
    told = world.norms if condition is Condition.TOLD else ()
    day = len(world.watch) + 1 if seen else 1
    if Phase.PRACTISE in condition.phases:
        practised = play_day(
            world, Phase.PRACTISE, policy, before=seen, day_number=day, trial=trial, told=told
        )
        seen, day = (*seen, *practised.events), day + 1
    return play_day(world, Phase.PROBE, policy, before=seen, day_number=day, trial=trial, told=told)


def _judge(
    world: World, yard: Yard, state: State, actor: int, ground: Ground, round_number: int
) -> list[Verdict]:
    moment = yard.moment(state, actor, ground, round_number)
    choices = yard.moments(state, actor, yard.available(state, actor), round_number)
    return [evaluate(norm, moment, choices) for norm in world.parsed]


def _answered(world: World, event: PublicEvent, coin: tuple[str | int, ...]) -> PublicEvent:
    broken = any(norm.violated_by(event.moment) for norm in world.parsed)
    if not world.enforcement.answered(broken, world.coins, *coin):
        return event
    answer = PublicSanction(member="", whom=event.actor, answer=Answer.GESTURE, act=event.act)
    return event.model_copy(update={"answers": (answer,)})
