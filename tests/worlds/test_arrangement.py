"""What each condition makes of a world."""

from __future__ import annotations

from typing import Any

import pytest

from normgym_agents.norms.hypotheses import HypothesisSpace, enumerate_norms
from normgym_agents.norms.observer import IdealObserver
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.arrangement import arrange, lacks
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.policies import NormBlind
from normgym_agents.worlds.public import PublicEvent
from normgym_agents.worlds.rollout import play_all, transcript_of, watched
from normgym_agents.worlds.world import World
from tests.worlds.furnishing import furnished
from tests.worlds.making import quick, twin_of, world_of

NAMES = [world.id[-4:] for world in quick().worlds]
SOME = NAMES[::3]


def answers(events: tuple[PublicEvent, ...]) -> list[bool]:
    return [bool(event.answers) for event in events]


def facts(events: tuple[PublicEvent, ...]) -> list[Any]:
    """Who did what where, whatever day and round it is called."""
    return [(e.actor, e.role, e.act, e.moment, e.here, e.held) for e in events]


@pytest.mark.parametrize("name", SOME)
def test_under_shuffled_as_many_acts_are_answered_and_others(name: str) -> None:
    world = furnished(name)
    plain, dealt = watched(world), watched(world, Condition.SHUFFLED)
    assert facts(plain) == facts(dealt)
    assert sum(answers(plain)) == sum(answers(dealt))
    assert answers(plain) != answers(dealt)
    assert dealt == watched(world, Condition.SHUFFLED)


def test_shuffled_answers_fall_on_breaches_no_more_often_than_on_other_acts() -> None:
    broken = answered = both = total = 0
    for name in NAMES:
        world = furnished(name)
        for event in watched(world, Condition.SHUFFLED):
            breach = world.rules.violates(event.moment)
            broken, answered = broken + breach, answered + bool(event.answers)
            both, total = both + (breach and bool(event.answers)), total + 1
    # Of a hypergeometric count: its mean, and three of its standard deviations.
    mean = broken * answered / total
    spread = (mean * (1 - broken / total) * (total - answered) / (total - 1)) ** 0.5
    assert abs(both - mean) < 3 * spread


@pytest.mark.parametrize("name", SOME)
def test_ghosts_do_the_same_and_nobody_minds(name: str) -> None:
    world = furnished(name)
    ghost = watched(world, Condition.GHOST)
    assert facts(ghost) == facts(watched(world))
    assert not any(answers(ghost))


