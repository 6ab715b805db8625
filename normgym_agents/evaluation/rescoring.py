"""Recompute everything from the records, and say where it differs from what was stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.manifest import read_manifest
from normgym_agents.evaluation.records import scores_of
from normgym_agents.evaluation.results import RunResult
from normgym_agents.evaluation.store import read_records
from normgym_agents.evaluation.summary import SUMMARY_FILE, summarise

_ABSENT = "(absent)"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Something stored that does not follow from the logs.

    Attributes:
        where: A record's key or a path in `summary.json`.
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
    """

    result: RunResult
    differences: tuple[Difference, ...]
    summarised: bool
    replaced: int
    torn: bool


def rescore(folder: Path) -> Rescored:
    """Recompute every score and metric of a run. Writes nothing.

    Args:
        folder: The run's folder.

    Raises:
        BadInput: It is not one, or one of its files does not read as it should.
    """
    manifest, stored = read_manifest(folder), read_records(folder)
    differences = []
    records = []
    for record in stored.records:
        scores = scores_of(record.outcome, record.events)
        if scores != record.scores:
            before, now = (None if s is None else s.model_dump() for s in (record.scores, scores))
            differences.append(
                Difference(where=f"record {record.key}, scores", stored=_text(before), recomputed=_text(now))
            )
        records.append(record.model_copy(update={"scores": scores}))
    summary = summarise(
        records, newcomer=manifest.newcomer.name, suite=manifest.suite, seed=manifest.config.seed
    )
    before = _stored_summary(folder / SUMMARY_FILE)
    if before is not None:
        differences += _compare(before, json.loads(summary.to_json()), SUMMARY_FILE)
    return Rescored(
        result=RunResult(**dict(summary), records=tuple(records), folder=folder),
        differences=tuple(differences),
        summarised=before is not None,
        replaced=stored.replaced,
        torn=stored.torn,
    )


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
