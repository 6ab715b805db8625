"""A private suite: drawn from a seed that nothing keeps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from normgym_agents.cli.app import execute
from normgym_agents.evaluation import drawing
from normgym_agents.worlds.sampling import Recipe, Sampled
from normgym_agents.worlds.suites import load_suite

SEED = "heron-and-plum-7781"
RUN = ["run", "reference:told-oracle", "--suite", "private", "--conditions", "told", "--worlds", "2", "-q"]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Stands in for drawing: worlds that hang on the seed in their coins."""

    def sample(recipe: Recipe, index: int) -> Sampled:
        one, other = (
            world.model_copy(update={"coins": f"{recipe.seed}"[:8], "seed": None}).sealed()
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
    assert execute(["score", "run"]) == 0


def test_only_a_private_suite_has_a_seed_of_its_own(drawn: Path, capsys) -> None:
    assert execute(["run", "reference:told-oracle", "--suite", "quick", "--suite-seed", SEED]) == 2
    assert "--suite private" in capsys.readouterr().err
    assert execute([*RUN, "--suite-seed", ""]) == 2
    assert "is no seed" in capsys.readouterr().err
