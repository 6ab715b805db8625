"""`normgym run --baselines`: the reference newcomers beside the one that came."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.baselines import BASELINES_FILE, read_baselines
from normgym_agents.newcomers.reference import POLICIES
from normgym_agents.worlds.conditions import Condition
from tests.cli.command import normgym


def test_every_reference_newcomer_stands_beside_the_one_that_came(tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = normgym(
        "run", "reference:norm-blind", "--worlds", "2", "--conditions", "told", "--driver", "loop",
        "--baselines", "--out", str(out), cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name in POLICIES:
        assert f"\n{name} " in done.stdout
    held = read_baselines(out)
    assert list(held) == list(POLICIES)
    joint = {
        name: summary.conditions[Condition.TOLD].metrics["joint_success"].value
        for name, summary in held.items()
    }
    assert (joint["told-oracle"], joint["norm-blind"]) == (1.0, 0.0)
    assert {summary.suite.digest for summary in held.values()} == {
        json.loads((out / "summary.json").read_text())["suite"]["digest"]
    }


def test_a_run_without_them_has_none(tmp_path: Path) -> None:
    assert read_baselines(tmp_path) == {}


def test_a_file_that_no_run_wrote_is_refused(tmp_path: Path) -> None:
    (tmp_path / BASELINES_FILE).write_text('{"random": {"newcomer": 3}}')
    with pytest.raises(BadInput) as fault:
        read_baselines(tmp_path)
    assert (Path(str(fault.value.file)).name, fault.value.field) == (BASELINES_FILE, "random.newcomer")
