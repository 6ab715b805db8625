from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from normgym_agents.evaluation.api import prepare, run_prepared
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.worlds.conditions import Condition


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two newcomers over the same six worlds."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("norm-blind", "told-oracle"):
        config = RunConfig(
            newcomer=f"reference:{name}",
            worlds=6,
            conditions=(Condition.NONE, Condition.TOLD),
            driver="loop",
        )
        asyncio.run(run_prepared(prepare(config), folder=folder / name))
    return folder


def test_two_runs_side_by_side(inline, runs):
    done = inline("compare", str(runs / "norm-blind"), str(runs / "told-oracle"))
    assert done.returncode == 0 and done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= 80
    words = " ".join(done.stdout.split())
    assert "A reference:norm-blind" in words and "B reference:told-oracle" in words
    assert "suite quick version 1" in words
    assert "told 6 worlds in 3 pairs of twins" in words
    assert "joint success 0% 100% +100" in words
    assert "B passed more worlds than A in 3 of 3 pairs of twins, fewer in 0, as many in 0" in words
    # 3 of 3 is 2 / 2**3.
    assert "Neither a difference nor its absence is shown (exact McNemar p = 0.250" in words
    assert "3 pairs could not have shown any gap" in words
    assert "vicarious discount not tested: takes replay-own and replay-others in both runs" in words
    assert "[low to high]" in done.stdout


def test_narrow_and_wide_terminals_cut_no_number(inline, runs, monkeypatch):
    for columns in (40, 60, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        done = inline("compare", str(runs / "norm-blind"), str(runs / "told-oracle"))
        assert max(map(len, done.stdout.splitlines())) <= columns
        assert "+100 [" in done.stdout and "…" not in done.stdout


def test_the_json_has_it_all(inline, runs):
    folders = [str(runs / name) for name in ("norm-blind", "told-oracle")]
    done = inline("compare", *folders, "--json")
    content = json.loads(done.stdout)
    assert done.returncode == 0
    assert [run["folder"] for run in content["runs"]] == folders
    found = content["comparisons"][0]["conditions"]["told"]
    assert found["metrics"]["joint_success"]["value"] == 1.0
    assert found["worlds"] == 6
    assert content["notes"] == []
    assert inline("compare", *folders, "--json").stdout == done.stdout
    assert inline("compare", *folders, "--json", "--seed", "1").returncode == 0
    assert "seed: " in inline("compare", *folders, "--seed", "-1").stderr


def test_several_runs_are_compared_with_the_first(inline, runs, tmp_path):
    shutil.copytree(runs / "norm-blind", tmp_path / "again")
    done = inline("compare", str(runs / "norm-blind"), str(runs / "told-oracle"), "again")
    assert done.returncode == 0
    assert "B against A" in done.stdout and "C against A" in done.stdout
    assert "! A and C are the same newcomer with the same seed" in done.stdout


def test_a_part_of_a_run_is_said_and_worlds_left_out_are_named(inline, runs, tmp_path):
    shutil.copytree(runs / "told-oracle", tmp_path / "part")
    path = tmp_path / "part" / "records.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    gone = json.loads(lines[-1])
    path.write_text("".join(lines[:-1]))
    done = inline("compare", str(runs / "norm-blind"), "part")
    words = " ".join(done.stdout.split())
    assert done.returncode == 1
    assert "! B: only a part of the run: 11 of 12 episodes; 1 owed" in words
    assert f"! {gone['condition']}: only A has 1 world ({gone['world']}): left out" in words


@pytest.mark.parametrize(
    ("folders", "said"),
    [
        (("norm-blind",), "nothing to compare it with (expected: 2 to 26 folders of runs)"),
        (("norm-blind", "norm-blind"), "norm-blind: is compared with itself (expected: another run)"),
        (("norm-blind", "nowhere"), "nowhere/run.json: cannot be read"),
        ((), "Missing argument"),
    ],
)
def test_wrong_use_is_one_line(inline, runs, folders, said):
    done = inline("compare", *(str(runs / name) for name in folders))
    assert done.returncode == 2
    assert said in done.stderr and done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_runs_that_differ_in_more_than_the_newcomer_are_refused(inline, runs, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(runs / "told-oracle", other)
    path = other / "run.json"
    path.write_text(path.read_text().replace('"name": "quick"', '"name": "slow"'))
    done = inline("compare", str(runs / "norm-blind"), "other")
    assert done.returncode == 2
    assert "other/run.json: suite.name: is slow, but quick in " in done.stderr
