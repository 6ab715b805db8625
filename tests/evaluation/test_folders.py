from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.folders import claimed, made_folder, numbered_folder
from normgym_agents.evaluation.runner import run_plan
from normgym_agents.evaluation.store import RECORDS_FILE, RecordWriter
from tests.cli.command import environment
from tests.evaluation.fakes import FakePlayer
from tests.evaluation.test_runner import plan

RACER = textwrap.dedent(
    """
    import asyncio, sys, time
    from pathlib import Path
    from normgym_agents.errors import BadInput
    from normgym_agents.evaluation.runner import run_plan
    from tests.evaluation.fakes import FakePlayer
    from tests.evaluation.test_runner import plan

    print("ready", flush=True)
    sys.stdin.readline()
    try:
        asyncio.run(run_plan(plan(seed=int(sys.argv[2])), FakePlayer(), folder=Path(sys.argv[1])))
    except BadInput:
        sys.exit(2)
    """
)


def test_of_runs_that_start_together_exactly_one_wins_and_loses_nothing(tmp_path):
    folder = tmp_path / "runs" / "run"
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(folder), str(seed)],
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(4)
    ]
    for racer in racers:
        assert racer.stdout is not None and racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    for racer in racers:
        racer.communicate(timeout=60)
    assert sorted(racer.returncode for racer in racers) == [0, 2, 2, 2]
    assert sorted(path.name for path in folder.iterdir()) == [
        "records.jsonl",
        "run.json",
        "spans.jsonl",
        "summary.json",
    ]


def test_a_run_that_began_after_the_look_is_found_under_the_claim(tmp_path, monkeypatch):
    # The other run begins and ends between our look at the folder and our claim.
    def begin_late(folder, *, new=False):
        (folder / "run.json").write_text("{}")
        return RecordWriter(folder, new=new)

    monkeypatch.setattr("normgym_agents.evaluation.folders.RecordWriter", begin_late)
    with pytest.raises(BadInput, match="holds a run already"), claimed(tmp_path / "run"):
        raise AssertionError("it was claimed")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["run.json"]


async def test_a_loser_leaves_the_claim_of_the_winner(tmp_path):
    with claimed(tmp_path, "run.json"):
        (tmp_path / "run.json").write_text("the winner's")
        for resume in (False, True):
            with pytest.raises(BadInput):
                await run_plan(plan(), FakePlayer(), folder=tmp_path, resume=resume)
        with pytest.raises(BadInput, match="another run has begun there"):
            RecordWriter(tmp_path, new=True)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["records.jsonl", "run.json"]


def test_a_claim_that_was_taken_away_is_none(tmp_path, monkeypatch):
    path, opened = tmp_path / RECORDS_FILE, os.open

    def open_and_lose(*args):
        file = opened(*args)
        path.unlink()
        return file

    monkeypatch.setattr(os, "open", open_and_lose)
    with pytest.raises(BadInput, match="another run is writing to it"):
        RecordWriter(tmp_path)


def test_only_what_was_made_here_and_is_empty_goes_again(tmp_path):
    (tmp_path / "theirs").mkdir()
    with pytest.raises(BadInput), made_folder(tmp_path / "theirs" / "mine" / "deep"):
        raise BadInput("no")
    assert list((tmp_path / "theirs").iterdir()) == []
    with pytest.raises(BadInput), made_folder(tmp_path / "theirs"):
        raise BadInput("no")
    with pytest.raises(BadInput), made_folder(tmp_path / "full"):
        (tmp_path / "full" / "thesis.txt").write_text("precious")
        raise BadInput("no")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "theirs"]
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "x", tmp_path / "nul\0"):
        with pytest.raises(BadInput, match="cannot be made"), made_folder(place):
            pass


def test_numbered_folders_are_never_shared(tmp_path):
    with numbered_folder(tmp_path / "runs", "a") as one, numbered_folder(tmp_path / "runs", "a") as other:
        assert (one.name, other.name) == ("a-1", "a-2")
        assert one.is_dir() and other.is_dir()
    with pytest.raises(BadInput, match="no"), numbered_folder(tmp_path / "new", "b"):
        raise BadInput("no")
    assert not (tmp_path / "new").exists()


async def test_a_newcomer_that_changes_the_folder_loses_nothing(tmp_path, monkeypatch):
    class Wanderer(FakePlayer):
        async def __call__(self, *args, **kwargs):
            os.chdir(tmp_path / "elsewhere")
            return await super().__call__(*args, **kwargs)

    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    result = await run_plan(plan(), Wanderer(), folder=tmp_path.relative_to(tmp_path) / "run")
    assert result.folder == tmp_path / "run"
    assert (tmp_path / "run" / "summary.json").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []
