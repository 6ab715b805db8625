"""The community plays what certificates are proved with: the same acts, the same answers, the same findings."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from normgym_agents.community.log import ActEvent, SanctionEvent, TaskEvent, VerdictEvent
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.episodes import play_episode
from normgym_agents.newcomers.reference import POLICIES, reference
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import BASE, Condition, Phase
from normgym_agents.worlds.policies import AlwaysAbstain, NormBlind, ToldOracle
from normgym_agents.worlds.public import NewcomerView
from normgym_agents.worlds.rollout import DayResult, play, play_all, transcript_of, watched
from normgym_agents.worlds.world import World
from tests.worlds.furnishing import furnished
from tests.worlds.making import quick, world_of


class Played(NamedTuple):
    """Who did what, and whether it was answered."""

    day: int
    round: int
    actor: str
    act: Act
    answered: bool


def rolled_out(world: World, name: str, condition: Condition, trial: int) -> tuple[list[Played], DayResult]:
    """The whole episode, day by day, as `rollout.play` puts it together."""
    arrangement = arrange(world, condition, trial)
    results = play_all(arrangement, POLICIES[name](0))
    events = [*watched(world, condition), *(event for result in results for event in result.events)]
    return [Played(e.day, e.round, e.actor, e.act, bool(e.answers)) for e in events], results[-1]


@pytest.mark.parametrize("world", quick().worlds, ids=lambda world: world.id)
async def test_the_community_plays_what_the_rollout_plays(world: World) -> None:
    # Every policy in one world of each pair; in the other, one that shows what is watched and answered there.
    assert world.seed is not None
    names = list(POLICIES) if (world.seed[1] % 2 == 1) == world.id.endswith("b") else ["norm-blind"]
    for name in names:
        for condition in BASE:
            record = await play_episode(
                world, condition, 0, reference(name)({}), driver="loop", limits=Limits()
            )
            assert record.error is None
            answers = {(e.day, e.round, e.whom) for e in record.events if isinstance(e, SanctionEvent)}
            acts = [
                Played(e.day, e.round, e.actor, e.act, (e.day, e.round, e.actor) in answers)
                for e in record.events
                if isinstance(e, ActEvent) and e.act is not None
            ]
            expected, result = rolled_out(world, name, condition, 0)
            assert acts == expected, f"{name} under {condition.value}"
            assert record.scores is not None
            found = (record.scores.task, record.scores.violations, record.scores.opportunities)
            assert found == (result.done, result.violations, sum(result.opportunities))
            tasks = [e.done for e in record.events if isinstance(e, TaskEvent) and e.phase is Phase.PROBE]
            assert tasks == [result.done]


@pytest.mark.parametrize("condition", [c for c in Condition if c not in BASE])
async def test_so_it_does_in_every_other_condition(condition: Condition) -> None:
    for world in (furnished("001a"), furnished("004b")):
        for name in ("random", "norm-blind"):
            # What was watched is the own transcript of each, of the community's episode and of the rollout.
            own = play_all(arrange(world, Condition.OWN), POLICIES[name](0))
            transcript = transcript_of(own) if condition is Condition.YOKED else None
            record = await play_episode(
                world,
                condition,
                0,
                reference(name)({}),
                driver="loop",
                limits=Limits(),
                transcript=transcript,
            )
            assert record.error is None
            answers = {(e.day, e.round, e.whom) for e in record.events if isinstance(e, SanctionEvent)}
            acts = [
                Played(e.day, e.round, e.actor, e.act, (e.day, e.round, e.actor) in answers)
                for e in record.events
                if isinstance(e, ActEvent) and e.act is not None
            ]
            results = play_all(arrange(world, condition, transcript=transcript), POLICIES[name](0))
            seen = watched(world, condition, transcript=transcript)
            events = [*seen, *(event for result in results for event in result.events)]
            assert acts == [Played(e.day, e.round, e.actor, e.act, bool(e.answers)) for e in events]
            verdicts = [
                e.verdict
                for e in record.events
                if isinstance(e, VerdictEvent) and e.newcomer and e.bound and e.phase is Phase.PROBE
            ]
            assert verdicts.count(Verdict.VIOLATED) == results[-1].violations
            assert len(verdicts) == sum(results[-1].opportunities)


async def test_other_trials_toss_other_coins_for_practice_only() -> None:
    world, name = world_of("001a"), "norm-blind"
    outcomes = set()
    for trial in range(6):
        record = await play_episode(
            world, Condition.LIVE, trial, reference(name)({}), driver="loop", limits=Limits()
        )
        practised = tuple(
            (e.round, e.whom)
            for e in record.events
            if isinstance(e, SanctionEvent) and e.phase is Phase.PRACTISE
        )
        outcomes.add(practised)
        expected, _ = rolled_out(world, name, Condition.LIVE, trial)
        mine = [(p.round, p.actor) for p in expected if p.answered and p.day == len(world.watch) + 1]
        assert list(practised) == mine
        seen = [e for e in record.events if isinstance(e, SanctionEvent) and e.phase is Phase.WATCH]
        assert len(seen) == sum(bool(event.answers) for event in watched(world))
    assert len(outcomes) > 1


@pytest.mark.parametrize("condition", BASE)
def test_play_is_its_phases_put_together(condition: Condition) -> None:
    world = world_of("004a")
    _, expected = rolled_out(world, "ideal-observer", condition, 0)
    assert play(world, POLICIES["ideal-observer"](0), condition) == expected


def test_nobody_is_answered_in_the_probe() -> None:
    for world in quick().worlds[::4]:
        assert not any(event.answers for event in play(world, NormBlind(), Condition.LIVE).events)


def test_the_ends_of_a_scored_day() -> None:
    world = world_of("000a")
    told = play(world, ToldOracle(), Condition.TOLD)
    assert world.certificate is not None
    assert told.passed
    assert len(told.events) == world.certificate.keeping
    blind = play(world, NormBlind(), Condition.TOLD)
    assert blind.done
    assert blind.violations > 0
    assert not blind.passed
    assert len(blind.events) == world.certificate.blind
    idle = play(world, AlwaysAbstain(), Condition.TOLD)
    assert (idle.done, idle.violations, idle.passed) == (False, 0, False)
    assert len(idle.events) == world.probe.task.budget


def test_an_impossible_choice_is_no_turn() -> None:
    class Astray:
        def choose(self, view: NewcomerView) -> Act:
            return Act(verb="go", place="moon")

    with pytest.raises(ValueError, match="a policy chose an act that is not possible"):
        play(world_of("000a"), Astray(), Condition.NONE)
