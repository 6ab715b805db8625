"""What could be known from an episode's evidence, and what the newcomer said that it knew.

Both need the world and its hypotheses, so whoever plays the episode works them out; metrics read them from
the record.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

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


class ReportScores(_Data):
    """How well reported norms match the true ones, by the acts that they forbid rather than by their words.

    Attributes:
        precision: Share of what the report forbids that is forbidden; None if the report forbids nothing.
        recall: Share of what is forbidden that the report forbids.
        f1: Harmonic mean of the two; 0 if the report forbids nothing.
        exact: Whether the report forbids just what is forbidden.
        brier: Mean squared gap between stated confidence and truth; None if no confidence was stated.
    """

    precision: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    recall: float = _Share
    f1: float = _Share
    exact: bool
    brier: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
