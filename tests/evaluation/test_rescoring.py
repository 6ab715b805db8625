from __future__ import annotations

import json

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.rescoring import rescore
from normgym_agents.evaluation.runner import run_plan
from tests.evaluation.fakes import FakePlayer
from tests.evaluation.test_runner import plan


@pytest.fixture
async def run(tmp_path):
    await run_plan(plan(), FakePlayer(outcomes={"1a": Outcome.MODEL_FAILED}), folder=tmp_path)
    return tmp_path


async def test_recomputed_numbers_equal_the_stored_ones(run):
    rescored = rescore(run)
    assert rescored.differences == ()
    assert rescored.summarised and not rescored.torn
    assert rescored.result.to_json() == (run / "summary.json").read_text()


async def test_a_changed_summary_is_found_by_its_path(run):
    path = run / "summary.json"
    content = json.loads(path.read_text())
    content["conditions"]["live"]["metrics"]["joint_success"]["value"] = 2
    del content["contrasts"]["joint_success_told_minus_none"]
    path.write_text(json.dumps(content))
    found = {difference.where: difference.stored for difference in rescore(run).differences}
    assert found == {
        "summary.json, conditions.live.metrics.joint_success.value": "2",
        "summary.json, contrasts.joint_success_told_minus_none": "(absent)",
    }


async def test_scores_that_do_not_follow_from_the_log_are_found_and_not_believed(run):
    path = run / "records.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    number = next(
        i
        for i, line in enumerate(lines)
        if line["scores"] and not line["scores"]["task"] and line["scores"]["violations"]
    )
    before = rescore(run).result
    lines[number]["scores"].update(joint=True, task=True, violations=0)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rescored = rescore(run)
    where = f"records.jsonl:{number + 1}, scores"
    assert [d.where for d in rescored.differences] == [
        f"{where}.{f}" for f in ("task", "joint", "violations")
    ]
    assert rescored.result == before


async def test_an_interrupted_run_has_nothing_to_compare_with(run):
    (run / "summary.json").unlink()
    rescored = rescore(run)
    assert not rescored.summarised and rescored.differences == ()


async def test_a_torn_line_is_reported_and_left_alone(run):
    path = run / "records.jsonl"
    path.write_bytes(path.read_bytes() + b'{"key"')
    before = path.read_bytes()
    assert rescore(run).torn
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["run.json", "records.jsonl", "summary.json"])
async def test_a_file_that_is_no_json_is_bad_input(run, name):
    (run / name).write_text("{\n")
    with pytest.raises(BadInput, match=name):
        rescore(run)
