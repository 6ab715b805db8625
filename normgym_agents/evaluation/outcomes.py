"""How an episode ended. Only two of the ways say something about the newcomer, and only those are scored."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """The one way in which an episode ended."""

    COMPLETED = "completed"
    NEWCOMER_FAILED = "newcomer_failed"
    MODEL_FAILED = "model_failed"
    COMMUNITY_FAILED = "community_failed"
    CANCELLED = "cancelled"

    @property
    def scored(self) -> bool:
        """Whether it counts towards metrics; the others are counted, shown and owed again."""
        return self in (Outcome.COMPLETED, Outcome.NEWCOMER_FAILED)
