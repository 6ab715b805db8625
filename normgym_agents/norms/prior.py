"""What an observer believes before it has seen anything: how many norms hold, and which.

One place, because two observers can be compared only if they start from the same beliefs. The size of the
set comes first; of the sets of one size each has the mass of the product of its norms' shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.norm import Family


class Hypothesis(Protocol):
    """What stands for one row of a table, a norm or a norm with its exception: beliefs ask its family only."""

    @property
    def family(self) -> Family:
        """The norm family."""
        ...


SIZE_PRIOR = (0.1, 0.45, 0.45)
"""Prior probability of a set of none, one and two norms."""

SIZE_PRIOR_OF_THREE = (0.1, 0.4, 0.3, 0.2)
"""Prior probability of a set of none, one, two and three norms."""


def shares(norms: Sequence[Hypothesis]) -> NDArray[np.float64]:
    """The share of every norm in the mass of single norms, shape (norms,), sum 1.

    Families share it equally, and the norms of a family that of theirs: the number of ways in which a family
    can be worded says nothing of how often it holds.
    """
    families = [norm.family for norm in norms]
    sizes = {family: families.count(family) for family in families}
    return np.array([1.0 / (len(sizes) * sizes[family]) for family in families])


def symmetric(values: Sequence[float] | NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Elementary symmetric polynomials: the sums of the products over all sets of distinct values.

    Norm by norm rather than from power sums (Newton's identities): these cancel, and where there are too few
    values for a set of some size the sum must be nothing, not a rounding error that evidence magnifies.

    Args:
        values: The shares of some norms.
        most: Largest size.

    Returns:
        Shape (most + 1,): by size, that of the empty set (1) first.
    """
    found = np.zeros(most + 1)
    found[0] = 1.0
    for value in values:
        found[1:] += value * found[:-1]
    return found


def inclusion(single: NDArray[np.float64], sizes: Sequence[float]) -> NDArray[np.float64]:
    """P(the norm is in the set), for every norm, before any evidence.

    Args:
        single: Shape (norms,), the shares of the norms.
        sizes: Prior probability of every size from none on; the mass of sizes that so few norms cannot reach
            goes to the others in proportion.
    """
    most = min(len(sizes) - 1, len(single))
    scale = np.array(sizes[: most + 1]) / sum(sizes[: most + 1])
    whole = symmetric(single, most)
    found = np.zeros(len(single))
    # Sets of one size that hold a norm: its share times the sets of one less among the other norms.
    without = np.ones(len(single))
    for size in range(1, most + 1):
        found += scale[size] * single * without / whole[size]
        without = whole[size] - single * without
    return found
