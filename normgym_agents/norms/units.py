"""Units: what stands or falls together in the mind of an observer.

A permit says nothing by itself, so a prohibition with its exception is one hypothesis and not two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import ActPattern, Conjunct, Family, Norm, Sequence


class Excepted(NamedTuple):
    """A prohibition with the permit that overrides it: as hypotheses they are one."""

    base: Norm
    permit: Norm

    @property
    def family(self) -> Family:
        """Always `EXCEPTION`."""
        return Family.EXCEPTION

    @property
    def act(self) -> ActPattern:
        """The act that is forbidden, with exceptions."""
        return self.base.act

    @property
    def sequence(self) -> Sequence | None:
        """The sequence of the prohibition."""
        return self.base.sequence

    def conjuncts(self) -> Iterator[Conjunct]:
        """The literals of the prohibition, then those of the permit."""
        yield from self.base.conjuncts()
        yield from self.permit.conjuncts()

    def violated_by(self, moment: Moment) -> bool:
        """Whether the act is forbidden and not excepted."""
        return self.base.violated_by(moment) and not self.permit.covers(moment)

    def nearly_violated_by(self, moment: Moment) -> bool:
        """Whether the act is permitted, by the exception or by one literal that spares it."""
        if self.base.violated_by(moment):
            return self.permit.covers(moment)
        return self.base.nearly_violated_by(moment)


Unit = Norm | Excepted
"""A norm, or a prohibition with its exception."""
