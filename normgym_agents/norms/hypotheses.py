"""The hypothesis space: norms compiled for asking all of them about many moments at once.

A row is a unit: a norm, or a prohibition with its exception. Literals are shared by the rows, and each is
asked once per distinct value of the one thing that it looks at.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.errors import NormgymError
from normgym_agents.norms.enumeration import VerbSlots, Vocabulary, enumerate_norms
from normgym_agents.norms.literals import Conjunct
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Norm
from normgym_agents.norms.units import Excepted, Unit

__all__ = [
    "Excepted",
    "HypothesisSpace",
    "RowClasses",
    "Table",
    "Unit",
    "VerbSlots",
    "Vocabulary",
    "distinct_columns",
    "distinct_rows",
    "enumerate_norms",
]

Table = NDArray[np.bool_]
"""Shape (norms, moments): whether the norm is broken by the act of that moment."""


class HypothesisSpace:
    """Norms compiled for asking all of them about many moments at once.

    Args:
        norms: The norms, whose order is the order of the rows of every table.

    Raises:
        NormgymError: A permit stands by itself, or a norm changes: neither says of an act whether it is broken.
    """

    def __init__(self, norms: Sequence[Unit]) -> None:
        self.norms = tuple(norms)
        bases = [unit.base if isinstance(unit, Excepted) else unit for unit in self.norms]
        if any(norm.deontic == "permit" for norm in bases):
            raise NormgymError(
                "a permit is no hypothesis without the norm that it overrides: see norms.rules"
            )
        permits = [unit.permit for unit in self.norms if isinstance(unit, Excepted)]
        self._excepted = np.flatnonzero([isinstance(unit, Excepted) for unit in self.norms])
        rows = [tuple(norm.conjuncts()) for norm in (*bases, *permits)]
        self._verbs = tuple(dict.fromkeys(norm.verb for norm in (*bases, *permits)))
        self._literals = tuple(dict.fromkeys(literal for row in rows for literal in row))
        self._bases = self._compile(bases, rows[: len(bases)])
        self._permits = self._compile(permits, rows[len(bases) :])

    def _compile(self, norms: Sequence[Norm], rows: Sequence[tuple[Conjunct, ...]]) -> _Rows:
        verb_index = {verb: i for i, verb in enumerate(self._verbs)}
        literal_index = {literal: i for i, literal in enumerate(self._literals)}
        width, always = max((len(row) for row in rows), default=0), len(self._literals)
        return _Rows(
            np.array([verb_index[norm.verb] for norm in norms], dtype=np.intp),
            np.array(
                [[literal_index[x] for x in row] + [always] * (width - len(row)) for row in rows],
                dtype=np.intp,
            ).reshape(len(rows), width),
        )

    def table(self, moments: Sequence[Moment]) -> Table:
        """Which norm is broken at which moment, shape (norms, moments).

        A literal looks at one part of a moment, so it is asked once per distinct value of that part.
        """
        # An obligation has no verb: whatever is done may let its time run out.
        verbs = np.array(
            [[verb in (None, moment.verb) for moment in moments] for verb in self._verbs], dtype=np.bool_
        ).reshape(len(self._verbs), len(moments))
        holds = np.ones((len(self._literals) + 1, len(moments)), dtype=np.bool_)
        places: dict[Hashable, tuple[list[Moment], NDArray[np.intp]]] = {}
        for row, literal in enumerate(self._literals):
            if literal.place not in places:
                places[literal.place] = _distinct(moments, literal)
            examples, which = places[literal.place]
            holds[row] = np.array([literal.holds(moment) for moment in examples], dtype=np.bool_)[which]
        table = self._bases.covered(verbs, holds)
        if len(self._excepted):
            table[self._excepted] &= ~self._permits.covered(verbs, holds)
        return table

    def broken(self, moments: Sequence[Moment]) -> NDArray[np.bool_]:
        """Whether the act of each moment breaks any of the norms, shape (moments,)."""
        return np.asarray(self.table(moments).any(axis=0), dtype=np.bool_)


class _Rows(NamedTuple):
    """Norms as indices: their verbs, shape (norms,), and their literals, shape (norms, most of any)."""

    verb_of: NDArray[np.intp]
    literals_of: NDArray[np.intp]

    def covered(self, verbs: Table, holds: Table) -> Table:
        """Which norm covers which moment, shape (norms, moments)."""
        table: Table = verbs[self.verb_of]
        for column in self.literals_of.T:
            table &= holds[column]
        return table


class RowClasses(NamedTuple):
    """Rows of a table that are alike.

    Attributes:
        first: Shape (classes,): the first row of each class, ascending.
        which: Shape (rows,): the class of each row.
    """

    first: NDArray[np.intp]
    which: NDArray[np.intp]


def distinct_rows(table: Table) -> RowClasses:
    """Which norms no moment of the table can tell apart; classes stand in the order of their first row."""
    classes: dict[bytes, int] = {}
    first: list[int] = []
    which = np.empty(len(table), dtype=np.intp)
    for i, row in enumerate(np.packbits(table, axis=1)):
        key = row.tobytes()
        if key not in classes:
            classes[key] = len(first)
            first.append(i)
        which[i] = classes[key]
    return RowClasses(np.array(first, dtype=np.intp), which)


def distinct_columns(table: Table) -> tuple[Table, NDArray[np.intp]]:
    """The distinct columns of a table, and for each of its columns which of them it is."""
    packed = np.ascontiguousarray(np.packbits(table, axis=0).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return table[:, first], which


def _distinct(moments: Sequence[Moment], literal: Conjunct) -> tuple[list[Moment], NDArray[np.intp]]:
    """One moment for each thing that the literal can see, and for each moment which of them it is like."""
    examples: list[Moment] = []
    index: dict[Hashable, int] = {}
    which: list[int] = []
    for moment, seen in zip(moments, literal.seen(moments), strict=True):
        at = index.setdefault(seen, len(examples))
        if at == len(examples):
            examples.append(moment)
        which.append(at)
    return examples, np.array(which, dtype=np.intp)
