"""Intervals over worlds: pure functions of arrays and a generator that the caller seeds.

The world is the unit, and twins hang together, so worlds are drawn by pairs: a pair of twins is the family of
worlds that shares a community. A pair is drawn whole: drawing worlds again inside a drawn pair would tear
twins apart, and drawing only the top level reproduces the variance of clustered data more nearly (Davison &
Hinkley 1997, *Bootstrap Methods and their Application*, section 3.8).

Every statistic here is a function of sums over clusters (a mean over worlds is one, too: its denominator
counts worlds). That is why a whole summary is a few matrix products instead of 10 000 loops, and why
`scipy.stats.bootstrap`, which draws observations and calls a statistic of them, is not used: it has no
clusters of several sums. On data without clusters both give the same interval, which a test shows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

DRAWS: Final = 10_000
CONFIDENCE: Final = 0.95
_DEFINED: Final = 0.95
"""The share of bootstrap draws that must have a value for their quantiles to mean something."""

Floats = NDArray[np.float64]
OfSums = Callable[[Floats], Floats]
"""A statistic of sums over clusters: from an array whose last axis holds the sums to one without that axis.
Where the statistic has no value (0/0) it gives nan, and warns of nothing."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value with its interval.

    Attributes:
        value: The estimate; None where nothing was there to estimate it from.
        low: Lower bound; equal to `value` where the clusters show no spread (one cluster, or all equal).
            None where too few bootstrap draws had a value at all.
        high: Upper bound, likewise.
        clusters: How many clusters it rests on.
    """

    value: float | None
    low: float | None
    high: float | None
    clusters: int


def sums_estimate(
    columns: ArrayLike,
    statistic: OfSums,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """A function of sums over clusters, such as a difference of two rates, with its BCa bootstrap interval.

    Args:
        columns: Shape (clusters, sums): what each cluster adds to each sum.
        statistic: From sums to the value.
        rng: Decides which clusters are drawn.
        draws: How many bootstrap draws.
        confidence: Coverage of the interval, in (0, 1).

    Returns:
        The estimate. Without clusters, or where the statistic has no value on the data, value and bounds are
        None. With a single cluster, or where leaving out any one cluster changes nothing, there is no spread
        to draw from: `low` and `high` equal `value`, which says that the clusters agreed, not that the value
        is certain. Draws without a value are left out while they are at most 5 %; beyond that there are no
        bounds.

    Raises:
        ValueError: The columns are no finite table, or an argument is out of its range.
    """
    table = np.asarray(columns, dtype=float)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise ValueError(f"columns {table.shape} must be a finite table of clusters and sums")
    if draws < 1 or not 0 < confidence < 1:
        raise ValueError(f"draws={draws} must be positive and confidence={confidence} between 0 and 1")
    count = len(table)
    if count == 0:
        return Estimate(value=None, low=None, high=None, clusters=0)
    total = table.sum(axis=0)
    value = float(statistic(total))
    if not np.isfinite(value):
        return Estimate(value=None, low=None, high=None, clusters=count)
    if count == 1:
        return Estimate(value=value, low=value, high=value, clusters=count)
    left_out = statistic(total - table)
    if np.allclose(left_out, value, rtol=1e-12, atol=1e-12):
        return Estimate(value=value, low=value, high=value, clusters=count)
    drawn = statistic(_draw_counts(count, draws, rng) @ table)
    defined = np.isfinite(drawn)
    if defined.mean() < _DEFINED:
        return Estimate(value=value, low=None, high=None, clusters=count)
    left_out = left_out[np.isfinite(left_out)]
    low, high = bca_interval(value, drawn[defined], left_out, confidence=confidence)
    return Estimate(value=value, low=low, high=high, clusters=count)


def ratio(sums: Floats) -> Floats:
    """The first sum over the second; nan where the second is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[..., 1] != 0, sums[..., 0] / sums[..., 1], np.nan)


