from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest

from normgym_agents.community.log import ActEvent
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Limits, RunConfig
from normgym_agents.evaluation.manifest import read_manifest
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.plan import make_plan
from normgym_agents.evaluation.runner import Progress, run_plan
from normgym_agents.evaluation.store import read_records
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import FakeEntrant, FakePlayer, FakeSuite, FakeWorld

EPISODES = 6 * 4


def plan(entrant=None, suite=None, **config):
    asked = RunConfig(**{"newcomer": "fake", "suite": "small", **config})
    return make_plan(asked, entrant or FakeEntrant(), suite or FakeSuite())


def timeless(result) -> list[str]:
    return [record.timeless() for record in result.records]


def unclocked(result) -> Any:
    """The summary without how long it took."""
    content = json.loads(result.to_json())
    for condition in content["conditions"].values():
        del condition["metrics"]["seconds"]
    return content


async def test_every_episode_becomes_one_record_and_the_files_are_there(tmp_path):
    folder = tmp_path / "run"
    seen: list[Progress] = []
    result = await run_plan(plan(), FakePlayer(), folder=folder, on_progress=seen.append)
    assert sorted(path.name for path in folder.iterdir()) == [
        "records.jsonl",
        "run.json",
        "spans.jsonl",
        "summary.json",
    ]
    assert len(result.records) == EPISODES
    assert read_records(folder).records == result.records
    assert (folder / "summary.json").read_text() == result.to_json()
    assert [p.done for p in seen] == list(range(EPISODES + 1))
    assert {p.total for p in seen} == {EPISODES}
    assert result.folder == folder and result.warnings == ()
    assert read_manifest(folder).config == plan().config


async def test_equal_runs_give_equal_records_whatever_the_order():
    results = [
        await run_plan(
            plan(concurrency=concurrency, driver=driver, trials=2),
            FakePlayer(pauses=random.Random(concurrency)),
        )
        for concurrency, driver in ((1, "graph"), (3, "loop"), (50, "graph"))
    ]
    assert timeless(results[0]) == timeless(results[1]) == timeless(results[2])
    assert unclocked(results[0]) == unclocked(results[1]) == unclocked(results[2])


async def test_the_seed_reaches_the_newcomer():
    one, other = [await run_plan(plan(seed=seed), FakePlayer()) for seed in (0, 1)]
    words = [{r.events[0].model_dump()["words"] for r in result.records} for result in (one, other)]
    assert not words[0] & words[1]


async def test_concurrency_is_bounded():
    player = FakePlayer()
    await run_plan(plan(concurrency=3), player)
    assert player.most == 3


async def test_worlds_and_conditions_choose_episodes():
    result = await run_plan(plan(worlds=2, conditions=(Condition.TOLD,), trials=3), FakePlayer())
    assert {r.world for r in result.records} == {"0a", "0b"}
    assert len(result.records) == 2 * 3
    assert result.suite.worlds == 2
    assert list(result.conditions) == [Condition.TOLD]


def test_more_worlds_than_there_are_is_bad_input():
    with pytest.raises(
        BadInput, match=r"worlds: suite 'small' has 6 worlds, fewer than 7 \(expected: 1 to 6\)"
    ):
        plan(worlds=7)


async def test_a_resumed_run_plays_only_what_is_owed(tmp_path):
    whole = await run_plan(plan(), FakePlayer(), folder=tmp_path / "whole")
    path = tmp_path / "whole" / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:5]) + lines[5][:40])
    player = FakePlayer()
    result = await run_plan(plan(), player, folder=tmp_path / "whole", resume=True)
    assert len(player.played) == EPISODES - 5
    assert timeless(result) == timeless(whole)
    assert unclocked(result) == unclocked(whole)


async def test_resuming_a_finished_run_plays_nothing(tmp_path):
    await run_plan(plan(), FakePlayer(), folder=tmp_path)
    player = FakePlayer()
    seen: list[Progress] = []
    await run_plan(plan(), player, folder=tmp_path, resume=True, on_progress=seen.append)
    assert player.played == []
    assert [p.done for p in seen] == [EPISODES]


async def test_unscored_episodes_are_counted_and_owed_again(tmp_path):
    failing = FakePlayer(outcomes={"0a": Outcome.MODEL_FAILED, "0b": Outcome.NEWCOMER_FAILED})
    first = await run_plan(plan(), failing, folder=tmp_path)
    assert first.unscored == 4
    assert first.conditions[Condition.LIVE].unscored == {Outcome.MODEL_FAILED: 1}
    player = FakePlayer()
    second = await run_plan(plan(), player, folder=tmp_path, resume=True)
    assert {played[:2] for played in player.played} == {"0a"}  # a newcomer that failed is not asked again
    assert second.unscored == 0
    assert read_records(tmp_path).replaced == 4


