"""Runs in folders: what is read, what is refused, and what is said of it."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.compare import compare
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.runner import run_plan
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.comparing import LIVE
from tests.evaluation.fakes import FakePlayer, FakeSuite, FakeWorld
from tests.evaluation.test_runner import plan


def run(folder: Path, suite=None, **config) -> Path:
    """A run of 3 pairs of twins."""
    asked = plan(suite=suite, **{"conditions": (LIVE,), **config})
    asyncio.run(run_plan(asked, FakePlayer(), folder=folder))
    return folder


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    return [run(tmp_path_factory.mktemp("runs") / name, seed=seed) for seed, name in enumerate("ab")]


@pytest.fixture
def two(templates, tmp_path):
    return tuple(shutil.copytree(template, tmp_path / template.name) for template in templates)


def test_folders_are_read_and_nothing_is_written(two):
    before = {path: path.read_bytes() for folder in two for path in folder.iterdir()}
    found = compare(*two)
    assert [run.label for run in found.runs] == ["A", "B"]
    assert [run.folder for run in found.runs] == list(map(str, two))
    assert found.comparisons[0].conditions[LIVE].worlds == 6
    assert found.complete
    assert any(note.startswith("A: the records were not compared with the worlds") for note in found.notes)
    assert {path: path.read_bytes() for folder in two for path in folder.iterdir()} == before


def change(folder: Path, **fields) -> None:
    path = folder / "run.json"
    content = json.loads(path.read_text())
    for name, value in fields.items():
        holder, _, inner = name.partition("__")
        content[holder][inner] = value
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    ("fields", "named", "values"),
    [
        ({"suite__name": "other"}, "suite.name", ("other", "small")),
        ({"suite__version": 2}, "suite.version", ("2", "1")),
        ({"suite__digest": "ffff"}, "suite.digest", ("ffff", "suite-digest")),
    ],
)
def test_what_differs_beside_the_newcomer_is_named(two, fields, named, values):
    change(two[1], **fields)
    with pytest.raises(BadInput) as caught:
        compare(*two)
    assert (caught.value.file, caught.value.field) == (two[1] / "run.json", named)
    assert caught.value.message == f"is {values[0]}, but {values[1]} in {two[0] / 'run.json'}"


def test_other_limits_are_named(two, tmp_path):
    run(tmp_path / "c", limits=Limits(deadline=5))
    with pytest.raises(BadInput, match=r"run\.json: config\.limits\.deadline: is 5\.0, but 120\.0 in "):
        compare(two[0], tmp_path / "c")


def test_a_world_that_is_another_one_is_named(two, tmp_path):
    class Other(FakeWorld):
        @property
        def digest(self) -> str:
            return "digest-other" if self.id == "1b" else super().digest

    suite = FakeSuite(worlds=tuple(Other(id=world.id) for world in FakeSuite().worlds))
    run(tmp_path / "c", suite=suite)
    with pytest.raises(
        BadInput, match=r"c/records\.jsonl:\d+: digest: world 1b is another one than in line \d+"
    ):
        compare(two[0], tmp_path / "c")


def test_runs_with_nothing_in_common_are_refused(two, tmp_path):
    suite = FakeSuite(worlds=(FakeWorld(id="9a"), FakeWorld(id="9b")))
    run(tmp_path / "c", suite=suite)
    with pytest.raises(BadInput, match="has no world in common"):
        compare(two[0], tmp_path / "c")
    run(tmp_path / "d", conditions=(Condition.NONE,))
    with pytest.raises(BadInput, match="has no condition in common"):
        compare(two[0], tmp_path / "d")


def test_a_record_that_does_not_follow_is_not_believed(two):
    path = two[1] / "records.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[3]["scores"]["joint"] = not lines[3]["scores"]["joint"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(BadInput, match=r"b/records\.jsonl:4: scores\.joint: is .* which does not follow"):
        compare(*two)


def test_records_of_another_schema_are_named(two):
    path = two[1] / "records.jsonl"
    path.write_text(path.read_text().replace('"schema":', '"schema":9', 1))
    with pytest.raises(BadInput, match=r"b/records\.jsonl:1: schema: is of schema"):
        compare(*two)


def test_what_cannot_be_compared_is_said(two, tmp_path):
    with pytest.raises(BadInput, match="is compared with itself"):
        compare(two[0], two[0] / ".." / "a")
    with pytest.raises(BadInput, match=r"only one run, .* nothing to compare it with"):
        compare(two[0])
    with pytest.raises(BadInput, match=r"nowhere/run\.json: cannot be read"):
        compare(two[0], tmp_path / "nowhere")
    (two[1] / "records.jsonl").write_text("")
    with pytest.raises(
        BadInput, match=r"b/records\.jsonl: no episode of this run has ended .*--resume --out "
    ):
        compare(*two)


def test_another_version_of_the_library_is_noted(two):
    path = two[1] / "run.json"
    content = json.loads(path.read_text())
    content["versions"]["normgym-agents"] = "9.9"
    path.write_text(json.dumps(content))
    assert any("B by 9.9" in note for note in compare(*two).notes)


def test_a_part_of_a_run_is_compared_and_said(two):
    path = two[1] / "records.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    found = compare(*two)
    assert not found.complete
    assert found.runs[1].partial is not None and found.runs[1].partial.owed == 1
