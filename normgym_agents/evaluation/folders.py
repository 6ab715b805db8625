"""The folder of a new run: made, claimed and, if nothing came of it, taken away again.

Of several runs that start in one folder at once, exactly one may have it. The claim is the making of
`records.jsonl`, which the file system lets only one of them do; everything that looks at the folder or tidies
it does so while it holds the claim, and tidying removes only what this process made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.manifest import MANIFEST_FILE
from normgym_agents.evaluation.store import RECORDS_FILE, RecordWriter


def fixed(folder: Path | str | None) -> Path | None:
    """The folder whatever becomes of the current one, which a newcomer may change."""
    return None if folder is None else Path(folder).absolute()


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder and what it lies in, for as long as no bad input shows.

    After bad input, those that were made here and are still empty go again; nothing else does.

    Raises:
        BadInput: It cannot be made.
    """
    made: list[Path] = []
    try:
        _make(folder, made)
        yield
    except BadInput:
        for place in made:
            with suppress(OSError):  # it holds something by now, or is gone
                place.rmdir()
        raise


def _make(folder: Path, made: list[Path]) -> None:
    """Note in `made` what was made, the innermost first, also where a part of it failed."""
    try:
        missing = [place for place in (folder, *folder.parents) if not place.exists()]
        for place in reversed(missing):
            with suppress(FileExistsError):  # somebody else was quicker, so it is theirs
                place.mkdir()
                made.insert(0, place)
        folder.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the name
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise BadInput(f"cannot be made: {reason}", file=folder) from error


@contextmanager
def claimed(folder: Path, *leftovers: str) -> Iterator[RecordWriter]:
    """Have a new or empty folder for one run.

    Args:
        folder: The folder; made if need be.
        leftovers: Names of files that go again if bad input shows before there is any record.

    Yields:
        The writer of its records, which holds the claim.

    Raises:
        BadInput: It is no folder, or not empty, or another run has it.
    """
    check_fresh(folder)
    with made_folder(folder):
        writer = RecordWriter(folder, new=True)
        try:
            try:
                # Again, now that nobody else can begin here.
                check_fresh(folder, beside=RECORDS_FILE)
            except BadInput:
                (folder / RECORDS_FILE).unlink()
                raise
            try:
                yield writer
            except BadInput:
                _tidy(folder, leftovers)
                raise
        finally:
            writer.close()


def _tidy(folder: Path, leftovers: tuple[str, ...]) -> None:
    """Take away what a run without records has made; the claim goes last."""
    records = folder / RECORDS_FILE
    if records.exists() and records.stat().st_size == 0:
        for name in (*leftovers, RECORDS_FILE):
            (folder / name).unlink(missing_ok=True)


def check_fresh(folder: Path, *, beside: str | None = None) -> None:
    """Refuse a folder that holds something: a run never overwrites.

    Args:
        folder: Missing, or empty.
        beside: The one file that may be there.

    Raises:
        BadInput: It is not a folder, or not an empty one.
    """
    try:
        taken = folder.exists() and (
            not folder.is_dir() or any(entry.name != beside for entry in folder.iterdir())
        )
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot be read: {error}", file=folder) from error
    if not taken:
        return
    if (folder / MANIFEST_FILE).exists():
        raise BadInput(
            "holds a run already", file=folder, expected="--resume to go on with it, or another folder"
        )
    raise BadInput("is not an empty folder", file=folder, field="out", expected="a new or empty folder")


@contextmanager
def numbered_folder(parent: Path, name: str) -> Iterator[Path]:
    """Make the first folder `NAME-1`, `NAME-2`, … that nobody has, as `made_folder` does.

    Yields:
        The folder.

    Raises:
        BadInput: It cannot be made.
    """
    with made_folder(parent):
        folder = _first_free(parent, name)
        try:
            yield folder
        except BadInput:
            with suppress(OSError):
                folder.rmdir()
            raise


def _first_free(parent: Path, name: str) -> Path:
    number = 1
    while True:
        folder = parent / f"{name}-{number}"
        try:
            folder.mkdir(parents=True)  # again with its parent, which another run may have taken away
            return folder
        except FileExistsError:
            number += 1
        except OSError as error:
            raise BadInput(f"cannot be made: {error.strerror}", file=folder) from error
