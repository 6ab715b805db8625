"""Whether an act is answered, and by whom: coins that are a pure function of where they fall.

The sampler that certifies a world and the community that plays it toss the same coins, so the evidence
that was certified is the evidence that is shown. Twins share their coins.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.norms import observer
from normgym_agents.worlds.draws import uniform

Rate = Annotated[float, Field(ge=0.0, le=1.0)]


class Explicitness(StrEnum):
    """How much a sanction says: L0 whom, L1 also for which act, L2 also in which circumstance."""

    L0 = "L0"
    L1 = "L1"
    L2 = "L2"


class Enforcement(BaseModel):
    """How a community enforces its norms.

    Attributes:
        detection: P(sanction | the act breaks a norm).
        false_sanctions: P(sanction | it breaks none).
        explicitness: How much a sanction says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    detection: Rate = 0.9
    false_sanctions: Rate = 0.02
    explicitness: Explicitness = Explicitness.L1

    @property
    def rates(self) -> observer.Enforcement:
        """The two rates, as the ideal observer takes them."""
        return observer.Enforcement(self.detection, self.false_sanctions)

    def answered(self, broken: bool, *coin: str | int) -> bool:
        """Whether the act under this coin is answered."""
        return uniform("answered", *coin) < (self.detection if broken else self.false_sanctions)
