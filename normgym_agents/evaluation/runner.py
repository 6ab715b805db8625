"""Runs a plan: episodes in bounded batches, one durable record each, and the summary at the end.

Nothing is retried silently and nothing is dropped. An episode that ends, however it ends, is a record; one
that did not end is owed, and so is one whose outcome says nothing about the newcomer. Every task is joined
before this returns or raises.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Driver, Limits
from normgym_agents.evaluation.evidence import transcript_of
from normgym_agents.evaluation.folders import claimed, fixed
from normgym_agents.evaluation.manifest import (
    MANIFEST_FILE,
    check_resumable,
    describe,
    read_manifest,
    write_manifest,
)
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.plan import Episode, Plan
from normgym_agents.evaluation.pulse import Pulse
from normgym_agents.evaluation.records import Clock, Record
from normgym_agents.evaluation.results import RunResult
from normgym_agents.evaluation.store import RecordWriter, read_records
from normgym_agents.evaluation.summary import SUMMARY_FILE, summarise
from normgym_agents.evaluation.surroundings import Surroundings
from normgym_agents.evaluation.verification import refuse_doubts
from normgym_agents.files import write_atomic
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.programme import Transcript

if TYPE_CHECKING:
    from normgym_agents.community.minds.models import MemberModels
    from normgym_agents.worlds.world import World

SPANS_FILE = "spans.jsonl"


class Player(Protocol):
    """Plays one episode. Whatever goes wrong in it becomes the record's outcome; only cancelling raises."""

    async def __call__(
        self,
        world: World,
        condition: Condition,
        trial: int,
        factory: NewcomerFactory,
        *,
        driver: Driver,
        spans: EpisodeSpans,
        limits: Limits,
        seed: int,
        name: str | None = None,
        transcript: Transcript | None = None,
        report: bool = False,
        members: MemberModels | None = None,
    ) -> Record:
        """Play it."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        done: Episodes whose record is kept.
        total: Episodes of the run.
        last: The record just kept; None at the start.
    """

    done: int
    total: int
    last: Record | None


