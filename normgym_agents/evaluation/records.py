"""The record: the durable result of one episode, and the content hash that names it.

Everything that differs between two equal runs stands under `clock`, so the rest can be compared byte for
byte. One record is one line of pure ASCII JSON, whatever a newcomer may have written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.community.log import Event
from normgym_agents.evaluation.judging import JudgedNorm, judged_by
from normgym_agents.evaluation.knowledge import Ideal, Interview, Report, ReportScores
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.scores import Scores, score_events
from normgym_agents.norms.norm import Family
from normgym_agents.worlds.alignment import Alignment, alignment_of, family_of
from normgym_agents.worlds.conditions import Condition

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

RECORD_SCHEMA: Final = 2
LONGEST_ERROR: Final = 500
"""Characters of an error that a record keeps."""


class MembersClock(BaseModel):
    """What the models of members used in an episode, as `community.minds.models.MemberUsage` counts it.

    Attributes:
        calls: Calls.
        input_tokens: Prompt tokens, as far as providers count them.
        output_tokens: Completion tokens, likewise.
        cached_tokens: Prompt tokens that providers had kept, where they say so.
        prompt_characters: Characters of all prompts.
        first_characters: Those of each member's first prompt.
        prefix_characters: Those that are the verbatim beginning of the same member's previous prompt.
        least_share: The least share of these in a call that was not a member's first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int = Field(ge=0)
    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)
    cached_tokens: int = Field(ge=0)
    prompt_characters: int = Field(ge=0)
    first_characters: int = Field(ge=0)
    prefix_characters: int = Field(ge=0)
    least_share: float | None = None


class Clock(BaseModel):
    """Whatever differs between equal runs.

    Attributes:
        started: When the episode began, in UTC, ISO 8601.
        seconds: How long it took.
        trace_id: Its trace, where spans were made.
        model_calls: Calls to a model, where known.
        input_tokens: Prompt tokens, where known.
        output_tokens: Completion tokens, where known.
        members: What the models of members used; None where they are scripted.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    started: str
    seconds: float = Field(ge=0, allow_inf_nan=False)
    trace_id: str | None = None
    model_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    members: MembersClock | None = None


class Record(BaseModel):
    """One ended episode.

    Attributes:
        record_schema: Version of this form (`schema` in JSON).
        key: Content hash of what was asked for (`episode_key`); empty until the run that owns it says so.
        newcomer: What the newcomer is known by; empty until the run that owns it says so.
        suite: Name and version of the suite.
        world: Id of the world.
        digest: Digest of the world.
        pair: What twins share.
        family: Families of the world's norms in its setting, sorted.
        alignment: How these stand to what one would expect of the setting, sorted.
        condition: Which evidence the newcomer got.
        trial: Counted from 0.
        outcome: How it ended.
        error: What went wrong, in one line, if it did.
        norms: Texts of the world's norms, whether or not they were in force.
        judged_by: The norms that acts were judged by, under their labels in the log, and when each was in force;
            empty in records of earlier builds.
        events: The whole log.
        scores: Counted from the log; None if the outcome is not scored.
        ideal: What the ideal observer makes of the same evidence; None where there is none to learn from.
        evidence: Posterior of the true norms that an ideal observer has after what really happened before the probe, where
            autonomous members decided it and norms can be learned; in [0, 1].
        report: What the newcomer said of the norms once it had acted; None if it was not asked, or did not.
        report_fault: Why there is no report although the run asks for one, or why there is nothing in it, in one line.
        report_scores: How well the norms that the newcomer reported match; None without a report.
        clock: Whatever differs between equal runs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    record_schema: Literal[2] = Field(default=2, alias="schema")
    key: str = ""
    newcomer: str = ""
    suite: str
    world: str
    digest: str
    pair: str
    family: tuple[Family, ...]
    alignment: tuple[Alignment, ...] = ()
    condition: Condition
    trial: int = Field(ge=0)
    outcome: Outcome
    error: str | None = None
    norms: tuple[str, ...]
    judged_by: tuple[JudgedNorm, ...] = ()
    events: tuple[Event, ...]
    scores: Scores | None
    ideal: Ideal | None = None
    evidence: float | None = Field(default=None, ge=0, le=1)
    report: Report | None = None
    report_fault: str | None = None
    report_scores: ReportScores | None = None
    clock: Clock

    @classmethod
    def of(
        cls,
        world: World,
        condition: Condition,
        trial: int,
        *,
        outcome: Outcome,
        events: Sequence[Event],
        clock: Clock,
        error: str | None = None,
        interview: Interview | None = None,
    ) -> Record:
        """The record of an episode as whoever played it knows it; `stamped` adds what the run knows.

        Args:
            world: The world.
            condition: The condition.
            trial: Counted from 0.
            outcome: How it ended.
            events: The log as far as it got.
            clock: Whatever differs between equal runs.
            error: What went wrong; cut to its first line.
            interview: What came of asking the newcomer for the norms; None if it was not asked for.
        """
        report, fault, report_scores = interview or Interview()
        return cls(
            world=world.id,
            **content_of(world, condition),
            condition=condition,
            trial=trial,
            outcome=outcome,
            error=None if error is None else one_line(error),
            events=tuple(events),
            scores=scores_of(outcome, events),
            report=report,
            report_fault=None if fault is None else one_line(fault),
            report_scores=report_scores,
            clock=clock,
        )

    def stamped(self, *, key: str, newcomer: str) -> Record:
        """The same record, with what only the run knows."""
        return self.model_copy(update={"key": key, "newcomer": newcomer})

    def to_line(self) -> str:
        """One line of JSON, newline included: ASCII, keys sorted, so that equal records are equal bytes."""
        return _dumps(self.model_dump(by_alias=True)) + "\n"

    def timeless(self) -> str:
        """The line without `clock`: what two runs of a deterministic newcomer must share."""
        return _dumps(self.model_dump(by_alias=True, exclude={"clock"})) + "\n"


