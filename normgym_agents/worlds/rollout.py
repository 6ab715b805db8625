"""Playing a policy through a world without a community: what certificates are proved with.

The community plays the same arrangements with members, sanction words and spans; a test holds both to the
same acts and answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.arrangement import Arrangement, arrange
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.days import Day
from normgym_agents.worlds.policies import Policy
from normgym_agents.worlds.programme import Transcript
from normgym_agents.worlds.public import Answer, PublicEvent, PublicSanction
from normgym_agents.worlds.scripts import choices_of
from normgym_agents.worlds.views import newcomer_view, public_event, scripted_events
from normgym_agents.worlds.world import World


class DayResult(NamedTuple):
    """How a policy's day went.

    Attributes:
        done: Whether the task was done in time.
        violations: Breaches of norms in force, counted per norm.
        opportunities: Opportunities, per norm in force.
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


def watched(
    world: World, condition: Condition = Condition.OTHERS, *, transcript: Transcript | None = None
) -> tuple[PublicEvent, ...]:
    """What a newcomer sees on the watched days of a condition.

    Raises:
        ValueError: An act of the schedule is not possible, or the world lacks what the condition shows.
    """
    return _watched(arrange(world, condition, transcript=transcript))


def _watched(arrangement: Arrangement) -> tuple[PublicEvent, ...]:
    return tuple(event for day in arrangement.days for event in _watch(arrangement, day))


def _watch(arrangement: Arrangement, day: Day) -> list[PublicEvent]:
    if day.script is None:
        return []
    events = scripted_events(arrangement.world.setting, day)
    broken = day.script.broken(day.in_force.rules)
    return [
        _answered(arrangement, day, event, scene.person, broken=bool(of_scene))
        for event, scene, of_scene in zip(events, day.script.scenes, broken, strict=True)
    ]


def play_day(
    arrangement: Arrangement, day: Day, policy: Policy, *, before: Sequence[PublicEvent]
) -> DayResult:
    """Play one working day.

    Args:
        arrangement: The arrangement.
        day: One of its working days.
        policy: Who acts.
        before: What was seen on the days before.
    """
    world, work = arrangement.world, day.work
    if work is None:
        raise ValueError(f"{world.id}: day {day.number} is only watched")
    yard, state, me = day.yard, day.stage.morning(), day.stage.newcomer
    rules = day.in_force.rules
    events: list[PublicEvent] = []
    violations, opportunities = 0, [0] * len(rules.norms)
    for round_number in range(1, work.task.budget + 1):
        view = newcomer_view(
            setting=world.setting,
            vocabulary=world.vocabulary,
            yard=yard,
            state=state,
            task=work.task,
            day=day.number,
            round_number=round_number,
            events=(*before, *events),
            new_events=len(events),
            told=arrangement.told,
            announced=arrangement.announced(day.number),
            seen=arrangement.seen(day, round_number),
        )
        ground = yard.ground(policy.choose(view))
        if ground is None or not yard.possible(state, me, ground):
            raise ValueError(f"{world.id}: a policy chose an act that is not possible")
        moment = yard.moment(state, me, ground, round_number)
        choices = choices_of(yard, state, me, round_number).values()
        for i in range(len(rules.norms)):
            verdict = rules.evaluate(i, moment, choices)
            violations += verdict is Verdict.VIOLATED
            opportunities[i] += verdict is not Verdict.NO_OPPORTUNITY
        event = public_event(
            world.setting, yard, state, me, ground, day=day.number, round_number=round_number
        )
        events.append(_answered(arrangement, day, event, me, broken=rules.violates(moment)))
        state = yard.step(state, me, ground)
        if work.task.done(day.stage, state):
            return DayResult(True, violations, tuple(opportunities), tuple(events))
    return DayResult(False, violations, tuple(opportunities), tuple(events))


def play(
    world: World,
    policy: Policy,
    condition: Condition,
    *,
    trial: int = 0,
    transcript: Transcript | None = None,
) -> DayResult:
    """Play all days of a condition and return the probe's result."""
    return play_all(arrange(world, condition, trial, transcript=transcript), policy)[-1]


def play_all(arrangement: Arrangement, policy: Policy) -> list[DayResult]:
    """Play all days and return the results of the working ones, the probe's last."""
    seen: tuple[PublicEvent, ...] = _watched(arrangement)
    results: list[DayResult] = []
    for day in arrangement.days:
        if day.phase is not Phase.WATCH:
            results.append(play_day(arrangement, day, policy, before=seen))
            seen = (*seen, *results[-1].events)
    return results


def transcript_of(results: Sequence[DayResult]) -> Transcript:
    """What a policy did on the days of practice among these results."""
    return tuple(tuple(event.act for event in result.events) for result in results[:-1])


def _answered(
    arrangement: Arrangement, day: Day, event: PublicEvent, person: int, *, broken: bool
) -> PublicEvent:
    if not arrangement.answered(day, event.round, person, broken=broken):
        return event
    answer = PublicSanction(member="", whom=event.actor, answer=Answer.GESTURE, act=event.act)
    return event.model_copy(update={"answers": (answer,)})
