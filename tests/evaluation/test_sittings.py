"""A person's episodes: which worlds come when, and what is kept of a sitting."""

import json
from dataclasses import replace

import pytest

from normgym_agents.errors import BadInput, LeftEarly
from normgym_agents.evaluation.api import evaluate
from normgym_agents.evaluation.compare import compare
from normgym_agents.evaluation.config import Limits, RunConfig
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.rescoring import rescore
from normgym_agents.evaluation.sittings import DEADLINE, TOLD_BETWEEN, order_of, sit, sitting_plan
from normgym_agents.evaluation.store import read_records
from normgym_agents.newcomers.acting import read_text
from normgym_agents.newcomers.person import adapt_person, person_name, phrases
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.suites import load_suite

QUICK = load_suite("quick")


def planned(hear, *, name="person:P07", alone=False, world=None, condition=Condition.NONE, **more):
    async def hear_rules(_):
        return "Nobody may take anything that is sarn."

    config = RunConfig(
        newcomer=name, conditions=(condition,), limits=Limits(deadline=DEADLINE), driver="loop", **more
    )
    return sitting_plan(config, QUICK, adapt_person(hear, hear_rules), world=world, alone=alone)


async def waits(_):
    return "I'd rather wait."


async def leaves(_):
    raise LeftEarly("got up")


def test_twins_are_as_far_apart_as_can_be_and_everybody_has_an_order():
    orders = {name: order_of(QUICK.worlds, 0, name) for name in ("P01", "P02", "P03")}
    for worlds in orders.values():
        assert sorted(w.id for w in worlds) == sorted(w.id for w in QUICK.worlds)
        assert [w.pair for w in worlds[:6]] == [w.pair for w in worlds[6:]]
        assert len({w.pair for w in worlds[:6]}) == 6
    assert len({tuple(w.id for w in worlds) for worlds in orders.values()}) == 3
    assert orders["P01"] == order_of(QUICK.worlds, 0, "P01") != order_of(QUICK.worlds, 1, "P01")
    # Who comes first of a pair is a coin, not the letter.
    assert {world.id[-1] for world in orders["P01"][:6]} == {"a", "b"}


async def test_sittings_add_up_to_a_run_like_any_other(tmp_path):
    folder = tmp_path / "P07"
    plan = planned(waits, worlds=4)
    assert not folder.exists()
    lefts = []
    for number in range(4):
        sitting = await sit(plan, folder, resume=number > 0)
        assert sitting.episode == plan.episodes[number]
        lefts.append(sitting.left)
        found = rescore(folder)
        assert not found.differences and found.summarised
        assert (found.result.partial is None) is (number == 3)
    assert lefts == [3, 2, 1, 0]
    assert (folder / "report.html").exists()
    assert {r.newcomer for r in read_records(folder).records} == {"person:P07"}
    with pytest.raises(BadInput, match="person:P07 has played every world"):
        await sit(plan, folder, resume=True)


async def test_whoever_gets_up_is_not_scored_and_does_not_see_that_world_again(tmp_path):
    turns = []

    async def leaves_at_the_third(observation):
        turns.append(observation)
        if len(turns) == 3:
            raise LeftEarly("got up")
        return "wait"

    first = await sit(planned(leaves_at_the_third), tmp_path / "P07", resume=False)
    assert (first.record.outcome, first.record.scores) == (Outcome.CANCELLED, None)
    assert sum(e.kind == "act" and e.newcomer for e in first.record.events) == 2
    second = await sit(planned(waits), tmp_path / "P07", resume=True)
    assert second.record.scores is not None
    assert second.episode.world.id != first.episode.world.id
    found = rescore(tmp_path / "P07")
    assert not found.differences
    assert found.result.conditions[Condition.NONE].unscored == {Outcome.CANCELLED: 1}


async def test_nothing_tells_when_somebody_sat_there_or_where(tmp_path):
    await sit(planned(waits, alone=True), tmp_path / "P07", resume=False)
    run = json.loads((tmp_path / "P07" / "run.json").read_text())
    record = json.loads((tmp_path / "P07" / "records.jsonl").read_text())
    assert len(run["created"]) == len(record["clock"]["started"]) == len("2026-12")
    assert record["clock"]["seconds"] == round(record["clock"]["seconds"])
    assert record["clock"]["trace_id"] is None and not (tmp_path / "P07" / "spans.jsonl").exists()
    assert run["config"]["base"] is None


