"""How unfaithful the members of an episode may be before it is reported apart: a suite says so."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

_Share = Annotated[float, Field(ge=0.0, le=1.0)]


class FidelityLimits(BaseModel):
    """The most that members with models may do of what their cards do not have them do, over an episode.

    Shares whose denominator is below `least` say too little, and are not held against anybody.

    Attributes:
        breaches: Of the acts that they chose and that could have broken a norm of theirs, those that did.
        missed: Of the breaches that they were to answer, those that they let pass.
        false: Of the acts without a breach that they could answer, those that they did.
        fallbacks: Of what their models were asked for, what schedule or template had to stand in for.
        least: The least denominator of a share.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    breaches: _Share = 0.2
    missed: _Share = 0.25
    false: _Share = 0.1
    fallbacks: _Share = 0.25
    least: int = Field(default=5, ge=1)


DEFAULT_LIMITS: Final = FidelityLimits()
"""The limits of suites that have none of their own."""