async def test_cancelling_keeps_what_is_done_and_joins_every_episode(tmp_path):
    player = FakePlayer(pauses=random.Random(1))
    started = asyncio.Event()

    def stop_after_five(progress):
        if progress.done == 5:
            started.set()

    running = asyncio.create_task(run_plan(plan(), player, folder=tmp_path, on_progress=stop_after_five))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert player.running == 0
    assert not (tmp_path / "summary.json").exists()
    kept = read_records(tmp_path)
    assert 5 <= len(kept.records) < EPISODES and not kept.torn
    again = FakePlayer()
    await run_plan(plan(), again, folder=tmp_path, resume=True)
    assert len(again.played) == EPISODES - len(kept.records)


YOKED = (Condition.OWN, Condition.YOKED)


@pytest.mark.parametrize("concurrency", [1, 2, 50])
async def test_a_yoked_episode_is_shown_what_the_same_newcomer_did_by_itself(concurrency):
    player = FakePlayer(pauses=random.Random(concurrency))
    result = await run_plan(plan(conditions=YOKED, trials=2, concurrency=concurrency), player)
    own = {(r.world, r.trial): r for r in result.records if r.condition is Condition.OWN}
    assert len(own) == 12
    for (world, trial), record in own.items():
        first, silent, last = (e.act for e in record.events[:3] if isinstance(e, ActEvent))
        # A turn in which nothing was done stays a round in which nothing is done.
        assert (player.shown[f"{world}-yoked-{trial}"], silent) == (((first, None), (last,)), None)
        assert player.shown[f"{world}-own-{trial}"] is None
    assert len({player.shown[f"{world}-yoked-{trial}"] for world, trial in own}) == 12


async def test_a_resumed_yoked_episode_reads_the_stored_record(tmp_path):
    whole = await run_plan(plan(conditions=YOKED), FakePlayer(), folder=tmp_path)
    path = tmp_path / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"condition":"own"' in line))
    player = FakePlayer()
    again = await run_plan(plan(conditions=YOKED), player, folder=tmp_path, resume=True)
    assert len(player.played) == 6 and None not in player.shown.values()
    assert timeless(again) == timeless(whole)


@pytest.mark.parametrize("outcome", [Outcome.MODEL_FAILED, Outcome.NEWCOMER_FAILED])
async def test_without_a_transcript_there_is_no_yoked_episode(tmp_path, outcome):
    failing = FakePlayer(outcomes={"0a-own": outcome})
    result = await run_plan(plan(conditions=YOKED), failing, folder=tmp_path)
    (missing,) = [r for r in result.records if r.outcome is Outcome.CANCELLED]
    assert (missing.world, missing.condition, missing.scores) == ("0a", Condition.YOKED, None)
    assert missing.error == f"there is no transcript: the episode under own ended as {outcome.value}"
    assert "0a-yoked-0" not in failing.played
    again = await run_plan(plan(conditions=YOKED), FakePlayer(), folder=tmp_path, resume=True)
    # What a failed newcomer did is never whole; what a failed model owed is played, and then shown.
    assert again.unscored == (outcome is Outcome.NEWCOMER_FAILED)


def test_yoked_alone_has_nothing_to_show():
    with pytest.raises(BadInput, match=r"conditions: 'yoked' shows .* \(expected: own,yoked\)"):
        plan(conditions=(Condition.YOKED,))


def test_a_condition_is_played_where_worlds_are_certified_for_it():
    some = FakeSuite(
        worlds=tuple(FakeWorld(id=f"0{t}", rival=("x",) if t == "a" else (), replay=()) for t in "ab")
    )
    found = plan(suite=some, conditions=(Condition.LIVE, Condition.CHANGE))
    assert [(e.world.id, e.condition) for e in found.episodes] == [
        ("0a", Condition.LIVE), ("0a", Condition.CHANGE), ("0b", Condition.LIVE),
    ]  # fmt: skip
    assert found.notes == ("change is played in 1 of 2 worlds: those certified for it",)
    with pytest.raises(BadInput, match="conditions: no world of this suite is certified for 'replay-own'"):
        plan(suite=some, conditions=(Condition.LIVE, Condition.REPLAY_OWN))