async def test_a_person_is_compared_with_agents_of_another_deadline(tmp_path):
    for number in range(2):
        await sit(planned(waits, worlds=2), tmp_path / "P07", resume=number > 0)
    await evaluate(
        "reference:norm-blind", worlds=2, conditions=["none"], driver="loop", out=tmp_path / "agent"
    )
    found = compare(tmp_path / "agent", tmp_path / "P07")
    assert found.complete
    assert "a turn of A may take 120 s, one of B 86400 s" in found.notes
    await evaluate(
        "reference:random",
        worlds=2,
        conditions=["none"],
        driver="loop",
        out=tmp_path / "other",
        limits=Limits(deadline=60),
    )
    with pytest.raises(BadInput, match=r"config\.limits\.deadline: is 60"):
        compare(tmp_path / "agent", tmp_path / "other")


async def test_what_is_told_between_worlds_is_settled_at_the_first(tmp_path):
    told = replace(planned(waits), notes=(TOLD_BETWEEN,))
    await sit(told, tmp_path / "P07", resume=False)
    assert not rescore(tmp_path / "P07").differences
    with pytest.raises(BadInput, match="--reveal: begun with the other choice"):
        await sit(planned(waits), tmp_path / "P07", resume=True)


async def test_one_re_ask_then_silence(tmp_path):
    asked = []

    async def mumbles(observation):
        asked.append(observation)
        return "take off" if len(asked) < 5 else "wait"

    sitting = await sit(planned(mumbles, alone=True), tmp_path / "person", resume=False)
    assert [one.retry is None for one in asked[:5]] == [True, False, True, False, True]
    assert asked[1].text == asked[1].retry and "You can: " in asked[1].text
    silent = [e for e in sitting.record.events if e.kind == "act" and e.newcomer and e.act is None]
    assert [event.asked for event in silent] == [2, 2]


async def test_they_can_be_asked_for_the_norms(tmp_path):
    sitting = await sit(planned(waits, alone=True, report=True), tmp_path / "person", resume=False)
    assert sitting.record.report is not None and sitting.record.report_scores is not None
    assert not rescore(tmp_path / "person").differences


async def test_what_is_offered_to_type_is_read_as_what_it_offers(tmp_path):
    async def checks(observation):
        view = observation.view
        read = [read_text(phrase, view) for phrase in phrases(view) if not phrase.endswith(" ")]
        assert all(isinstance(act, Act) and act in view.available for act in read)
        assert len(set(read)) == len(read) > 0
        assert "say " in phrases(view)
        return phrases(view)[0]

    record = (await sit(planned(checks, alone=True), tmp_path / "person", resume=False)).record
    assert record.outcome is Outcome.COMPLETED


@pytest.mark.parametrize("code", ["P07", "A1", "XYZ0123"])
def test_codes(code):
    assert person_name(code) == f"person:{code}"


@pytest.mark.parametrize(
    ("given", "looks"),
    [
        ("jane@example.org", "an e-mail"),
        ("Jane Doe", "a name"),
        ("jane", "a name"),
        ("Łukasz", "a name"),
        ("../P07", "no code"),
        ("p07", "no code"),
        ("P08\n", "no code"),
        ("P\u0660\u0667", "no code"),
        ("", "no code"),
        ("DOE1980Z", "no code"),
    ],
)
def test_what_may_tell_who_somebody_is_is_refused_and_not_repeated(given, looks):
    with pytest.raises(BadInput, match=looks) as refused:
        person_name(given)
    assert not given.strip() or given.strip() not in str(refused.value)


def test_worlds_by_name():
    assert planned(waits, world="quick-1-003b", alone=True).episodes[0].world.id == "quick-1-003b"
    assert planned(waits, world="003b", alone=True).episodes[0].world.id == "quick-1-003b"
    with pytest.raises(BadInput, match="--world: suite 'quick' has no world '9'"):
        planned(waits, world="9", alone=True)
    with pytest.raises(BadInput, match="--condition: 'yoked'"):
        planned(waits, condition=Condition.YOKED)
