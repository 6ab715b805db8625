"""What an observer believes before it has seen anything: how many norms hold, and which.

One place, because two observers can be compared only if they start from the same beliefs. The size of the
set comes first; of the sets of one size each has the mass of the product of its norms' shares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.norm import Norm

Hypothesis = Norm | tuple[Norm, ...]
"""What stands for one row of a table: a norm, or a norm with the permission that overrides it."""

SIZE_PRIOR = (0.1, 0.45, 0.45)
"""Prior probability of a set of none, one and two norms."""

SIZE_PRIOR_OF_THREE = (0.1, 0.4, 0.3, 0.2)
"""Prior probability of a set of none, one, two and three norms."""


def shares(norms: Sequence[Hypothesis]) -> NDArray[np.float64]:
    """The share of every norm in the mass of single norms, shape (norms,), sum 1.

    Families share it equally, and the norms of a family that of theirs: the number of ways in which a family
    can be worded says nothing of how often it holds.
    """
    families = [norm.family if isinstance(norm, Norm) else norm[-1].family for norm in norms]
    sizes = {family: families.count(family) for family in families}
    return np.array([1.0 / (len(sizes) * sizes[family]) for family in families])