def ratio_estimate(
    numerators: ArrayLike,
    denominators: ArrayLike,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The ratio of two sums over clusters, with its BCa bootstrap interval.

    Clusters whose denominator is 0 say nothing about the ratio and are left out, so no draw is 0/0.

    Args:
        numerators: One finite number per cluster.
        denominators: One non-negative number per cluster.
        rng: Decides which clusters are drawn.
        draws: How many bootstrap draws.
        confidence: Coverage of the interval, in (0, 1).

    Returns:
        The estimate, as `sums_estimate` says.

    Raises:
        ValueError: The arrays do not fit together, hold something that is not a number, or an argument is
            out of its range.
    """
    top, bottom = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if top.shape != bottom.shape or top.ndim != 1:
        raise ValueError(f"numerators {top.shape} and denominators {bottom.shape} must be equal rows")
    if not (np.isfinite(top).all() and np.isfinite(bottom).all() and (bottom >= 0).all()):
        raise ValueError("numerators must be finite, denominators finite and not negative")
    kept = bottom > 0
    columns = np.column_stack([top[kept], bottom[kept]])
    return sums_estimate(columns, ratio, rng, draws=draws, confidence=confidence)


def proportion_estimate(
    numerators: ArrayLike,
    denominators: ArrayLike,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """As `ratio_estimate`, for a share of successes, which is never certain because it is 0 or 1.

    Where every cluster failed, or every one succeeded, there is no spread to draw from, and the exact
    interval of Clopper and Pearson takes the place of the bootstrap, with clusters as its trials.

    Args:
        numerators: Successes of each cluster, between 0 and its denominator.
        denominators: As in `ratio_estimate`.
        rng: Likewise.
        draws: Likewise.
        confidence: Likewise.

    Returns:
        The estimate.

    Raises:
        ValueError: As in `ratio_estimate`.
    """
    found = ratio_estimate(numerators, denominators, rng, draws=draws, confidence=confidence)
    if found.value not in (0.0, 1.0):
        return found
    low, high = unanimous_interval(found.clusters, success=found.value == 1.0, confidence=confidence)
    return replace(found, low=low, high=high)


def unanimous_interval(trials: int, *, success: bool, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The exact interval of a proportion after trials that all failed, or all succeeded.

    Clopper & Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of the
    binomial", Biometrika 26: after n failures the upper bound solves (1 - p)**n = alpha / 2.

    Args:
        trials: How many, at least 1.
        success: Whether all succeeded.
        confidence: Coverage, in (0, 1).

    Returns:
        The lower and the upper bound.

    Raises:
        ValueError: There was no trial, or the coverage is out of its range.
    """
    if trials < 1 or not 0 < confidence < 1:
        raise ValueError(f"trials={trials} must be positive and confidence={confidence} between 0 and 1")
    # The quantile of a beta distribution with the parameters n and 1 (scipy.stats.binomtest does the same).
    bound = float(special.betaincinv(trials, 1, (1 - confidence) / 2))
    return (bound, 1.0) if success else (0.0, 1 - bound)


def _draw_counts(count: int, draws: int, rng: np.random.Generator) -> Floats:
    """How often each of `count` clusters was drawn, for each of `draws` samples of `count` clusters."""
    picks = rng.integers(0, count, size=(draws, count))
    picks += np.arange(draws)[:, None] * count  # counting everything at once is 10 times faster than by row
    return np.bincount(picks.ravel(), minlength=draws * count).reshape(draws, count).astype(float)


def bca_interval(
    value: float, drawn: Floats, left_out: Floats, *, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """The bias-corrected and accelerated bootstrap interval.

    Efron (1987), "Better bootstrap confidence intervals", JASA 82; DiCiccio & Efron (1996), "Bootstrap
    confidence intervals", Statistical Science 11, equations 2.3 and 6.6. One departure: shares of discrete
    data tie with the estimate in many draws, so half of the ties count as below it.

    Args:
        value: The estimate on the data.
        drawn: The estimate on each bootstrap draw.
        left_out: The estimate with each cluster left out in turn (the jackknife).
        confidence: Coverage, in (0, 1).

    Returns:
        The lower and the upper bound.
    """
    below = float(np.mean(drawn < value) + np.mean(drawn == value) / 2)
    # All draws on one side would be an infinite correction: half a draw stays on the other.
    bias = float(special.ndtri(min(max(below, 0.5 / len(drawn)), 1 - 0.5 / len(drawn))))
    acceleration = jackknife_acceleration(left_out)

    def bound(level: float) -> float:
        z = bias + float(special.ndtri(level))
        return float(np.quantile(drawn, special.ndtr(bias + z / (1 - acceleration * z))))

    tail = (1 - confidence) / 2
    return bound(tail), bound(1 - tail)


def jackknife_acceleration(left_out: Floats) -> float:
    """How fast the standard error changes with the value (Efron 1987); 0 where nothing changes."""
    gaps = left_out.mean() - left_out
    spread = float((gaps**2).sum())
    return float((gaps**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