async def run_plan(
    plan: Plan,
    play: Player,
    *,
    folder: Path | None = None,
    resume: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> RunResult:
    """Run what is owed of a plan.

    Args:
        plan: What to run.
        play: Plays one episode.
        folder: Where the run is kept: missing, empty, or (with `resume`) holding this same run; None keeps
            everything in memory.
        resume: Go on with the run in `folder`.
        on_progress: Called at the start and after each record.

    Returns:
        The result over all records of the run, earlier ones included.

    Raises:
        BadInput: The folder holds something else, or cannot be written; or the first episode showed that the
            newcomer is none. Nothing is left behind then.
        CancelledError: The caller was cancelled; every record written so far is kept.
    """
    if folder is None and (resume or plan.config.otlp is not None):
        raise BadInput("resuming and sending spans need the folder of a run", field="out")
    folder = fixed(folder)
    with ExitStack() as stack:
        records: dict[str, Record] = {}
        new_spans: Callable[[], EpisodeSpans] = _no_spans
        writer = telemetry = None
        if folder is not None:
            writer, records = open_folder(plan, folder, stack, resume=resume)
            # Here, because it brings in the SDK, which nobody waits for who keeps no run.
            from normgym_agents.telemetry.export import open_spans

            telemetry = stack.enter_context(open_spans(folder / SPANS_FILE, plan.config.otlp))
            new_spans = telemetry.episode_spans
        surroundings = Surroundings()
        with Pulse.kept() as pulse:
            await _Batch(plan, play, records, writer, new_spans, on_progress, surroundings).run()
        warnings = (
            *pulse.warnings(),
            *surroundings.warnings(),
            *(() if telemetry is None else telemetry.close().warnings),
        )
    return _finish(plan, records, folder, warnings)


def _no_spans() -> EpisodeSpans:
    return NO_SPANS


class _Batch:
    """The owed episodes of one run, and the workers that share them."""

    def __init__(
        self,
        plan: Plan,
        play: Player,
        records: dict[str, Record],
        writer: RecordWriter | None,
        new_spans: Callable[[], EpisodeSpans],
        on_progress: Callable[[Progress], None] | None,
        surroundings: Surroundings,
    ) -> None:
        self._surroundings = surroundings
        self._plan, self._play, self._records, self._writer = plan, play, records, writer
        self._new_spans, self._on_progress = new_spans, on_progress
        owed = [e for e in plan.episodes if e.key not in records or not records[e.key].outcome.scored]
        self._owed: Iterator[Episode] = iter(owed)
        sources = {e.source for e in owed}
        self._ended = {e.key: asyncio.Event() for e in owed if e.key in sources}
        self._workers = min(plan.config.concurrency, len(owed))
        self._done = len(plan.episodes) - len(owed)

    async def run(self) -> None:
        self._tell(None)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._workers):
                    group.create_task(self._work())
        except BaseExceptionGroup as group_error:
            # The first failure ended the others; it is what the user needs to read.
            raise group_error.exceptions[0] from group_error

    async def _work(self) -> None:
        for episode in self._owed:  # shared by all workers: each takes the next one
            record = await self._play_one(episode)
            record = record.stamped(key=episode.key, newcomer=self._plan.newcomer.name)
            if self._writer is not None:
                await self._writer.write(record)
            self._records[episode.key] = record
            if episode.key in self._ended:
                self._ended[episode.key].set()
            self._done += 1
            self._tell(record)

    async def _play_one(self, episode: Episode) -> Record:
        transcript = None
        if episode.source is not None:
            # Whoever plays the source took it before this one was taken, so it is never waited for in vain.
            if episode.source in self._ended:
                await self._ended[episode.source].wait()
            source = self._records[episode.source]
            if source.outcome is not Outcome.COMPLETED:
                return _without_transcript(episode, source)
            transcript = transcript_of(source)
        with self._surroundings.episode():
            return await self._play(
                episode.world,
                episode.condition,
                episode.trial,
                self._plan.newcomer.factory,
                driver=self._plan.config.driver,
                spans=self._new_spans(),
                limits=self._plan.config.limits,
                seed=episode.seed,
                name=self._plan.newcomer.name,
                transcript=transcript,
                report=self._plan.config.report,
                members=self._plan.voices.models,
            )

    def _tell(self, record: Record | None) -> None:
        if self._on_progress is not None:
            self._on_progress(Progress(done=self._done, total=len(self._plan.episodes), last=record))


def _without_transcript(episode: Episode, source: Record) -> Record:
    """The record of an episode that was not played, because what it shows did not come to its end.

    It is no fault of the community, and says nothing of the newcomer: it is owed until there is something
    to show.
    """
    return Record.of(
        episode.world,
        episode.condition,
        episode.trial,
        outcome=Outcome.CANCELLED,
        events=(),
        error=f"there is no transcript: the episode under {source.condition.value} ended as {source.outcome.value}",
        clock=Clock(started=datetime.now(UTC).isoformat(), seconds=0.0),
    )


def open_folder(
    plan: Plan, folder: Path, stack: ExitStack, *, resume: bool
) -> tuple[RecordWriter, dict[str, Record]]:
    """Claim the folder of a new run, or open the one that goes on and read its records.

    The lock comes before anything is written or believed: of two processes, one is refused.
    """
    wanted = describe(plan)
    if not resume:
        writer = stack.enter_context(claimed(folder, SPANS_FILE, MANIFEST_FILE))
        write_manifest(folder, wanted)
        return writer, {}
    check_resumable(folder, read_manifest(folder), wanted)
    writer = RecordWriter(folder)
    stack.callback(writer.close)
    stored = read_records(folder)
    records = {record.key: record for record in stored.records}
    refuse_doubts(folder, stored, wanted, {episode.world.id: episode.world for episode in plan.episodes})
    return writer, records


def _finish(
    plan: Plan, records: dict[str, Record], folder: Path | None, warnings: tuple[str, ...]
) -> RunResult:
    ordered = tuple(records[key] for key in sorted(records))
    summary = summarise(
        ordered,
        newcomer=plan.newcomer.name,
        suite=plan.suite,
        seed=plan.config.seed,
        notes=plan.notes,
        fidelity=plan.fidelity,
    )
    if folder is not None:
        write_atomic(folder / SUMMARY_FILE, summary.to_json())
    return RunResult(**dict(summary), records=ordered, folder=folder, warnings=(*plan.notes, *warnings))