_SAME_EVIDENCE: Final = {Condition.UNOBSERVED: Condition.OTHERS, Condition.HABITS: Condition.OTHERS}
"""Conditions whose evidence is another's, so that the same was proved of it."""


def content_of(world: World, condition: Condition) -> dict[str, Any]:
    """The fields of a record that are copied from its world."""
    units = [row for row in world.rules.rows if row is not None]
    setting, words = world.setting, world.vocabulary
    return {
        "suite": world.suite,
        "digest": world.digest,
        "pair": world.pair,
        "family": tuple(sorted({family_of(unit, setting) for unit in units})),
        "alignment": tuple(sorted({alignment_of(unit, setting, words) for unit in units})),
        "norms": world.norms,
        "judged_by": judged_by(world, condition),
        "ideal": _ideal(world, condition),
    }


def _ideal(world: World, condition: Condition) -> Ideal | None:
    """What was proved of the evidence of a condition."""
    if world.certificate is None:
        return None
    channel = world.certificate.channels.get(_SAME_EVIDENCE.get(condition, condition))
    return None if channel is None else Ideal(**dict(channel))


def scores_of(outcome: Outcome, events: Sequence[Event]) -> Scores | None:
    """The scores of an episode that ended so; None where the outcome says nothing about the newcomer."""
    return score_events(events, failed=outcome is Outcome.NEWCOMER_FAILED) if outcome.scored else None


def one_line(text: str) -> str:
    """The first line of a message that says anything, cut to `LONGEST_ERROR` characters."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else "(no message)"
    return first if len(first) <= LONGEST_ERROR else first[: LONGEST_ERROR - 1] + "…"


def episode_key(
    *,
    suite: str,
    world: str,
    digest: str,
    condition: Condition,
    trial: int,
    newcomer: str,
    fingerprint: str,
    seed: int,
    members: str,
    limits: BaseModel,
    report: bool = False,
) -> str:
    """Name an episode by everything that decides it.

    Args:
        suite: Name and version of the suite.
        world: Id of the world.
        digest: Digest of the world.
        condition: The condition.
        trial: Counted from 0.
        newcomer: What the newcomer is known by.
        fingerprint: What tells this newcomer from a changed one of the same name.
        seed: Seed of the run.
        members: Kind of members.
        limits: What the newcomer is allowed.
        report: Whether it is asked for the norms at the end.

    Returns:
        24 hex digits; equal for equal arguments, in every process.
    """
    content = {
        "schema": RECORD_SCHEMA,
        "suite": suite,
        "world": world,
        "digest": digest,
        "condition": condition,
        "trial": trial,
        "newcomer": newcomer,
        "fingerprint": fingerprint,
        "seed": seed,
        "members": members,
        "limits": limits.model_dump(mode="json"),
    }
    if report:
        content["report"] = True
    return sha256(_dumps(content).encode("ascii")).hexdigest()[:24]


def _dumps(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)