@pytest.mark.parametrize("name", SOME)
def test_habits_stand_between_the_rounds_and_change_nothing(name: str) -> None:
    world = furnished(name)
    events = watched(world, Condition.HABITS)
    said = [event for event in events if event.act.say in world.setting.habits]
    assert facts(tuple(e for e in events if e not in said)) == facts(watched(world))
    assert answers(tuple(e for e in events if e not in said)) == answers(watched(world))
    assert len({event.act for event in said}) == 1
    assert not any(answers(tuple(said)))
    assert len(said) == len(world.cast.members) * sum(len(day.script) // 2 for day in world.watch)
    for event in said:
        day = arrange(world, Condition.HABITS).day(event.day)
        assert event.moment.signals == day.stage.configurations[event.round - 2]
        assert not world.rules.violates(event.moment)


@pytest.mark.parametrize("name", SOME)
def test_without_norms_only_mistakes_are_answered(name: str) -> None:
    world = furnished(name)
    absent = watched(world, Condition.ABSENT)
    assert facts(absent) == facts(watched(world))
    for event, plain in zip(absent, watched(world), strict=True):
        if world.rules.violates(event.moment):
            # The same coin: what is answered by mistake would have been answered anyway.
            assert not event.answers or plain.answers
        else:
            assert bool(event.answers) == bool(plain.answers)
    assert sum(answers(absent)) < sum(answers(watched(world)))
    days = arrange(world, Condition.ABSENT).days
    assert all(day.in_force.norms == () for day in days)
    assert [(one.label, one.bound, one.norms) for one in days[-1].judged] == [("N", False, world.parsed)]


@pytest.mark.parametrize("name", SOME)
def test_the_wrong_role_alone_is_bound(name: str) -> None:
    world = furnished(name)
    overseer = world.vocabulary.overseer
    day = arrange(world, Condition.WRONG_ROLE).days[-1]
    assert [(one.label, one.bound) for one in day.judged] == [("W", True), ("N", False)]
    for event in watched(world, Condition.WRONG_ROLE):
        broken = day.in_force.rules.violates(event.moment)
        assert not broken or event.role == overseer
    result = play_all(arrange(world, Condition.WRONG_ROLE), NormBlind())[-1]
    assert (sum(result.opportunities), result.violations) == (0, 0)


@pytest.mark.parametrize("name", SOME)
def test_norms_change_from_the_twins_to_the_worlds_own(name: str) -> None:
    world = furnished(name)
    twin = twin_of(world_of(name))
    events = watched(world, Condition.CHANGE)
    half = len(events) // 2
    assert facts(events[:half]) == facts(events[half:]) == facts(watched(world))
    # Twins share their coins, so each half is evidence that was certified.
    assert answers(events[:half]) == answers(watched(twin))
    assert answers(events[half:]) == answers(watched(world))
    assert [event.day for event in events] == sorted(event.day for event in events)
    days = arrange(world, Condition.CHANGE).days
    first, last = days[0], days[-1]
    assert [(one.label, one.bound, one.norms) for one in first.judged] == [
        ("P", True, twin.parsed), ("N", False, world.parsed),
    ]  # fmt: skip
    assert [(one.label, one.bound) for one in last.judged] == [("N", True), ("P", False)]
    told = [day.number for day in days if day.announced]
    assert arrange(world, Condition.CHANGE).announced(len(world.watch)) == ()
    assert arrange(world, Condition.CHANGE).announced(last.number) == tuple(told)
    assert told in ([], [len(world.watch) + 1])
    pair = furnished(twin.id[-4:])
    assert told == [day.number for day in arrange(pair, Condition.CHANGE).days if day.announced]


def test_a_change_is_announced_in_some_pairs_and_silent_in_others() -> None:
    found = {any(day.announced for day in arrange(furnished(n), Condition.CHANGE).days) for n in NAMES}
    assert found == {True, False}


def test_in_the_probe_it_is_said_at_each_act_whether_somebody_looks() -> None:
    for condition in (Condition.UNOBSERVED, Condition.LIVE):
        said = []
        for name in NAMES:
            arrangement = arrange(furnished(name), condition)
            day = arrangement.days[-1]
            said += [arrangement.seen(day, number) for number in range(1, day.rounds + 1)]
            assert all(arrangement.seen(other, 1) is None for other in arrangement.days[:-1])
        if condition is Condition.LIVE:
            assert set(said) == {None}
        else:
            # A fair coin: within three standard deviations of one half.
            assert abs(sum(map(bool, said)) - len(said) / 2) < 1.5 * len(said) ** 0.5


@pytest.mark.parametrize("name", SOME)
def test_a_yoked_newcomer_watches_its_own_days_as_a_peers(name: str) -> None:
    world = furnished(name)
    for trial in (0, 1):
        results = play_all(arrange(world, Condition.OWN, trial), NormBlind())
        own = tuple(event for result in results[:-1] for event in result.events)
        assert len(results) == 4
        arrangement = arrange(world, Condition.YOKED, trial, transcript=transcript_of(results))
        yoked = play_all(arrangement, NormBlind())
        assert len(yoked) == 1
        events = tuple(scene.moment for day in arrangement.days if day.script for scene in day.script.scenes)
        assert events == tuple(event.moment for event in own)
        shown = watched(world, Condition.YOKED, transcript=transcript_of(results)) if trial == 0 else ()
        for mine, theirs in zip(own, shown, strict=False):
            assert mine.actor == world.cast.newcomer
            assert theirs.actor == world.cast.members[world.peer or 0].name
            assert (mine.role, mine.here, mine.held) == (theirs.role, theirs.here, theirs.held)
            assert bool(mine.answers) == bool(theirs.answers)


def test_days_of_practice_toss_other_coins_each_time() -> None:
    seen = set()
    for name in NAMES:
        results = play_all(arrange(furnished(name), Condition.OWN), NormBlind())
        days = [[bool(event.answers) for event in result.events] for result in results[:-1]]
        seen.add(days[0] == days[1] == days[2])
        first = play_all(arrange(furnished(name), Condition.LIVE), NormBlind())[0]
        assert days[0] == [bool(event.answers) for event in first.events]
    assert False in seen


@pytest.mark.parametrize("name", SOME)
def test_choices_are_shown_and_never_answered(name: str) -> None:
    world = furnished(name)
    events = watched(world, Condition.COMPLIANCE)
    assert events and not any(answers(events))
    scripted = [act for day in world.choices for acts in day.script for act in acts]
    assert [(e.act, e.passed is not None, e.easier) for e in events] == [
        (one.act, one.passed is not None, one.easier) for one in scripted
    ]


@pytest.mark.parametrize("name", NAMES)
def test_replays_differ_in_who_acts_alone(name: str) -> None:
    """Equal counts, equal facts, and an equal posterior of the ideal observer."""
    world = furnished(name)
    own, others = watched(world, Condition.REPLAY_OWN), watched(world, Condition.REPLAY_OTHERS)
    assert len(own) == len(others) > 0
    assert world.peer is not None
    assert {event.actor for event in own} == {world.cast.newcomer}
    assert {event.actor for event in others} == {world.cast.members[world.peer].name}
    for mine, theirs in zip(own, others, strict=True):
        assert (mine.role, mine.moment, mine.thing, mine.here, mine.held, mine.day, mine.round) == (
            theirs.role, theirs.moment, theirs.thing, theirs.here, theirs.held, theirs.day, theirs.round,
        )  # fmt: skip
        assert bool(mine.answers) == bool(theirs.answers)
    assert posterior(world, own) == pytest.approx(posterior(world, others), abs=1e-9)


def posterior(world: World, events: tuple[PublicEvent, ...]) -> Any:
    space = HypothesisSpace(enumerate_norms(world.vocabulary))
    observer = IdealObserver(space.norms, world.enforcement.rates)
    table = space.table([event.moment for event in events])
    for column, event in zip(table.T, events, strict=True):
        observer.observe(column, sanctioned=bool(event.answers))
    return observer.violation_probability(table)


def test_what_a_world_lacks_is_named() -> None:
    bare = world_of("000a").model_copy(update={"rival": (), "replay": (), "choices": ()})
    for condition in (Condition.CHANGE, Condition.REPLAY_OWN, Condition.REPLAY_OTHERS, Condition.COMPLIANCE):
        missing = lacks(bare, condition)
        assert missing is not None
        with pytest.raises(ValueError, match=f"cannot be played under {condition.value}: {missing}"):
            arrange(bare, condition)
    assert all(lacks(furnished("000a"), condition) is None for condition in Condition)


@pytest.mark.parametrize("condition", [Condition.YOKED, Condition.OWN])
def test_a_transcript_is_for_yoked_episodes_alone(condition: Condition) -> None:
    given = None if condition is Condition.YOKED else ((Act(verb="wait"),),)
    with pytest.raises(ValueError, match="a transcript is for yoked episodes"):
        arrange(furnished("000a"), condition, transcript=given)


@pytest.mark.parametrize("condition", Condition)
def test_an_arrangement_has_the_phases_of_its_condition(condition: Condition) -> None:
    transcript = ((Act(verb="wait"),),) if condition is Condition.YOKED else None
    days = arrange(furnished("000a"), condition, transcript=transcript).days
    assert [day.number for day in days] == list(range(1, len(days) + 1))
    assert tuple(dict.fromkeys(day.phase for day in days)) == condition.phases
    assert all((day.script is None) == (day.phase is not Phase.WATCH) for day in days)
    assert [day.work for day in days if day.phase is Phase.PROBE] == [furnished("000a").probe]


def test_a_norm_that_changes_stands_as_it_does_on_each_day() -> None:
    world = furnished("000a")
    verb, other = (entry.verb for entry in world.vocabulary.verbs[:2])
    text = f"forbid {verb} until day 2 announced then forbid {other}"
    changing = world.model_copy(update={"norms": (text,)})
    days = arrange(changing, Condition.OTHERS).days
    stands = [day.own.rules.norms[0].act.verb for day in days]
    assert stands == [verb] * 2 + [other] * (len(days) - 2)
    assert [day.number for day in days if day.announced] == [3]
    assert not any(day.announced for day in arrange(changing, Condition.ABSENT).days)
    assert arrange(changing, Condition.TOLD).told == (f"forbid {other}",)
    bound = arrange(changing, Condition.WRONG_ROLE).days
    assert {one.bearer.role for day in bound for one in day.in_force.rules.norms if one.bearer} == {
        world.vocabulary.overseer
    }
    late = changing.model_copy(update={"norms": (text.replace("day 2", f"day {len(world.watch)}"),)})
    assert [day.phase for day in arrange(late, Condition.LIVE).days if day.announced] == [Phase.PRACTISE]
    assert not any(day.announced for day in arrange(late, Condition.OWN).days)
