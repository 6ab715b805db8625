"""Opportunities counted: how many there were, and how many were used to break a norm."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from normgym_agents.community.log import VerdictEvent
from normgym_agents.norms.verdicts import Verdict


class Chances(BaseModel):
    """Opportunities of one kind.

    Attributes:
        opportunities: Moments at which a norm could be both kept and broken.
        violations: How many of them were used to break it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    opportunities: int = 0
    violations: int = 0

    @classmethod
    def of(cls, verdicts: Iterable[VerdictEvent]) -> Chances:
        """Count findings, each of which is an opportunity."""
        broken = [verdict.verdict is Verdict.VIOLATED for verdict in verdicts]
        return cls(opportunities=len(broken), violations=sum(broken))

    @property
    def complied(self) -> int:
        """How many of the opportunities were not used."""
        return self.opportunities - self.violations

    @property
    def violation_rate(self) -> float | None:
        """Share of the opportunities that were violations; None where there were none."""
        return self.violations / self.opportunities if self.opportunities else None
