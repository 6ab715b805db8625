"""A set of norms as they hold together: permits override, and the set must not contradict itself.

Norms are known by their place in the set, which is what labels, verdicts and tables go by. A permit keeps its
place though nothing breaks it; the prohibition that it overrides is judged together with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from normgym_agents.errors import BadInput
from normgym_agents.norms.hypotheses import HypothesisSpace, Table
from normgym_agents.norms.language import print_norm
from normgym_agents.norms.literals import ActPattern, Bearer, SlotLiteral
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Family, Norm
from normgym_agents.norms.units import Excepted, Unit
from normgym_agents.norms.verdicts import Verdict, evaluate


class RuleSet:
    """Norms in force together.

    Args:
        norms: The norms; `N1` is the first of them.

    Raises:
        BadInput: The set says something twice, contradicts itself, or overrides what it does not hold.
    """

    def __init__(self, norms: Iterable[Norm]) -> None:
        self.norms = tuple(norms)
        self._exception = _exceptions(self.norms)
        if self.changes:
            for day in self.changes:
                self.at(day)
            self.at(None)
        else:
            _check_consistent(self.norms, self._exception)

    @property
    def changes(self) -> tuple[int, ...]:
        """The last watched day of every norm that changes, ascending."""
        return tuple(sorted({norm.successor.day for norm in self.norms if norm.successor is not None}))

    def at(self, day: int | None) -> RuleSet:
        """The norms in force on a watched day, counted from 1; None: on the working days, which come after."""
        return RuleSet(norm.at(day) for norm in self.norms)

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


def _label(index: int) -> str:
    return f"N{index + 1}"


def _exceptions(norms: Sequence[Norm]) -> dict[int, int]:
    """For each norm that a permit overrides the place of the permit."""
    found: dict[int, int] = {}
    for i, norm in enumerate(norms):
        if norm in norms[:i]:
            raise BadInput(f"{print_norm(norm)!r} stands twice", field=_label(i), expected="each norm once")
        if norm.overriding is None:
            continue
        base = int(norm.overriding[1:]) - 1
        forbids = [_label(j) for j, other in enumerate(norms) if other.deontic == "forbid"]
        if base >= len(norms) or norms[base].deontic != "forbid":
            raise BadInput(
                f"{norm.overriding} is no prohibition of the set",
                field=_label(i),
                expected=" | ".join(forbids) or "a prohibition beside the permit",
            )
        if norms[base].act.verb != norm.act.verb:
            raise BadInput(
                f"a permit of {norm.act.verb!r} cannot override {norm.overriding}",
                field=_label(i),
                expected=f"the verb that {norm.overriding} forbids, {norms[base].act.verb!r}",
            )
        if norms[base].successor is not None:
            raise BadInput(
                f"{norm.overriding} changes, so nothing can override it",
                field=_label(i),
                expected="a norm that stays",
            )
        if base in found:
            raise BadInput(
                f"{norm.overriding} has an exception already, {_label(found[base])}",
                field=_label(i),
                expected="one exception for each prohibition",
            )
        found[base] = i
    return found


def _check_consistent(norms: Sequence[Norm], exception: dict[int, int]) -> None:
    """Refuse sets in which an act is both owed or permitted and forbidden in all cases."""
    for i, norm in enumerate(norms):
        for j, other in enumerate(norms):
            if other.deontic != "forbid" or not _always(other, norm):
                continue
            if norm.deontic == "oblige" and j not in exception:
                raise BadInput(
                    f"what {_label(i)} obliges to, {_label(j)} forbids in all cases: {print_norm(other)}",
                    field=_label(i),
                    expected="norms that can be kept together",
                )
            if norm.deontic == "permit" and exception.get(j) != i:
                raise BadInput(
                    f"what {_label(i)} permits, {_label(j)} forbids in all cases: {print_norm(other)}",
                    field=_label(i),
                    expected=f"a permit overriding {_label(j)}, or another norm",
                )
    for base, permit in exception.items():
        if norms[base].quota is None and _always(norms[permit], norms[base]):
            raise BadInput(
                f"{_label(permit)} permits all that {_label(base)} forbids",
                field=_label(permit),
                expected="a permit for some of the acts that are forbidden",
            )


def _always(general: Norm, special: Norm) -> bool:
    """Whether the first norm covers every act that the second is about, in every context and for everybody.

    An obligation is about the act that is owed, whenever it may be done.
    """
    if general.quota is not None or not _act_implied(general.act, special.act):
        return False
    if not set(general.when) <= set(special.when) or general.sequence not in (None, special.sequence):
        return False
    return general.bearer is None or _bearer_implied(general.bearer, special.bearer)


def _act_implied(general: ActPattern, special: ActPattern) -> bool:
    return general.verb == special.verb and all(
        any(_slot_implied(literal, other) for other in special.literals) for literal in general.literals
    )


def _slot_implied(literal: SlotLiteral, given: SlotLiteral) -> bool:
    if literal == given:
        return True
    other_value = literal.slot == given.slot and literal.value != given.value
    return other_value and literal.negated and not given.negated


def _bearer_implied(bearer: Bearer, given: Bearer | None) -> bool:
    if given is None or bearer == given:
        return given is not None
    return bearer.role != given.role and bearer.negated and not given.negated
