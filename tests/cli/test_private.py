"""A private suite: drawn from a seed that nothing keeps."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from normgym_agents.cli.app import execute
from normgym_agents.evaluation import drawing
from normgym_agents.worlds.recipes import Recipe
from normgym_agents.worlds.sampling import Sampled
from normgym_agents.worlds.suites import load_suite

SEED = "heron-and-plum-7781"
RUN = ["run", "reference:told-oracle", "--suite", "private", "--conditions", "told", "--worlds", "2", "-q"]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Stands in for drawing: worlds that hang on seed and setting in their coins."""

    def sample(recipe: Recipe, index: int) -> Sampled:
        coins = f"{recipe.seed}"[:8] + recipe.setting.name
        one, other = (
            world.model_copy(update={"coins": coins, "seed": None}).sealed()
            for world in load_suite("quick").worlds[2 * index : 2 * index + 2]
        )
        return Sampled((one, other), Counter())

    monkeypatch.setattr(drawing, "sample_twins", sample)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_private_suite_is_run_resumed_and_scored_and_its_seed_is_kept_nowhere(drawn: Path, capsys) -> None:
    assert execute([*RUN, "--suite-seed", SEED, "--out", "run"]) == 0
    for file in (drawn / "run").iterdir():
        assert SEED.encode() not in file.read_bytes(), file.name
    again = ["run", "--out", "run", "--resume", "-q"]
    assert execute([*again, "--suite-seed", SEED]) == 0
    capsys.readouterr()
    assert execute(again) == 2
    assert "--suite-seed" in capsys.readouterr().err
    assert execute([*again, "--suite-seed", "another"]) == 2
    assert "digest" in capsys.readouterr().err
    capsys.readouterr()
    assert execute(["score", "run"]) == 0
    said = capsys.readouterr().err
    assert "Not compared with the worlds" in said and "--suite-seed" in said


def test_a_private_run_is_scored_reported_and_compared_with_its_worlds_drawn_again(
    drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute([*RUN, "--suite-seed", SEED, "--out", "run"]) == 0
    other = ["run", "reference:norm-blind", *RUN[2:]]
    assert execute([*other, "--suite-seed", SEED, "--out", "other"]) == 0
    again = ["--suite-seed", SEED]
    for command in (["score", "run"], ["report", "run"], ["compare", "run", "other"]):
        capsys.readouterr()
        assert execute([*command, *again]) == 0
        said = capsys.readouterr()
        assert "drawing pair 1 of 1" in said.err
        assert "ompared with the worlds" not in said.err + said.out and "by their ids" not in said.err
        # Other worlds are other ones, and not merely not at hand.
        assert execute([*command, "--suite-seed", "another"]) == 2
        assert "--suite-seed: draws other worlds (expected: digest " in capsys.readouterr().err
    assert execute(["score", "run", "--json", *again]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["suite"]["name"] == "private" and "drawing" not in said.err
    # What does not follow from the worlds is found only beside them.
    path = drawn / "run" / "records.jsonl"
    path.write_text(path.read_text().replace('"norms":["forbid', '"norms":["permit', 1))
    assert execute(["score", "run"]) == 0
    assert execute(["score", "run", *again]) == 1
    assert "records.jsonl:1, norms" in capsys.readouterr().err
    for file in [*(drawn / "run").iterdir(), *(drawn / "other").iterdir()]:
        assert SEED.encode() not in file.read_bytes(), file.name


def test_private_worlds_are_drawn_from_any_setting_and_scored_from_the_same(
    drawn: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kitchen = [*RUN, "--suite-seed", SEED, "--setting", "noon-kitchen", "--out", "kitchen"]
    assert execute(kitchen) == 0
    assert json.loads((drawn / "kitchen" / "run.json").read_text())["config"]["setting"] == "noon-kitchen"
    assert execute(["score", "kitchen", "--suite-seed", SEED]) == 0
    resume = ["run", "--out", "kitchen", "--resume", "-q", "--suite-seed", SEED]
    assert execute(resume) == 0
    capsys.readouterr()
    assert execute([*resume, "--setting", "triage-desk"]) == 2
    assert "setting: this run was begun with noon-kitchen, not triage-desk" in capsys.readouterr().err
    assert execute([*kitchen[:-4], "--setting", "nowhere"]) == 2
    assert "there is no setting 'nowhere'" in capsys.readouterr().err
    assert execute(["run", "reference:told-oracle", "--setting", "noon-kitchen"]) == 2
    assert "--setting: only a private suite is drawn from one" in capsys.readouterr().err


def test_no_other_run_is_read_with_a_seed(drawn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = ["run", "reference:told-oracle", "--conditions", "told", "--worlds", "2", "-q", "--out", "plain"]
    assert execute(plain) == 0
    for command in ("score", "report"):
        assert execute([command, "plain", "--suite-seed", SEED]) == 2
        said = capsys.readouterr().err
        assert said.startswith("normgym: plain/run.json: config.suite: is a run of suite 'quick'")


def test_only_a_private_suite_has_a_seed_of_its_own(drawn: Path, capsys) -> None:
    assert execute(["run", "reference:told-oracle", "--suite", "quick", "--suite-seed", SEED]) == 2
    assert "--suite private" in capsys.readouterr().err
    assert execute([*RUN, "--suite-seed", ""]) == 2
    assert "is no seed" in capsys.readouterr().err
