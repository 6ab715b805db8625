"""Finding twins: two norm sets over one day that no plan within the budget keeps both of.

An agent that ignores the evidence acts the same in both worlds, so it cannot pass both. Twins are found
by search over the whole hypothesis space, because no rule for flipping a norm guarantees them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import HypothesisSpace, Table
from normgym_agents.norms.norm import Norm
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.planner import DayPlanner

BATCH = 48
"""Norm sets asked of the planner at a time."""


class Twins(NamedTuple):
    """Two norm sets by index, with the budget that keeps them apart."""

    one: tuple[int, ...]
    other: tuple[int, ...]
    budget: int


def shape(norm: Norm) -> tuple[object, ...]:
    """What twins must share: family, number of literals, negations, and the kind of every part."""
    parts = tuple((type(part).__name__, getattr(part, "negated", None)) for part in norm.conjuncts())
    relation = norm.sequence.relation if norm.sequence is not None else None
    return (norm.family, norm.act.verb, parts, relation)


def find_twins(
    planner: DayPlanner, space: HypothesisSpace, table: Table, size: int, blind: int, draws: Draws
) -> Iterator[Twins]:
    """Draw twin norm sets that are solvable, tempting and incompatible.

    Args:
        planner: Plans of the probe day, up to the largest budget considered.
        space: The hypothesis space.
        table: Its table over the planner's moments.
        size: Norms per set, 1 or 2.
        blind: Cost of the cheapest plan that ignores norms.
        draws: Decides the order in which sets are tried.

    Yields:
        Twins of the same shape, in drawn order, until the candidates are used up.
    """
    singles = _meaningful(planner, space, table)
    sets = _candidates(singles, size, table[:, planner.used], draws)
    costs = _costs(planner, table, sets)
    tempting = [(s, int(c)) for s, c in zip(sets, costs, strict=True) if blind < c <= planner.horizon]
    groups: dict[object, list[tuple[tuple[int, ...], int]]] = defaultdict(list)
    for indices, cost in tempting:
        key = tuple(sorted(repr(shape(space.norms[i])) for i in indices))
        groups[key].append((indices, cost))
    pairs = [
        (one, other)
        for group in groups.values()
        for i, one in enumerate(group)
        for other in group[i + 1 :]
        if not set(one[0]) & set(other[0])
    ]
    # Families are drawn first, so that those with few twins are not crowded out by those with many.
    by_family: dict[object, list[tuple[tuple[tuple[int, ...], int], tuple[tuple[int, ...], int]]]] = (
        defaultdict(list)
    )
    for pair in draws.shuffled(pairs):
        by_family[tuple(sorted(space.norms[i].family for i in pair[0][0]))].append(pair)
    for family in draws.shuffled(sorted(by_family, key=repr)):
        yield from _incompatible(planner, table, by_family[family][:BATCH])


def _meaningful(planner: DayPlanner, space: HypothesisSpace, table: Table) -> list[int]:
    """One norm of each family and extensional class that some plan can break."""
    used = table[:, planner.used]
    seen: dict[tuple[str, bytes], int] = {}
    for i, row in enumerate(used):
        if row.any():
            seen.setdefault((space.norms[i].family, row.tobytes()), i)
    return list(seen.values())


def _candidates(singles: list[int], size: int, used: Table, draws: Draws) -> list[tuple[int, ...]]:
    if size == 1:
        return [(i,) for i in singles]
    order = draws.shuffled(singles)
    pairs = (tuple(sorted(pair)) for pair in zip(order, order[1:] + order[:1], strict=True))
    # Where one norm forbids all that the other does, the set is in truth a single norm.
    return [(i, j) for i, j in pairs if (used[i] & ~used[j]).any() and (used[j] & ~used[i]).any()]


def _costs(planner: DayPlanner, table: Table, sets: list[tuple[int, ...]]) -> NDArray[np.int64]:
    parts = [
        planner.costs(np.array([table[list(s)].any(axis=0) for s in sets[i : i + BATCH]]))
        for i in range(0, len(sets), BATCH)
    ]
    return np.concatenate(parts) if parts else np.array([], dtype=np.int64)


def _incompatible(
    planner: DayPlanner,
    table: Table,
    pairs: list[tuple[tuple[tuple[int, ...], int], tuple[tuple[int, ...], int]]],
) -> Iterator[Twins]:
    both = _costs(planner, table, [(*one, *other) for (one, _), (other, _) in pairs])
    for ((one, cost), (other, dear)), joint in zip(pairs, both, strict=True):
        least = max(cost, dear)
        if joint > least:
            # Slack helps an agent that knows the norms; it must stay below what keeping both would take.
            yield Twins(one, other, min(least + 2, int(joint) - 1))
