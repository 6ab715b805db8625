"""Tests of two runs over the same worlds, and what several tests at once make of a p-value.

Whatever is tested must be independent, so here, too, a cluster is a pair of twins. The tests assume nothing
about how results are distributed: if the two sides differ in name only, each cluster might as well have come
out with the names exchanged, and that is all they use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from normgym_agents.evaluation.statistics.bounded import CONFIDENCE, Limits
from normgym_agents.evaluation.statistics.intervals import (
    DRAWS,
    Estimate,
    Floats,
    OfSums,
    sums_estimate,
)

_CLOSE: Final = 1e-9
"""Values that differ by no more than this are equal: sums of one and the same numbers differ by rounding."""


def exact_mcnemar(better: int, worse: int) -> float:
    """Two-sided exact McNemar test: could as many pairs have changed for the better as for the worse?

    McNemar (1947), "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12; the exact form is the binomial test with probability 1/2
    (`scipy.stats.binomtest` gives the same). What is counted must be independent, so worlds that are twins
    are one pair here.

    Args:
        better: Pairs that changed one way.
        worse: Pairs that changed the other way.

    Returns:
        The p-value; 1 where no pair changed.

    Raises:
        ValueError: A count is negative.
    """
    if better < 0 or worse < 0:
        raise ValueError(f"counts must not be negative: {better}, {worse}")
    return min(1.0, 2 * float(special.bdtr(min(better, worse), better + worse, 0.5)))


def permutation_test(
    first: ArrayLike, second: ArrayLike, statistic: OfSums, rng: np.random.Generator, *, draws: int = DRAWS
) -> float | None:
    """Paired permutation test: could the two sides have been exchanged in every cluster?

    The statistic of the second side minus that of the first is compared with what it is when the sides of
    some clusters are exchanged (the sign-flip test: for a mean, that flips the sign of a cluster's
    difference). Where n clusters differ and 2**n is at most `draws`, all exchanges are looked
    at and p is exact (Fisher 1935, *The Design of Experiments*, section 21). Else `draws` of them are drawn, and
    p = (b + 1) / (m + 1), which is never 0 and never too small (Phipson & Smyth 2010, "Permutation p-values
    should never be zero", Statistical Applications in Genetics and Molecular Biology 9). Exchanges that leave a side without a value count as extreme: p is too large there, never too small.

    Args:
        first: Shape (clusters, sums): what each cluster adds to each sum of the first side.
        second: Likewise of the second, cluster by cluster.
        statistic: From the sums of a side to its value.
        rng: Decides which exchanges are drawn.
        draws: How many, at least 1.

    Returns:
        The two-sided p-value; 1 if the sides are equal in every cluster; None if there is no cluster, or a
        side has no value on the data.

    Raises:
        ValueError: The tables do not fit together or are not finite, or `draws` is out of its range.
    """
    one, two = paired_columns(first, second)
    if draws < 1:
        raise ValueError(f"draws={draws} must be positive")
    if len(one) == 0:
        return None

    def gap(of_first: Floats, of_second: Floats) -> Floats:
        return np.asarray(np.abs(statistic(of_second) - statistic(of_first)))

    observed = float(gap(one.sum(axis=0), two.sum(axis=0)))
    if not np.isfinite(observed):
        return None
    # Clusters that came out equal change nothing when exchanged, so they need not be.
    moving = (one != two).any(axis=1)
    fixed, count = one[~moving].sum(axis=0), int(moving.sum())
    exact = 2**count <= draws
    exchanged = _all_subsets(count) if exact else rng.integers(0, 2, size=(draws, count)).astype(float)
    kept = 1 - exchanged
    # Added up anew, not moved across: a difference of equal sums need not be 0, and 0/0 would get a value.
    found = gap(
        fixed + kept @ one[moving] + exchanged @ two[moving],
        fixed + exchanged @ one[moving] + kept @ two[moving],
    )
    extreme = int(np.sum(~(found < observed - _CLOSE * max(1.0, observed))))
    return extreme / len(found) if exact else (extreme + 1) / (draws + 1)


def difference_estimate(
    first: ArrayLike,
    second: ArrayLike,
    statistic: OfSums,
    rng: np.random.Generator,
    *,
    limits: Limits | None = None,
    bearing: int | None = None,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The second side's statistic minus the first's, with its BCa interval; both sides' clusters are drawn alike.

    Args:
        first: As in `permutation_test`.
        second: Likewise.
        statistic: From the sums of a side to its value.
        rng: Decides which clusters are drawn.
        limits: The smallest and the largest difference that there can be: -1 and 1 for shares. None if there
            are none.
        bearing: As in `sums_estimate`.
        draws: How many bootstrap draws.
        confidence: Coverage of the interval, in (0, 1).

    Returns:
        The estimate, as `sums_estimate` says.

    Raises:
        ValueError: As in `permutation_test` and `sums_estimate`.
    """
    one, two = paired_columns(first, second)
    sums = one.shape[1]

    def difference(both: Floats) -> Floats:
        return statistic(both[..., sums:]) - statistic(both[..., :sums])

    both = np.hstack([one, two])
    return sums_estimate(
        both, difference, rng, limits=limits, bearing=bearing, draws=draws, confidence=confidence
    )


def paired_columns(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    """Two tables of clusters and sums that fit together.

    Raises:
        ValueError: They do not, or hold something that is no finite number.
    """
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.shape != two.shape or one.ndim != 2 or not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise ValueError(f"{one.shape} and {two.shape} must be equal, finite tables of clusters and sums")
    return one, two


def _all_subsets(count: int) -> Floats:
    """Every subset of `count` things, as rows of zeros and ones; the empty one is the first."""
    return (np.arange(2**count)[:, None] >> np.arange(count) & 1).astype(float)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust p-values so that the chance of any false alarm among them stays below the level.

    Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6: the i-th smallest of m is multiplied by m - i + 1, and none may be smaller than one before.

    Args:
        p_values: In any order, each in [0, 1].

    Returns:
        The adjusted ones, in the same order; each at most 1.

    Raises:
        ValueError: One of them is no p-value.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values must be between 0 and 1: {list(p_values)}")
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for rank, i in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = least
    return tuple(adjusted)
