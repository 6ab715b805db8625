"""A set of norms as they hold together: permits override, and the set must not contradict itself.

Norms are known by their place in the set, which is what labels, verdicts and tables go by. A permit keeps its
place though nothing breaks it; the prohibition that it overrides is judged together with it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.consistency import check_consistent, exceptions_of
from normgym_agents.norms.hypotheses import HypothesisSpace, Table
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Family, Norm
from normgym_agents.norms.reachability import check_reachable
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.norms.verdicts import Verdict, evaluate

__all__ = ["RuleSet", "check_reachable", "texts"]


class RuleSet:
    """Norms in force together.

    Args:
        norms: The norms; `N1` is the first of them.

    Raises:
        BadInput: The set says something twice, contradicts itself, or overrides what it does not hold.
    """

    def __init__(self, norms: Iterable[Norm]) -> None:
        self.norms = tuple(norms)
        self._exception = exceptions_of(self.norms)
        # One set per stretch of days; a set that stays is its own only one.
        self._stretches: tuple[RuleSet, ...] = (self,)
        if self.changes:
            self._stretches = tuple(
                RuleSet(norm.at(day) for norm in self.norms) for day in (*self.changes, None)
            )
        else:
            check_consistent(self.norms, self._exception)

    @cached_property
    def changes(self) -> tuple[int, ...]:
        """The last watched day of every norm that changes, ascending."""
        return tuple(sorted({norm.successor.day for norm in self.norms if norm.successor is not None}))

    def at(self, day: int | None) -> RuleSet:
        """The norms in force on a watched day, counted from 1; None: on the working days, which come after."""
        return self._stretches[-1 if day is None else bisect_left(self.changes, day)]

    @cached_property
    def rows(self) -> tuple[Unit | None, ...]:
        """Per norm what is judged in its place: itself, or with its exception; None for permits."""
        return tuple(
            None
            if norm.deontic == "permit"
            else Excepted(norm, self.norms[self._exception[i]])
            if i in self._exception
            else norm
            for i, norm in enumerate(self.norms)
        )

    @cached_property
    def _space(self) -> tuple[NDArray[np.intp], HypothesisSpace]:
        places = [i for i, row in enumerate(self.rows) if row is not None]
        return np.array(places, dtype=np.intp), HypothesisSpace(self.units)

    @property
    def units(self) -> tuple[Unit, ...]:
        """The set as hypotheses: exceptions as `enumerate_norms` has them, permits joined to their norm."""
        return tuple(
            Excepted(row.base, row.permit.model_copy(update={"overriding": "N1"}))
            if isinstance(row, Excepted)
            else row
            for row in self.rows
            if row is not None
        )

    def family(self, index: int) -> Family:
        """The family of a norm by its form; a prohibition with an exception is one."""
        row = self.rows[index]
        return self.norms[index].family if row is None else row.family

    def broken_by(self, moment: Moment) -> tuple[int, ...]:
        """Places of the norms that the act breaks, ascending."""
        return tuple(i for i, row in enumerate(self.rows) if row is not None and row.violated_by(moment))

    def violates(self, moment: Moment) -> bool:
        """Whether the act breaks any of the norms."""
        return any(row is not None and row.violated_by(moment) for row in self.rows)

    def near(self, moment: Moment) -> bool:
        """Whether the act breaks none of the norms, and one of them but for one literal or an exception."""
        rows = [row for row in self.rows if row is not None]
        return any(row.nearly_violated_by(moment) for row in rows) and not self.violates(moment)

    def evaluate(self, index: int, moment: Moment, choices: Iterable[Moment]) -> Verdict:
        """Judge one act by one norm of the set, as `verdicts.evaluate` does."""
        row = self.rows[index]
        return Verdict.NO_OPPORTUNITY if row is None else evaluate(row, moment, choices)

    def table(self, moments: Sequence[Moment]) -> Table:
        """Which norm is broken at which moment, shape (norms, moments); rows of permits are false."""
        table = np.zeros((len(self.norms), len(moments)), dtype=np.bool_)
        places, space = self._space
        table[places] = space.table(moments)
        return table

    def broken(self, moments: Sequence[Moment]) -> NDArray[np.bool_]:
        """Whether the act of each moment breaks any of the norms, shape (moments,)."""
        return np.asarray(self.table(moments).any(axis=0), dtype=np.bool_)

    def counted(self, moments: Sequence[Moment]) -> NDArray[np.bool_]:
        """Whether a quota of the set counts the act of each moment, shape (moments,)."""
        return np.array(
            [any(norm.counts(moment) for norm in self.norms) for moment in moments], dtype=np.bool_
        )


def texts(units: Iterable[Unit]) -> tuple[str, ...]:
    """Units as a world holds them: each norm's text, a permit right after the norm that it overrides."""
    found: list[str] = []
    for unit in units:
        if isinstance(unit, Excepted):
            label = f"N{len(found) + 1}"
            permit = unit.permit.model_copy(update={"overriding": label})
            found += [print_norm(unit.base), print_norm(permit)]
        else:
            found.append(print_norm(unit))
    return tuple(found)
