"""`records.jsonl`: one writer, one durable line per ended episode, and a reader that drops nothing.

A line counts once its newline is on the disk. What stands after the last newline was torn by a killed
process: it is cut away before anything is appended, and its episode is owed again. Any other line that does
not read as a record is the user's to see, never skipped.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.records import RECORD_SCHEMA, Record

RECORDS_FILE: Final = "records.jsonl"
_STEP: Final = 1 << 16


@dataclass(frozen=True, kw_only=True)
class StoredRecords:
    """What a folder holds.

    Attributes:
        records: One record per key, the last one written, in the order of keys.
        lines: The line of each of them, counted from 1.
        replaced: How many lines a later line of the same key replaced (a resumed run writes such lines).
        torn: Whether the file ends in a torn line.
    """

    records: tuple[Record, ...]
    lines: tuple[int, ...]
    replaced: int
    torn: bool


def read_records(folder: Path) -> StoredRecords:
    """Read the records of a run.

    Args:
        folder: The run's folder.

    Returns:
        The records; a torn last line is reported, not read.

    Raises:
        BadInput: There is no such file; or a whole line of it is not a record, or repeats an episode that
            was scored already, which no run does. Names file and line.
    """
    path = folder / RECORDS_FILE
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(
            f"cannot be read: {error.strerror}", file=path, expected="the folder of a run"
        ) from error
    *lines, rest = content.split(b"\n")
    latest: dict[str, tuple[int, Record]] = {}
    for number, line in enumerate(lines, start=1):
        record = _parse(line, path, number)
        if record.key in latest and latest[record.key][1].outcome.scored:
            earlier = latest[record.key][0]
            raise BadInput(
                f"repeats the episode of line {earlier}, which is scored", file=path, line=number, field="key"
            )
        latest[record.key] = (number, record)
    records = tuple(latest[key][1] for key in sorted(latest))
    numbers = tuple(latest[key][0] for key in sorted(latest))
    return StoredRecords(records=records, lines=numbers, replaced=len(lines) - len(records), torn=bool(rest))


def _parse(line: bytes, path: Path, number: int) -> Record:
    if not line.strip():
        raise BadInput("is a blank line", file=path, line=number, expected="a record")
    try:
        data = json.loads(line, parse_constant=_refuse)
        if isinstance(data, dict) and data.get("schema") not in (None, RECORD_SCHEMA):
            raise BadInput(
                f"is of schema {str(data['schema'])[:20]!r}",
                file=path,
                line=number,
                field="schema",
                expected=f"{RECORD_SCHEMA}, the one that this version reads",
            )
        record = Record.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise BadInput(f"is not a record: {first['msg']}", file=path, line=number, field=field) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"is not a record: {error}", file=path, line=number, expected="one JSON object"
        ) from error
    if not record.key:
        raise BadInput("is not a record: it has no key", file=path, line=number, field="key")
    return record


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


class RecordWriter:
    """The one writer of a run's records; a second one on the same folder is refused.

    Args:
        folder: The run's folder; it must exist.
        new: Whether the file must not exist yet: only one process can make it.

    Raises:
        BadInput: The file cannot be opened, or somebody else is writing to it.
    """

    def __init__(self, folder: Path, *, new: bool = False) -> None:
        self._path = folder / RECORDS_FILE
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | (os.O_EXCL if new else 0)
        try:
            self._file = os.open(self._path, flags, 0o644)
        except FileExistsError as error:
            raise BadInput("another run has begun there", file=folder, expected="another folder") from error
        except OSError as error:
            raise BadInput(f"cannot be written: {error.strerror}", file=self._path) from error
        try:
            # Held by the open file, not by a file of its own: it ends with the process, however that ends.
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(self._file).st_nlink == 0:  # taken away before we had it, by the run that made it
                raise BlockingIOError
            self.torn = self._cut_torn_line()
        except BlockingIOError as error:
            os.close(self._file)
            raise BadInput("another run is writing to it", file=self._path) from error
        except OSError as error:
            os.close(self._file)
            raise BadInput(f"cannot be written: {error.strerror}", file=self._path) from error
        # One thread, so that lines never mix and waiting for the disk never blocks the event loop.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="records")

    async def write(self, record: Record) -> None:
        """Append a record; returns once it is on the disk. A cancelled caller does not tear the line.

        Raises:
            BadInput: The line could not be written; what there was before is untouched.
        """
        line = record.to_line().encode("ascii")
        writing = asyncio.get_running_loop().run_in_executor(self._thread, self._append, line)
        await asyncio.shield(writing)

    def close(self) -> None:
        """Finish the line being written and let go of the file."""
        self._thread.shutdown(wait=True)
        os.close(self._file)

    def _append(self, line: bytes) -> None:
        whole = os.fstat(self._file).st_size
        try:
            left = memoryview(line)
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, whole)
            raise BadInput(f"cannot be written: {error.strerror}", file=self._path) from error

    def _cut_torn_line(self) -> bool:
        size = end = os.fstat(self._file).st_size
        while end > 0:
            start = max(0, end - _STEP)
            found = os.pread(self._file, end - start, start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._file, end)
            os.fsync(self._file)
        return end < size
