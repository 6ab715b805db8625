from __future__ import annotations

from itertools import groupby

import pytest

from normgym_agents.community.personas import read_setting
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.layout import LONGEST_DAY, Cast, draw_cast, draw_watch_day, draw_work_day
from normgym_agents.worlds.lexicon import Lexicon, draw_lexicon
from normgym_agents.worlds.stage import Stage
from tests.worlds.making import yard_setting

PERSONAS = [(name.lower(), name) for name in ("Mira", "Sef", "Oren", "Dalia", "Bram", "Yusra")]
SEEDS = range(30)


def cast_of(seed: int) -> tuple[Lexicon, Cast]:
    lexicon = draw_lexicon(yard_setting(), Draws("words", seed))
    return lexicon, draw_cast(PERSONAS, lexicon, Draws("cast", seed))


def connected(stage: Stage) -> bool:
    seen, edge = {0}, [0]
    while edge:
        fresh = stage.neighbours[edge.pop()] - seen
        seen |= fresh
        edge += fresh
    return len(seen) == len(stage.places)


def check_stage(stage: Stage, lexicon: Lexicon, cast: Cast) -> None:
    assert stage.places == lexicon.places
    assert stage.workplace == lexicon.places[-1]
    assert connected(stage)
    assert len(stage.paths) in (len(stage.places) - 1, len(stage.places))
    assert len({frozenset(path) for path in stage.paths}) == len(stage.paths)
    assert [person.name for person in stage.people] == [*(m.name for m in cast.members), cast.newcomer]
    assert [person.role for person in stage.people] == [*(m.role for m in cast.members), cast.role]
    assert not stage.people[stage.newcomer].receives
    assert all(person.place in stage.places for person in stage.people)
    assert all(thing.home in stage.places for thing in stage.things)
    assert len({thing.id for thing in stage.things}) == len(stage.things)
    assert set(stage.signals) == set(lexicon.signals)
    for name, course in stage.signals.items():
        assert len(course) == stage.rounds
        runs = [len(list(run)) for _, run in groupby(course)]
        assert all(2 <= length <= 4 for length in runs[:-1])
        assert runs[-1] <= 4
        assert set(course) <= set(lexicon.signals[name])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("template", ["carry", "fire"])
def test_a_working_day_can_be_played(seed: int, template: str) -> None:
    (lexicon, cast), kind = cast_of(seed), yard_setting().tasks[template]
    stage, task = draw_work_day(
        yard_setting(), lexicon, cast, template, lexicon.unseen, Draws("day", template, seed)
    )
    check_stage(stage, lexicon, cast)
    assert stage.rounds == task.budget == LONGEST_DAY
    assert (task.template, task.count, task.worked) == (template, kind.count, kind.worked)
    assert task.form == lexicon.attributes["form"][0]
    fitting = [stage.things[i] for i in task.fitting(stage)]
    looks = {tuple(sorted(one.items())) for one in lexicon.unseen}
    assert {thing.slots for thing in stage.things} <= looks
    # Every fitting kind lies there, with enough to spare that one kind can be left alone.
    assert {thing.slots for thing in fitting} == {one for one in looks if ("form", task.form) in one}
    assert len(fitting) >= task.count + 2
    assert len(fitting) == len(stage.things) - 1
    assert 1 <= sum(person.receives for person in stage.people) <= 2
    assert "{" not in task.sentence
    for person in stage.people:
        assert (person.name in task.sentence) == person.receives
    if not kind.worked:
        assert not any(thing.worked for thing in stage.things)
    else:
        assert all(thing.home != stage.workplace for thing in stage.things)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_watched_day_shows_every_seen_kind_once(seed: int) -> None:
    lexicon, cast = cast_of(seed)
    stage = draw_watch_day(lexicon, cast, 4, Draws("watch", seed))
    check_stage(stage, lexicon, cast)
    assert sorted(thing.slots for thing in stage.things) == sorted(
        tuple(sorted(one.items())) for one in lexicon.seen
    )
    assert not any(thing.worked for thing in stage.things)
    assert all(person.receives for person in stage.people[:-1])
    assert len({thing.home for thing in stage.things} | {person.place for person in stage.people}) <= 2


@pytest.mark.parametrize("seed", SEEDS)
def test_every_role_is_played_and_the_newcomer_oversees_nobody(seed: int) -> None:
    lexicon, cast = cast_of(seed)
    assert {member.role for member in cast.members} == set(lexicon.roles)
    assert cast.role in lexicon.roles[1:]
    assert sorted((member.persona, member.name) for member in cast.members) == sorted(PERSONAS)
    assert cast.newcomer == lexicon.newcomer


def test_nobody_shares_the_newcomer_s_name() -> None:
    lexicon = draw_lexicon(yard_setting(), Draws("words", 0))
    cast = draw_cast([("twin", lexicon.newcomer), *PERSONAS], lexicon, Draws("cast"))
    names = [*(member.name for member in cast.members), cast.newcomer]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("seed", range(6))
def test_members_want_to_be_asked_where_there_are_topics(seed: int) -> None:
    setting = read_setting("triage-desk")
    lexicon = draw_lexicon(setting, Draws("words", seed))
    cast = draw_cast(PERSONAS, lexicon, Draws("cast", seed))
    work, _ = draw_work_day(setting, lexicon, cast, "hand", lexicon.unseen, Draws("day", seed))
    for stage in (work, draw_watch_day(lexicon, cast, 4, Draws("watch", seed))):
        assert (stage.topics, stage.addresses) == (lexicon.topics, lexicon.addresses)
        assert {person.topic for person in stage.people[:-1]} == set(lexicon.topics)
        assert stage.people[stage.newcomer].topic is None
    receivers = [person.topic for person in work.people if person.receives]
    assert len(set(receivers)) == len(receivers)


def test_days_differ_by_their_key_alone() -> None:
    lexicon, cast = cast_of(0)
    days = [draw_watch_day(lexicon, cast, 4, Draws("watch", seed)) for seed in (1, 1, 2)]
    assert days[0] == days[1] != days[2]


def test_signals_turn_on_working_days() -> None:
    lexicon, cast = cast_of(0)
    stage, _ = draw_work_day(yard_setting(), lexicon, cast, "carry", lexicon.seen, Draws("day"))
    assert all(len(set(course)) == 2 for course in stage.signals.values())
