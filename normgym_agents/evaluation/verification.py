"""Does a stored record follow from what it holds, and from what was run? Nothing that can be recomputed is believed.

A changed log cannot be told from a true one; whatever is derived from it, or copied from the run or its
worlds, can.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from normgym_agents.community.kinds import MemberKind
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.hindsight import realised
from normgym_agents.evaluation.knowledge import Report
from normgym_agents.evaluation.manifest import Manifest
from normgym_agents.evaluation.records import Record, content_of, episode_key, scores_of
from normgym_agents.evaluation.report_scoring import score_report
from normgym_agents.evaluation.store import RECORDS_FILE, StoredRecords
from normgym_agents.evaluation.yoking import yoked_difference
from normgym_agents.worlds.conditions import Condition

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """A field of a record that does not follow.

    Attributes:
        line: Its line in `records.jsonl`.
        field: Its path in the record.
        stored: What stands there, as JSON.
        recomputed: What should.
    """

    line: int
    field: str
    stored: str
    recomputed: str


def find_doubts(
    stored: StoredRecords, manifest: Manifest, worlds: Mapping[str, World] | None
) -> Iterator[Doubt]:
    """Recompute whatever can be.

    Args:
        stored: The records of a run.
        manifest: What was run.
        worlds: The worlds of the run by id; None if they cannot be read any more.
    """
    own = {(r.world, r.trial): r for r in stored.records if r.condition is Condition.OWN}
    for line, record in zip(stored.lines, stored.records, strict=True):
        for field, before, now in _differences(record, manifest, worlds):
            if before != now:
                yield Doubt(line=line, field=field, stored=_text(before), recomputed=_text(now))
        if record.condition is Condition.YOKED:
            found = yoked_difference(record, own.get((record.world, record.trial)))
            if found is not None:
                field, before, now = found
                yield Doubt(line=line, field=field, stored=_text(before), recomputed=_text(now))


def refuse_doubts(
    folder: Path, stored: StoredRecords, manifest: Manifest, worlds: Mapping[str, World] | None
) -> None:
    """Go on only if everything follows.

    Raises:
        BadInput: Something does not; names file, line and field.
    """
    for doubt in find_doubts(stored, manifest, worlds):
        raise BadInput(
            f"is {doubt.stored}, which does not follow from the run and the log",
            file=folder / RECORDS_FILE,
            line=doubt.line,
            field=doubt.field,
            expected=doubt.recomputed,
        )


def _differences(
    record: Record, manifest: Manifest, worlds: Mapping[str, World] | None
) -> Iterator[tuple[str, Any, Any]]:
    yield "newcomer", record.newcomer, manifest.newcomer.name
    if worlds is not None:
        world = worlds.get(record.world)
        if world is None:
            yield "world", record.world, "one of the run's worlds"
        else:
            for field, now in content_of(world, record.condition).items():
                before = getattr(record, field)
                if field == "judged_by":
                    # Records of earlier builds do not say it. Whoever reads them is told by the world.
                    yield field, _dumped_all(before), _dumped_all(now) if before else []
                else:
                    yield field, before, now
    config = manifest.config
    if record.condition not in config.conditions:
        yield "condition", record.condition, "one of " + ", ".join(config.conditions)
    if record.trial >= config.trials:
        yield "trial", record.trial, f"less than {config.trials}"
    key = episode_key(
        suite=record.suite,
        world=record.world,
        digest=record.digest,
        condition=record.condition,
        trial=record.trial,
        newcomer=manifest.newcomer.name,
        fingerprint=manifest.newcomer.fingerprint,
        seed=config.seed,
        members=manifest.members,
        limits=config.limits,
        report=config.report,
    )
    yield "key", record.key, key
    if worlds is not None and record.world in worlds:
        decided = config.members is MemberKind.AUTONOMOUS
        yield "evidence", record.evidence, realised(record, worlds[record.world]) if decided else None
    yield from _report_differences(record, worlds, asked=config.report)
    scores = scores_of(record.outcome, record.events)
    if record.scores is None or scores is None:
        yield "scores", _dumped(record.scores), _dumped(scores)
        return
    before = record.scores.model_dump()
    for name, now in scores.model_dump().items():
        yield f"scores.{name}", before[name], now


def _report_differences(
    record: Record, worlds: Mapping[str, World] | None, *, asked: bool
) -> Iterator[tuple[str, Any, Any]]:
    """A report stands where one was asked for, or why there is none or nothing in it; its scores follow from the world."""
    if not asked:
        yield "report", _dumped(record.report), None
        yield "report_fault", record.report_fault, None
    elif record.report is not None and record.report_fault is not None and record.report != Report():
        yield "report_fault", record.report_fault, "null beside a report of something"
    elif record.outcome.scored and record.report is None and record.report_fault is None:
        yield "report_fault", record.report_fault, "why there is no report"
    if record.report is None or record.scores is None:
        yield "report_scores", _dumped(record.report_scores), None
    elif worlds is not None and record.world in worlds:
        now = score_report(worlds[record.world], record.condition, record.report)
        yield "report_scores", _dumped(record.report_scores), _dumped(now)


def _dumped(scores: Any) -> Any:
    return None if scores is None else scores.model_dump()


def _dumped_all(norms: Iterable[BaseModel]) -> list[Any]:
    return [norm.model_dump() for norm in norms]


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