def test_all_leaves_out_what_no_world_is_certified_for():
    bare: Any = {"choices": (), "replay": (), "rival": ()}
    some = FakeSuite(worlds=(FakeWorld(id="0a", **bare), FakeWorld(id="0b", **bare)))
    found = plan(suite=some, conditions=tuple(Condition))
    left_out = {
        Condition.COMPLIANCE,
        Condition.REPLAY_OWN,
        Condition.REPLAY_OTHERS,
        Condition.HABITS,
        Condition.CHANGE,
    }
    assert {e.condition for e in found.episodes} == set(Condition) - left_out
    assert len(found.notes) == len(left_out)


async def test_a_fault_of_ours_ends_the_run_and_every_other_episode():
    class Broken(FakePlayer):
        async def __call__(self, world, *args, **kwargs):
            if world.id == "1a":
                raise ZeroDivisionError("ours")
            return await super().__call__(world, *args, **kwargs)

    player = Broken()
    with pytest.raises(ZeroDivisionError, match="ours"):
        await run_plan(plan(), player)
    assert player.running == 0


@pytest.mark.parametrize("place", [".", "new", "new/deeper"])
async def test_bad_input_that_shows_in_the_first_episode_leaves_nothing(tmp_path, place):
    async def refuse(*args, **kwargs):
        raise BadInput("the factory made no agent")

    with pytest.raises(BadInput, match="made no agent"):
        await run_plan(plan(), refuse, folder=tmp_path / place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("trials", {"trials": 2}),
        ("seed", {"seed": 1}),
        ("conditions", {"conditions": (Condition.TOLD,)}),
        ("worlds", {"worlds": 2}),
        ("model", {"model": "openai:x"}),
        ("newcomer.name", {"entrant": FakeEntrant(name="other")}),
        ("limits", {"limits": Limits(deadline=1.0)}),
        ("newcomer.fingerprint", {"entrant": FakeEntrant(fingerprint="f2")}),
        ("suite.digest", {"suite": FakeSuite(digest="changed")}),
    ],
)
async def test_resuming_another_configuration_names_the_field(tmp_path, field, change):
    await run_plan(plan(worlds=4), FakePlayer(), folder=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(BadInput, match=rf"run\.json: {field}: this run was begun with ") as caught:
        await run_plan(plan(**{"worlds": 4, **change}), FakePlayer(), folder=tmp_path, resume=True)
    assert caught.value.field == field
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


async def test_speed_may_differ_when_resuming(tmp_path):
    await run_plan(plan(), FakePlayer(), folder=tmp_path)
    await run_plan(plan(concurrency=9, driver="loop"), FakePlayer(), folder=tmp_path, resume=True)


async def test_a_run_never_overwrites(tmp_path):
    await run_plan(plan(), FakePlayer(), folder=tmp_path / "run")
    with pytest.raises(BadInput, match="holds a run already"):
        await run_plan(plan(), FakePlayer(), folder=tmp_path / "run")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    (tmp_path / "file").write_text("precious")
    for name in ("mine", "file"):
        with pytest.raises(BadInput, match="is not an empty folder"):
            await run_plan(plan(), FakePlayer(), folder=tmp_path / name)
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


async def test_bad_addresses_and_missing_folders_leave_nothing(tmp_path):
    with pytest.raises(BadInput):
        await run_plan(plan(otlp="not an address"), FakePlayer(), folder=tmp_path / "run")
    with pytest.raises(BadInput, match="cannot be read"):
        await run_plan(plan(), FakePlayer(), folder=tmp_path / "run", resume=True)
    with pytest.raises(BadInput, match="need the folder of a run"):
        await run_plan(plan(), FakePlayer(), resume=True)
    assert list(tmp_path.iterdir()) == []


async def test_episodes_of_another_run_are_not_mixed_in(tmp_path):
    await run_plan(plan(), FakePlayer(), folder=tmp_path)
    path = tmp_path / "records.jsonl"
    stranger = json.loads(path.read_text().splitlines()[0])
    stranger["key"] = "0" * 24
    with path.open("a") as file:
        file.write(json.dumps(stranger) + "\n")
    with pytest.raises(
        BadInput, match=rf"records\.jsonl:{EPISODES + 1}: key: is \"0+\", which does not follow"
    ):
        await run_plan(plan(), FakePlayer(), folder=tmp_path, resume=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is no description of a run"), ("{}", "is no description of a run"), ('{"schema": 7}', "schema")],
)
async def test_a_bad_manifest_is_bad_input(tmp_path, text, message):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(BadInput, match=message):
        await run_plan(plan(), FakePlayer(), folder=tmp_path, resume=True)
