"""Intervals for where a bootstrap has nothing to draw from: clusters that agree, or too few of them.

What is drawn again can only come out as it did, so a bootstrap of clusters that agree has no width, and one of
two clusters reaches from one to the other, whatever the rest of the worlds may be like. What still can be said
rests on the range of the value alone, and holds whatever its distribution.

Both intervals are of a mean over clusters. A ratio of sums is one if clusters weigh alike; they nearly do, and
where they do not, the interval is taken all the same.
"""

from __future__ import annotations

import math
from typing import Final

CONFIDENCE: Final = 0.95

LEAST_CLUSTERS: Final = 6
"""Fewer than these cannot bear a bootstrap interval of 95 %: from the smallest to the largest of n the interval
holds the median with a chance of 1 - 2**(1 - n), which is 0.938 for 5 and 0.969 for 6 (David & Nagaraja 2003,
*Order Statistics*, section 7.1), and no bootstrap of a mean reaches farther than that."""

Limits = tuple[float, float]
"""The smallest and the largest value that there can be."""


def agreed_interval(value: float, limits: Limits, clusters: int, *, confidence: float = CONFIDENCE) -> Limits:
    """The interval of a mean of clusters that all came out alike.

    A share q of clusters that are otherwise stays unseen with the chance (1 - q)**n. The largest q that leaves
    it at alpha / 2 is the bound of Clopper & Pearson (1934), "The use of confidence or fiducial limits
    illustrated in the case of the binomial", Biometrika 26; and the mean is farthest from the value if all of
    that share stands at a limit. That holds for any distribution within the limits: a mean above the upper
    bound h means that the distance of the value from the upper limit is more than 1 / (1 - q) times its mean,
    which a cluster reaches with a chance of 1 - q at most (Markov), and all n with alpha / 2. For values at a
    limit it is Clopper and Pearson's interval; it is also what Learned-Miller & Thomas (2020), "A new confidence
    interval for the mean of a bounded random variable" (arXiv 1905.06208), comes to on such data.

    Args:
        value: What all clusters came to, within the limits.
        limits: Of the value.
        clusters: How many, at least 1.
        confidence: Coverage, in (0, 1).

    Returns:
        The lower and the upper bound, within the limits.

    Raises:
        ValueError: An argument is out of its range.
    """
    low, high = _checked(value, limits, clusters, confidence)
    seen = ((1 - confidence) / 2) ** (1 / clusters)
    # Written from the limits: a value at one of them has exactly that limit as its bound.
    return low + seen * (value - low), high - seen * (high - value)


def hoeffding_interval(
    value: float, limits: Limits, clusters: int, *, confidence: float = CONFIDENCE
) -> Limits:
    """The interval of a mean of few clusters, whatever they came to.

    Hoeffding (1963), "Probability inequalities for sums of bounded random variables", JASA 58, theorem 2: a mean
    of n is off by t with a chance of exp(-2 n t² / (high - low)²) at most, to either side.

    Args:
        value: The mean, within the limits.
        limits: Of what clusters can come to.
        clusters: How many, at least 1.
        confidence: Coverage, in (0, 1).

    Returns:
        The lower and the upper bound, within the limits.

    Raises:
        ValueError: An argument is out of its range.
    """
    low, high = _checked(value, limits, clusters, confidence)
    reach = (high - low) * math.sqrt(math.log(2 / (1 - confidence)) / (2 * clusters))
    return max(low, value - reach), min(high, value + reach)


def _checked(value: float, limits: Limits, clusters: int, confidence: float) -> Limits:
    """The limits; where they and the value are sums of the same numbers, these differ by rounding."""
    low, high = limits
    rounding = 1e-9 * max(1.0, abs(low), abs(high))
    if not low - rounding <= value <= high + rounding:
        raise ValueError(f"value={value} must be within {low} and {high}")
    if clusters < 1 or not 0 < confidence < 1:
        raise ValueError(f"clusters={clusters} must be positive and confidence={confidence} between 0 and 1")
    return min(low, value), max(high, value)
