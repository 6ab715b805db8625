from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.store import RECORDS_FILE, RecordWriter, read_records
from tests.evaluation.fakes import record

ROOT = Path(__file__).resolve().parents[2]
LINES = [record(world).to_line() for world in ("1a", "1b", "2a")]


async def test_records_are_read_back_by_key(tmp_path):
    with contextlib.closing(RecordWriter(tmp_path)) as writer:
        for world in ("2a", "1a", "1b"):
            await writer.write(record(world))
    stored = read_records(tmp_path)
    assert [r.world for r in stored.records] == ["1a", "1b", "2a"]
    assert (stored.replaced, stored.torn) == (0, False)


async def test_the_last_line_of_a_key_wins_and_is_reported(tmp_path):
    with contextlib.closing(RecordWriter(tmp_path)) as writer:
        await writer.write(record("1a", outcome=Outcome.MODEL_FAILED))
        await writer.write(record("1a", task=True))
    stored = read_records(tmp_path)
    assert len(stored.records) == 1 and stored.replaced == 1
    assert stored.lines == (2,)
    assert stored.records[0].scores is not None and stored.records[0].scores.task


def test_an_episode_that_was_scored_is_never_scored_again(tmp_path):
    path = tmp_path / RECORDS_FILE
    path.write_text(LINES[0] + LINES[1] + LINES[0])
    with pytest.raises(BadInput, match=r"records\.jsonl:3: key: repeats the episode of line 1"):
        read_records(tmp_path)


def test_a_torn_last_line_is_cut_at_every_byte(tmp_path):
    path = tmp_path / RECORDS_FILE
    whole, last = "".join(LINES[:2]), LINES[2]
    for cut in range(len(last)):
        path.write_text(whole + last[:cut])
        assert read_records(tmp_path).torn is (cut > 0)
        writer = RecordWriter(tmp_path)
        writer.close()
        assert writer.torn is (cut > 0)
        assert path.read_text() == whole
        assert len(read_records(tmp_path).records) == 2


def test_a_file_of_nothing_but_a_long_torn_line_becomes_empty(tmp_path):
    path = tmp_path / RECORDS_FILE
    path.write_text("x" * 200_000)
    RecordWriter(tmp_path).close()
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("", "is a blank line (expected: a record)"),
        (" \r", "is a blank line (expected: a record)"),
        ("{", "is not a record"),
        ("[]", "is not a record"),
        ('{"schema": 1}', "schema: is of schema '1' (expected: 2"),
        (LINES[0].strip().replace('"trial":0', '"trial":-1'), "trial: is not a record"),
        (LINES[0].strip().replace('"trial":0', '"trial":0,"x":1'), "x: is not a record"),
        (LINES[0].strip().replace('"seconds":0.5', '"seconds":NaN'), "NaN"),
        (LINES[0].strip().replace('"key":"1a-live-0"', '"key":""'), "it has no key"),
        ("[" * 100_000, "is not a record"),
        ("\ufffd\ud800", "is not a record"),
    ],
)
def test_a_malformed_whole_line_is_never_skipped(tmp_path, bad, message):
    path = tmp_path / RECORDS_FILE
    path.write_bytes((LINES[0] + bad + "\n" + LINES[1]).encode(errors="surrogatepass"))
    with pytest.raises(BadInput, match=re.escape(message)) as caught:
        read_records(tmp_path)
    assert str(caught.value).startswith(f"{path}:2: ")


def test_a_folder_without_records_is_bad_input(tmp_path):
    with pytest.raises(BadInput, match=r"records\.jsonl: cannot be read"):
        read_records(tmp_path)


def test_a_second_writer_is_refused(tmp_path):
    with contextlib.closing(RecordWriter(tmp_path)), pytest.raises(BadInput, match="another run is writing"):
        RecordWriter(tmp_path)
    RecordWriter(tmp_path).close()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(BadInput, match="cannot be written"):
        RecordWriter(tmp_path / "missing")


async def test_a_full_disk_leaves_whole_lines_only(tmp_path, monkeypatch):
    with contextlib.closing(RecordWriter(tmp_path)) as writer:
        await writer.write(record("1a"))
        write = os.write

        def half(file, data):
            if len(data) < 100:
                raise OSError(errno.ENOSPC, "No space left on device")
            return write(file, bytes(data)[: len(data) // 2])

        monkeypatch.setattr(os, "write", half)
        with pytest.raises(BadInput, match="No space left"):
            await writer.write(record("1b"))
        monkeypatch.undo()
        await writer.write(record("2a"))
    assert [r.world for r in read_records(tmp_path).records] == ["1a", "2a"]


async def test_a_cancelled_caller_does_not_tear_a_line(tmp_path):
    writer = RecordWriter(tmp_path)
    writing = asyncio.create_task(writer.write(record("1a")))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    writer.close()
    stored = read_records(tmp_path)
    assert (len(stored.records), stored.torn) == (1, False)


def test_a_process_killed_before_the_newline_owes_that_episode(tmp_path):
    script = textwrap.dedent(
        """
        import asyncio, os, signal, sys
        from pathlib import Path
        from normgym_agents.evaluation.store import RecordWriter
        from tests.evaluation.fakes import record

        writer = RecordWriter(Path(sys.argv[1]))
        asyncio.run(writer.write(record("1a")))
        write = os.write

        def all_but_the_newline(file, data):
            write(file, bytes(data)[:-1])
            os.kill(os.getpid(), signal.SIGKILL)

        os.write = all_but_the_newline
        asyncio.run(writer.write(record("1b")))
        """
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], env=env, check=False)
    assert done.returncode == -signal.SIGKILL
    assert read_records(tmp_path).torn
    with contextlib.closing(RecordWriter(tmp_path)) as writer:
        assert writer.torn
    stored = read_records(tmp_path)
    assert [r.world for r in stored.records] == ["1a"]
    assert not stored.torn
