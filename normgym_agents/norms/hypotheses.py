"""The hypothesis space: every norm that the words of a setting can express, up to a stated size.

It is what an ideal observer must tell apart, so it is enumerated from the vocabulary alone and never from
the norms that a world holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from normgym_agents.norms import norm as _norm
from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import ActPattern, Bearer, Norm, Present, SignalIs, SlotLiteral

Table = NDArray[np.bool_]
"""Shape (norms, moments): whether the norm is broken by the act of that moment."""


class VerbSlots(BaseModel):
    """A verb that norms can be about, and the slots whose values they can name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    verb: str
    slots: tuple[str, ...]


class Vocabulary(BaseModel):
    """The words of one world, from which its hypothesis space follows.

    Attributes:
        values: The possible values of each slot (attributes of things, and `role`).
        signals: The possible values of each public signal.
        roles: All roles.
        overseer: The role whose presence may matter.
        verbs: Verbs that norms may forbid.
        precursors: Acts that a sequence norm may refer to.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: dict[str, tuple[str, ...]]
    signals: dict[str, tuple[str, ...]]
    roles: tuple[str, ...]
    overseer: str
    verbs: tuple[VerbSlots, ...]
    precursors: tuple[ActPattern, ...]


def enumerate_norms(vocabulary: Vocabulary) -> tuple[Norm, ...]:
    """All norms with at most one slot literal and at most one of context, bearer and sequence.

    Slot negations stand in plain prohibitions only, and only for slots of three values or more: with two
    values the negation says the same as the other value. The order is fixed by the vocabulary.
    """
    return tuple(dict.fromkeys(_enumerate(vocabulary)))


def _enumerate(vocabulary: Vocabulary) -> Iterator[Norm]:
    plain = [p for verb in vocabulary.verbs for p in _patterns(verb, vocabulary, negations=False)]
    for verb in vocabulary.verbs:
        for pattern in _patterns(verb, vocabulary, negations=True):
            yield Norm(act=pattern)
    for pattern, condition in product(plain, _contexts(vocabulary)):
        yield Norm(act=pattern, when=(condition,))
    for pattern, role, negated in product(plain, vocabulary.roles, (False, True)):
        yield Norm(act=pattern, bearer=Bearer(role=role, negated=negated))
    for pattern, precursor in product(plain, vocabulary.precursors):
        yield Norm(act=pattern, sequence=_norm.Sequence(relation="before", pattern=precursor))
        yield Norm(act=pattern, sequence=_norm.Sequence(relation="after", pattern=precursor))


def _patterns(verb: VerbSlots, vocabulary: Vocabulary, *, negations: bool) -> Iterator[ActPattern]:
    yield ActPattern(verb=verb.verb)
    for slot in verb.slots:
        values = vocabulary.values[slot]
        for value in values:
            yield ActPattern(verb=verb.verb, literals=(SlotLiteral(slot=slot, value=value),))
        if negations and len(values) > 2:
            for value in values:
                literal = SlotLiteral(slot=slot, value=value, negated=True)
                yield ActPattern(verb=verb.verb, literals=(literal,))


def _contexts(vocabulary: Vocabulary) -> Iterator[SignalIs | Present]:
    for signal, values in vocabulary.signals.items():
        for value in values:
            yield SignalIs(signal=signal, value=value)
    yield Present(role=vocabulary.overseer)
    yield Present(role=vocabulary.overseer, negated=True)


class HypothesisSpace:
    """Norms compiled for asking all of them about many moments at once.

    Args:
        norms: The norms, whose order is the order of the rows of every table.
    """

    def __init__(self, norms: Sequence[Norm]) -> None:
        self.norms = tuple(norms)
        self._verbs = tuple(dict.fromkeys(norm.act.verb for norm in self.norms))
        rows = [tuple(norm.conjuncts()) for norm in self.norms]
        self._literals = tuple(dict.fromkeys(literal for row in rows for literal in row))
        verb_index = {verb: i for i, verb in enumerate(self._verbs)}
        literal_index = {literal: i for i, literal in enumerate(self._literals)}
        width = max((len(row) for row in rows), default=0)
        always = len(self._literals)
        self._verb_of = np.array([verb_index[norm.act.verb] for norm in self.norms], dtype=np.intp)
        self._literals_of = np.array(
            [[literal_index[x] for x in row] + [always] * (width - len(row)) for row in rows],
            dtype=np.intp,
        ).reshape(len(rows), width)

    def table(self, moments: Sequence[Moment]) -> Table:
        """Which norm is broken at which moment, shape (norms, moments).

        A literal looks at one part of a moment, so it is asked once per distinct value of that part.
        """
        verbs = np.array(
            [[moment.verb == verb for moment in moments] for verb in self._verbs], dtype=np.bool_
        ).reshape(len(self._verbs), len(moments))
        holds = np.ones((len(self._literals) + 1, len(moments)), dtype=np.bool_)
        parts: dict[str, tuple[list[Moment], NDArray[np.intp]]] = {}
        for row, literal in enumerate(self._literals):
            if literal.part not in parts:
                parts[literal.part] = _distinct(moments, literal.part)
            examples, which = parts[literal.part]
            holds[row] = np.array([literal.holds(moment) for moment in examples], dtype=np.bool_)[which]
        table = verbs[self._verb_of]
        for column in self._literals_of.T:
            table &= holds[column]
        return table

    def broken(self, moments: Sequence[Moment]) -> NDArray[np.bool_]:
        """Whether the act of each moment breaks any of the norms, shape (moments,)."""
        return np.asarray(self.table(moments).any(axis=0), dtype=np.bool_)


def distinct_columns(table: Table) -> tuple[Table, NDArray[np.intp]]:
    """The distinct columns of a table, and for each of its columns which of them it is."""
    packed = np.ascontiguousarray(np.packbits(table, axis=0).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return table[:, first], which


def _distinct(moments: Sequence[Moment], part: str) -> tuple[list[Moment], NDArray[np.intp]]:
    """One moment for each distinct value of a part, and for each moment which of them it is like."""
    index: dict[object, int] = {}
    examples: list[Moment] = []
    which = np.empty(len(moments), dtype=np.intp)
    for i, moment in enumerate(moments):
        value = getattr(moment, part)
        if value not in index:
            index[value] = len(examples)
            examples.append(moment)
        which[i] = index[value]
    return examples, which
