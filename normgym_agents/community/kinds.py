"""The kinds of member that a community can have, and what their models are allowed."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class MemberKind(StrEnum):
    """Who decides what a member does, and who words it.

    Attributes:
        SCRIPTED: The world's schedule decides; templates say it. Needs no model.
        VOICED: The schedule decides; a chat model words it.
        AUTONOMOUS: A chat model decides, words and answers by itself.
    """

    SCRIPTED = "scripted"
    VOICED = "voiced"
    AUTONOMOUS = "autonomous"


class MemberLimits(BaseModel):
    """What the models of members are allowed.

    Attributes:
        deadline: Seconds for one call, the provider's own retries included.
        episode_calls: Calls of all members in an episode; beyond it schedule and templates stand in, which is counted.
        concurrency: Calls at a time to the models of one provider.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    deadline: float = Field(default=120.0, gt=0, allow_inf_nan=False)
    episode_calls: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=4, ge=1)
