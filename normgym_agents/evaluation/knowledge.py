"""What could be known from an episode's evidence, and what the newcomer said that it knew.

Both need the world and its hypotheses, so whoever plays the episode works them out; metrics read them from
the record.
"""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, field_validator

from normgym_agents.errors import BadInput
from normgym_agents.worlds.asking import ReportedNorm

_Share = Field(ge=0, le=1, allow_inf_nan=False)


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Ideal(_Data):
    """What the ideal observer makes of the evidence of the world's condition.

    Attributes:
        nats: How much the evidence says of the truth: log posterior minus log prior of the true class.
        identified: Posterior of the true class.
        passed: Whether acting on that posterior passes the probe.
    """

    nats: float = Field(allow_inf_nan=False)
    identified: float = _Share
    passed: bool


class Report(_Data):
    """What a newcomer said, once the acting was over, of what one may and must not do.

    Attributes:
        norms: The norms that could be read, each once, in the order in which they were said.
        unread: Lines or entries that could not be.
        words: What it wrote, cut; empty where it gave norms.
    """

    norms: tuple[ReportedNorm, ...] = ()
    unread: int = Field(default=0, ge=0)
    words: str = ""

    @field_validator("norms")
    @classmethod
    def _say_something(cls, norms: tuple[ReportedNorm, ...]) -> tuple[ReportedNorm, ...]:
        for reported in norms:
            try:
                norm, exception = reported.parsed
            except BadInput as error:
                raise ValueError(f"{reported.norm!r} with {reported.exception!r}: {error}") from None
            if norm.deontic == "permit" or (exception is not None and exception.deontic != "permit"):
                raise ValueError(
                    f"{reported.norm!r} with {reported.exception!r} is no norm with an exception"
                )
        return norms


class ReportScores(_Data):
    """How well reported norms match the true ones, by the acts that they forbid rather than by their words.

    Attributes:
        precision: Share of what the report forbids that is forbidden; None if the report forbids nothing.
        recall: Share of what is forbidden that the report forbids; None if nothing is forbidden.
        f1: Harmonic mean of the two: 0 if one of both forbids nothing, and 1 if neither does, as they agree.
        exact: Whether the report forbids just what is forbidden.
        brier: Mean squared gap between stated confidence and truth; None if no reported norm forbids anything.
    """

    precision: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    recall: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    f1: float = _Share
    exact: bool
    brier: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)


class Interview(NamedTuple):
    """What came of asking.

    Attributes:
        report: What the newcomer reported; a report of nothing if it answered nothing that could be read; None if it
            gave no answer.
        fault: Why there is no report, or nothing in it that could be read, in one line.
        scores: How well what it reported matches.
    """

    report: Report | None = None
    fault: str | None = None
    scores: ReportScores | None = None
