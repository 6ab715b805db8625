"""Two runs that may be compared: read, believed only as far as they follow, and checked for what must be equal.

Whatever can change a score must be the same on both sides, but for the newcomer. The seed may differ: it seeds
what a newcomer draws, and is part of what is compared as much as its prompt is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.manifest import MANIFEST_FILE, Manifest, read_manifest
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.store import RECORDS_FILE, read_records
from normgym_agents.evaluation.suite_files import worlds_of_run
from normgym_agents.evaluation.verification import refuse_doubts
from normgym_agents.newcomers.person import is_person
from normgym_agents.worlds.suites import Suite

_LIBRARY = "normgym-agents"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run that follows from its logs.

    Attributes:
        label: What it is called beside the others: A, B, ….
        folder: Where it was read.
        manifest: What was run.
        records: One per ended episode.
        lines: The line of each of them in the file.
        uncompared: Why the records were not compared with the worlds, if they were not.
    """

    label: str
    folder: Path
    manifest: Manifest
    records: tuple[Record, ...]
    lines: tuple[int, ...]
    uncompared: str | None


def read_run(folder: Path, label: str, suite: Suite | None = None) -> Run:
    """Read a run, as strictly as `rescore` does.

    Args:
        folder: The run's folder.
        label: What to call it.
        suite: Its suite, if it is at hand.

    Raises:
        BadInput: It is not one, or a record does not follow from the run and its log; names file, line and
            field.
    """
    manifest, stored = read_manifest(folder), read_records(folder)
    if not stored.records:
        raise BadInput(
            "no episode of this run has ended",
            file=folder / RECORDS_FILE,
            expected=f"records; normgym run --resume --out {folder} plays what is owed",
        )
    worlds, uncompared = worlds_of_run(manifest.config, manifest.suite, suite)
    refuse_doubts(folder, stored, manifest, worlds)
    return Run(
        label=label,
        folder=folder,
        manifest=manifest,
        records=stored.records,
        lines=stored.lines,
        uncompared=uncompared,
    )


def check_comparable(first: Run, second: Run) -> None:
    """Refuse two runs that differ in more than their newcomers.

    Raises:
        BadInput: Something that can change a score differs; names file, field and both values. Or the runs
            have no condition or no world in common.
    """
    if first.folder.resolve() == second.folder.resolve():
        raise BadInput("is compared with itself", file=second.folder, expected="another run")
    for field, one, two in _components(first.manifest, second.manifest):
        if one != two:
            raise _differing(second.folder / MANIFEST_FILE, field, two, first, one)
    _check_worlds(first, second)
    one_suite, two_suite = first.manifest.suite, second.manifest.suite
    if one_suite.worlds == two_suite.worlds and one_suite.digest != two_suite.digest:
        raise _differing(
            second.folder / MANIFEST_FILE, "suite.digest", two_suite.digest, first, one_suite.digest
        )


def differing_versions(first: Run, second: Run) -> str | None:
    """What to say where the runs were made by different versions of this library; they are compared all the same.

    What decides a score is in the worlds' digests, which are checked; how it is played is not.
    """
    one, two = (run.manifest.versions.get(_LIBRARY, "unknown") for run in (first, second))
    if one == two:
        return None
    return f"{first.label} was run by {_LIBRARY} {one}, {second.label} by {two}"


def _components(first: Manifest, second: Manifest) -> Iterator[tuple[str, Any, Any]]:
    yield "suite.name", first.suite.name, second.suite.name
    yield "suite.version", first.suite.version, second.suite.version
    yield "config.members", first.config.members, second.config.members
    person = any(is_person(run.newcomer.name) for run in (first, second))
    for name, value in first.config.limits:
        if name == "deadline" and person:
            continue  # people read more slowly than agents, and nobody's turn is a race
        yield f"config.limits.{name}", value, getattr(second.config.limits, name)


def _check_worlds(first: Run, second: Run) -> None:
    """Worlds of one name must be one and the same."""
    known = {
        record.world: (record.digest, line) for record, line in zip(first.records, first.lines, strict=True)
    }
    shared = False
    for record, line in zip(second.records, second.lines, strict=True):
        if record.world not in known:
            continue
        digest, there = known[record.world]
        if record.digest != digest:
            raise BadInput(
                f"world {record.world} is another one than in line {there} of {first.folder / RECORDS_FILE}",
                file=second.folder / RECORDS_FILE,
                line=line,
                field="digest",
                expected=digest,
            )
        shared = True
    if not shared:
        raise BadInput(
            f"has no world in common with {first.folder}",
            file=second.folder / RECORDS_FILE,
            field="world",
            expected="two runs over the same worlds",
        )
    if not {r.condition for r in first.records} & {r.condition for r in second.records}:
        raise BadInput(
            f"has no condition in common with {first.folder}",
            file=second.folder / MANIFEST_FILE,
            field="config.conditions",
            expected="at least one of " + ", ".join(sorted({r.condition.value for r in first.records})),
        )


def _differing(file: Path, field: str, value: Any, first: Run, theirs: Any) -> BadInput:
    return BadInput(
        f"is {value}, but {theirs} in {first.folder / MANIFEST_FILE}",
        file=file,
        field=field,
        expected="runs that differ in nothing but the newcomer",
    )
