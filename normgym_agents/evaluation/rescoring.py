"""Recompute everything from the records, and say where it differs from what was stored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.hindsight import realised
from normgym_agents.evaluation.judging import judged_by
from normgym_agents.evaluation.manifest import read_manifest
from normgym_agents.evaluation.records import Record, scores_of
from normgym_agents.evaluation.report_scoring import score_report
from normgym_agents.evaluation.results import RunResult
from normgym_agents.evaluation.store import RECORDS_FILE, read_records
from normgym_agents.evaluation.suite_files import worlds_of_run
from normgym_agents.evaluation.summary import SUMMARY_FILE, summarise
from normgym_agents.evaluation.verification import find_doubts, refuse_doubts
from normgym_agents.worlds.suites import Suite
from normgym_agents.worlds.world import World

_ABSENT = "(absent)"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Something stored that does not follow from the logs.

    Attributes:
        where: A line and field of `records.jsonl`, or a path in `summary.json`.
        stored: What stands there.
        recomputed: What should.
    """

    where: str
    stored: str
    recomputed: str


@dataclass(frozen=True, kw_only=True)
class Rescored:
    """A run, computed again from the logs of its episodes.

    Attributes:
        result: What follows from the logs.
        differences: Where the stored scores or the stored summary say otherwise.
        summarised: Whether there is a stored summary to compare with; an interrupted run has none.
        replaced: Lines that a later line of the same episode replaced.
        torn: Whether the records end in a torn line.
        worlds: The worlds of the run by id, if they can still be read; the records were compared with them.
        uncompared: Why they were not, otherwise.
    """

    result: RunResult
    differences: tuple[Difference, ...]
    summarised: bool
    replaced: int
    torn: bool
    worlds: Mapping[str, World]
    uncompared: str | None


def rescore(folder: Path, *, strict: bool = False, suite: Suite | None = None) -> Rescored:
    """Recompute every score and metric of a run. Writes nothing.

    Args:
        folder: The run's folder.
        strict: Refuse records that do not follow from the run, instead of listing where.
        suite: The run's suite, if it is at hand: a private one cannot be read from anywhere.

    Raises:
        BadInput: It is not one, or one of its files does not read as it should; or the suite is another one.
    """
    manifest, stored = read_manifest(folder), read_records(folder)
    worlds, uncompared = worlds_of_run(manifest.config, manifest.suite, suite)
    if strict:
        refuse_doubts(folder, stored, manifest, worlds)
    doubts = tuple(find_doubts(stored, manifest, worlds))
    differences = [
        Difference(
            where=f"{RECORDS_FILE}:{doubt.line}, {doubt.field}",
            stored=doubt.stored,
            recomputed=doubt.recomputed,
        )
        for doubt in doubts
    ]
    records = [_rescored(record, worlds or {}) for record in stored.records]
    summary = summarise(
        records,
        newcomer=manifest.newcomer.name,
        suite=manifest.suite,
        seed=manifest.config.seed,
        asked=manifest.asked,
        notes=manifest.notes,
        fidelity=manifest.fidelity,
    )
    before = _stored_summary(folder / SUMMARY_FILE)
    if before is not None:
        differences += _compare(before, json.loads(summary.to_json()), SUMMARY_FILE)
    return Rescored(
        result=RunResult(**dict(summary), records=tuple(records), folder=folder, warnings=manifest.notes),
        worlds=worlds or {},
        uncompared=uncompared,
        differences=tuple(differences),
        summarised=before is not None,
        replaced=stored.replaced,
        torn=stored.torn,
    )


def _rescored(record: Record, worlds: Mapping[str, World]) -> Record:
    """The record with what follows from its log and, where that can be read, from its world."""
    now: dict[str, Any] = {"scores": scores_of(record.outcome, record.events)}
    if record.world in worlds:
        now["judged_by"] = judged_by(worlds[record.world], record.condition)
        if record.evidence is not None:
            now["evidence"] = realised(record, worlds[record.world])
        if record.report is not None:
            now["report_scores"] = score_report(worlds[record.world], record.condition, record.report)
    return record.model_copy(update=now)


def _stored_summary(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no summary: {error}", file=path) from error


def _compare(stored: Any, recomputed: Any, where: str) -> Iterator[Difference]:
    if isinstance(stored, dict) and isinstance(recomputed, dict):
        for name in sorted(stored.keys() | recomputed.keys()):
            yield from _compare(
                stored.get(name, _ABSENT),
                recomputed.get(name, _ABSENT),
                f"{where}, {name}" if where == SUMMARY_FILE else f"{where}.{name}",
            )
    elif stored != recomputed or isinstance(stored, bool) is not isinstance(recomputed, bool):
        yield Difference(where=where, stored=_text(stored), recomputed=_text(recomputed))


def _text(value: Any) -> str:
    return value if value == _ABSENT else json.dumps(value, sort_keys=True)
