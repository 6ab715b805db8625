"""When may "no difference" be said? Not finding one is no proof that there is none.

Two one-sided tests: that the second side is not worse by the margin, and not better by it (Schuirmann 1987,
"A comparison of the two one-sided tests procedure and the power approach for assessing the equivalence of
average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15). Both must be passed at the
level, which is the same as a 90 % interval of the difference that lies within the margin.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from normgym_agents.evaluation.statistics.intervals import OfSums
from normgym_agents.evaluation.statistics.paired import paired_columns

MARGIN: Final = 0.05
"""Differences of shares below 5 points are called none."""

_LEVEL: Final = 0.05
_FEW: Final = 10
"""With fewer clusters that differ, their spread says too little for a t distribution."""

_NO_SPREAD: Final = 1e-12
"""A standard error that is 0 but for rounding."""


@dataclass(frozen=True, kw_only=True)
class Equivalence:
    """Whether a difference is shown to lie within a margin.

    Attributes:
        margin: The margin.
        low: Lower bound of the 90 % interval of the difference.
        high: Upper bound.
        p: The larger p-value of the two tests.
    """

    margin: float
    low: float
    high: float
    p: float

    @property
    def shown(self) -> bool:
        """Whether both tests are passed at 5 %."""
        return self.p <= _LEVEL


def equivalence_test(
    first: ArrayLike, second: ArrayLike, statistic: OfSums, *, margin: float = MARGIN
) -> Equivalence | None:
    """Is the second side's share within a margin of the first side's?

    The tests are t tests over clusters, with the jackknife's standard error, which for a mean over equal
    clusters is the usual one. Where fewer than 10 clusters differ at all, a spread estimated from them would
    promise too much (none, if no cluster differs). Then the tests rest on counts: a side that is larger by the
    margin is larger in at least that share of the clusters, and the chance of seeing so few is binomial (for
    clusters of equal weight; they nearly are). A cluster that differs in weight alone counts for both sides.

    Args:
        first: Shape (clusters, sums): what each cluster adds to each sum of the first side.
        second: Likewise of the second, cluster by cluster.
        statistic: From the sums of a side to its value, a share in [0, 1].
        margin: In (0, 1).

    Returns:
        The outcome; None if there is no cluster, or a side has no value with each cluster left out in turn.

    Raises:
        ValueError: The tables do not fit together or are not finite, or the margin is out of its range.
    """
    one, two = paired_columns(first, second)
    if not 0 < margin < 1:
        raise ValueError(f"margin={margin} must be between 0 and 1")
    count, differing = len(one), (one != two).any(axis=1)
    if count == 0:
        return None
    if differing.sum() < _FEW:
        gaps = statistic(two) - statistic(one)
        more, less = int((differing & ~(gaps < 0)).sum()), int((differing & ~(gaps > 0)).sum())
        return Equivalence(
            margin=margin,
            low=-_most(less, count),
            high=_most(more, count),
            p=float(special.bdtr(max(more, less), count, margin)),
        )
    sums = one.sum(axis=0), two.sum(axis=0)
    value = float(statistic(sums[1]) - statistic(sums[0]))
    left_out = statistic(sums[1] - two) - statistic(sums[0] - one)
    if not (math.isfinite(value) and np.isfinite(left_out).all()):
        return None
    error = math.sqrt((count - 1) / count * float(((left_out - left_out.mean()) ** 2).sum()))
    if error < _NO_SPREAD:
        return _without_spread(value, count, margin)
    reach = float(special.stdtrit(count - 1, 1 - _LEVEL)) * error
    farther = (margin - abs(value)) / error
    return Equivalence(
        margin=margin,
        low=value - reach,
        high=value + reach,
        p=float(special.stdtr(count - 1, -farther)),
    )


def _most(seen: int, count: int) -> float:
    """The upper bound at 5 % of a share of clusters, after so many were seen (Clopper & Pearson 1934)."""
    return 1.0 if seen == count else float(special.betaincinv(seen + 1, count - seen, 1 - _LEVEL))


def _without_spread(value: float, count: int, margin: float) -> Equivalence:
    """Clusters that all differ alike: as `difference_estimate` says, others may have stayed unseen."""
    unseen = 1 - _LEVEL ** (1 / count)
    low, high = value - unseen * (1 + value), value + unseen * (1 - value)
    if abs(value) >= margin:
        return Equivalence(margin=margin, low=low, high=high, p=1.0)
    least = min((margin - value) / (1 - value), (margin + value) / (1 + value))
    return Equivalence(margin=margin, low=low, high=high, p=(1 - least) ** count)
