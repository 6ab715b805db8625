from __future__ import annotations

import asyncio
import json
import random

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Limits, RunConfig
from normgym_agents.evaluation.manifest import read_manifest
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.plan import make_plan
from normgym_agents.evaluation.runner import Progress, run_plan
from normgym_agents.evaluation.store import read_records
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import FakeEntrant, FakePlayer, FakeSuite

EPISODES = 6 * 4


def plan(entrant=None, suite=None, **config):
    asked = RunConfig(**{"newcomer": "fake", "suite": "small", **config})
    return make_plan(asked, entrant or FakeEntrant(), suite or FakeSuite())


def timeless(result) -> list[str]:
    return [record.timeless() for record in result.records]


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
    assert results[0].to_json() == results[1].to_json() == results[2].to_json()


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
    assert result.to_json() == whole.to_json()


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
