"""Finding twins: two norm sets over one day that no plan within the budget keeps both of.

An agent that ignores the evidence acts the same in both worlds, so it cannot pass both. Twins are found
by search over the whole hypothesis space, because no rule for flipping a norm guarantees them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import HypothesisSpace, Table
from normgym_agents.norms.norm import Family, Norm
from normgym_agents.norms.units import Unit
from normgym_agents.worlds.draws import Draws
from normgym_agents.worlds.planner import DayPlanner

BATCH = 48
"""Norm sets asked of the planner at a time."""

MOST_SLACK = 2
"""Acts that a budget may leave beyond the dearer norm-keeping plan."""


class Twins(NamedTuple):
    """Two norm sets by index, with the budget that keeps them apart."""

    one: tuple[int, ...]
    other: tuple[int, ...]
    budget: int


def shape(norm: Unit) -> tuple[object, ...]:
    """What twins must share: family, number of literals, negations, and the kind of every part."""
    parts = tuple((type(part).__name__, getattr(part, "negated", None)) for part in norm.conjuncts())
    relation = norm.sequence.relation if norm.sequence is not None else None
    return (norm.family, norm.act.verb, parts, relation)


def find_twins(
    planner: DayPlanner,
    space: HypothesisSpace,
    table: Table,
    size: int,
    family: Family,
    blind: int,
    draws: Draws,
    *,
    wanted: Callable[[Unit], bool] | None = None,
    leading: Callable[[Unit], bool] | None = None,
) -> Iterator[Twins]:
    """Draw twin norm sets that are solvable, tempting and incompatible.

    Args:
        planner: Plans of the probe day, up to the largest budget considered.
        space: The hypothesis space.
        table: Its table over the planner's moments.
        size: Norms per set, 1 or 2.
        family: A family that each set must hold, so that rare ones are not crowded out.
        blind: Cost of the cheapest plan that ignores norms.
        draws: Decides the order in which sets are tried.
        wanted: Which units single norms are taken from; None: those of the family by their form.
        leading: What the first twin's norm must be beside that; None: anything.

    Yields:
        Twins of the same shape, in drawn order, until the candidates are used up.
    """
    fits = wanted or (lambda unit: unit.family is family)
    norms = [i for i, unit in enumerate(space.norms) if size > 1 or fits(unit)]
    singles = _meaningful(planner, space, table, norms, apart=leading is not None)
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
    fitting = [pair for pair in pairs if any(fits(space.norms[i]) for i in pair[0][0])]
    if leading is not None:
        turned = [pair if leading(space.norms[pair[0][0][0]]) else pair[::-1] for pair in fitting]
        fitting = [(one, other) for one, other in turned if leading(space.norms[one[0][0]])]
    yield from _incompatible(planner, table, draws.shuffled(fitting)[:BATCH])


def _meaningful(
    planner: DayPlanner, space: HypothesisSpace, table: Table, norms: Sequence[int], *, apart: bool
) -> list[int]:
    """One norm of each family and extensional class, among these, that some plan can break.

    To the newcomer it is one whether a norm is for its own role or for all but another. Where norms are to be of a
    kind, `apart` keeps them apart: to others, and to what one would expect, it is not.
    """
    used = table[:, planner.used]
    seen: dict[tuple[object, ...], int] = {}
    for i in norms:
        if used[i].any():
            unit = space.norms[i]
            bearer = unit.bearer if apart and isinstance(unit, Norm) else None
            seen.setdefault((unit.family, bearer, used[i].tobytes()), i)
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
) -> list[Twins]:
    """The pairs that no plan keeps both of, those with most slack first.

    Slack lets an agent that knows the norms waste an act; it must stay below what keeping both takes.
    """
    both = _costs(planner, table, [(*one, *other) for (one, _), (other, _) in pairs])
    found = []
    for ((one, cost), (other, dear)), joint in zip(pairs, both, strict=True):
        least = max(cost, dear)
        if joint > least:
            slack = min(MOST_SLACK, int(joint) - 1 - least)
            found.append((-slack, Twins(one, other, least + slack)))
    return [twins for _, twins in sorted(found, key=lambda entry: entry[0])]
