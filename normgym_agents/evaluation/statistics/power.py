"""How many worlds a difference takes to be seen, and which differences a number of worlds cannot show.

For paired successes two numbers decide: the gap (how much more often one side passes) and the discordance
(how often the sides differ at all). Power means that of the exact test that is run, with the number of
differing pairs left open, as it is before the run. Approximations flatter: 80 % power for a gap of 10 points
at a discordance of 30 % takes

- 233 pairs by Connor (1987), the normal approximation (233.09, rounded; 232.8 with the 1.96 and 0.84 of
  tables), which is the number that is usually quoted;
- 229 by Miettinen (1968), whose approximation averages over the number of differing pairs;
- 249 for the exact test itself, which keeps its level by falling short of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from normgym_agents.evaluation.statistics.intervals import Floats

LEVEL: Final = 0.05
POWER: Final = 0.8
MOST_PAIRS: Final = 1_000_000
"""Beyond this a number of pairs says no more than that it cannot be had."""

Counts = NDArray[np.int64]

_GAP_STEPS: Final = 10_000


def mcnemar_power(pairs: int, gap: float, discordance: float, *, level: float = LEVEL) -> float:
    """The chance that the two-sided exact McNemar test finds a gap.

    Unconditional: averaged over how many pairs come out differently (Duffy 1984, "Asymptotic and exact power
    for the McNemar test and its analogue with R controls per case", Biometrics 40).

    Args:
        pairs: Independent pairs, at least 1.
        gap: How much more often one side passes, in [-1, 1].
        discordance: How often exactly one side passes, at least as large as the gap, in (0, 1].
        level: Of the test, in (0, 1).

    Returns:
        The power. At a gap of 0 it is the size of the test.

    Raises:
        ValueError: An argument is out of its range.
    """
    _check(abs(gap), discordance, level)
    if pairs < 1:
        raise ValueError(f"pairs={pairs} must be positive")
    mean, spread = pairs * discordance, math.sqrt(pairs * discordance * (1 - discordance))
    # Beyond 10 standard deviations nothing is left to add up.
    fewest, most = max(0, math.floor(mean - 10 * spread)), min(pairs, math.ceil(mean + 10 * spread))
    differing = np.arange(fewest, most + 1)
    chance = np.diff(special.bdtr(np.arange(fewest - 1, most + 1), pairs, discordance), prepend=0.0)[1:]
    if fewest == 0:
        chance[0] = (1 - discordance) ** pairs  # bdtr has no value below 0
    largest = np.floor(np.nan_to_num(special.bdtrik(level / 2, differing, 0.5), nan=-1.0))
    # The inverse is exact only up to rounding: the largest count that the test rejects is next to it.
    for _ in range(2):
        largest += np.where(_p(largest + 1, differing) <= level, 1, 0)
        largest -= np.where((largest >= 0) & (_p(largest, differing) > level), 1, 0)
    share = (discordance + gap) / (2 * discordance)
    found = _tail(largest, differing, share) + _tail(largest, differing, 1 - share)
    return float(min(1.0, (chance * found).sum()))


def pairs_needed(gap: float, discordance: float, *, power: float = POWER, level: float = LEVEL) -> int | None:
    """How many pairs the exact McNemar test needs to find a gap.

    Args:
        gap: As in `mcnemar_power`, but not 0.
        discordance: As there.
        power: The chance of finding it, in (0, 1).
        level: Of the test, in (0, 1).

    Returns:
        The smallest number, as far as power grows with pairs (where nearly all of them differ it ripples a
        little, because counts are whole); None if it is beyond `MOST_PAIRS`.

    Raises:
        ValueError: An argument is out of its range.
    """
    _check(abs(gap), discordance, level, power)
    if gap == 0:
        raise ValueError("no number of pairs shows a gap of 0")
    return _smallest(lambda pairs: mcnemar_power(pairs, gap, discordance, level=level) >= power, MOST_PAIRS)


def pairs_by_connor(gap: float, discordance: float, *, power: float = POWER, level: float = LEVEL) -> float:
    """The same by the usual approximation, as a fraction of a pair.

    Connor (1987), "Sample size for testing differences in proportions for the paired-sample design",
    Biometrics 43: n = (z_(1-level/2) sqrt(d) + z_power sqrt(d - g²))² / g² for gap g and discordance d.

    Args:
        gap: As in `pairs_needed`.
        discordance: As there.
        power: As there.
        level: As there.

    Raises:
        ValueError: An argument is out of its range.
    """
    _check(abs(gap), discordance, level, power)
    if gap == 0:
        raise ValueError("no number of pairs shows a gap of 0")
    of_test = float(special.ndtri(1 - level / 2)) * math.sqrt(discordance)
    of_power = float(special.ndtri(power)) * math.sqrt(discordance - gap**2)
    return ((of_test + of_power) / gap) ** 2


def smallest_gap(
    pairs: int, discordance: float, *, power: float = POWER, level: float = LEVEL
) -> float | None:
    """The smallest gap that so many pairs would show, with the given power, at a discordance.

    Args:
        pairs: Independent pairs, at least 1.
        discordance: How often the sides differ, in [0, 1]; where a gap needs more, they differ by the gap.
        power: The chance of finding it, in (0, 1).
        level: Of the test, in (0, 1).

    Returns:
        The gap, rounded up to a hundredth of a point; None if not even the largest would be seen.

    Raises:
        ValueError: An argument is out of its range.
    """
    if not 0 <= discordance <= 1:
        raise ValueError(f"discordance={discordance} must be between 0 and 1")

    def seen(steps: int) -> bool:
        gap = steps / _GAP_STEPS
        return mcnemar_power(pairs, gap, max(discordance, gap), level=level) >= power

    steps = _smallest(seen, _GAP_STEPS)
    return None if steps is None else steps / _GAP_STEPS


def _smallest(holds: Callable[[int], bool], most: int) -> int | None:
    """The smallest number from 1 on for which it holds, if it holds from there on; found by halving."""
    high = 1
    while not holds(high):
        if high == most:
            return None
        high = min(2 * high, most)
    low = high // 2
    while low + 1 < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def _p(fewer: Floats, differing: Counts) -> Floats:
    return 2 * _tail(fewer, differing, 0.5)


def _tail(count: Floats, of: Counts, chance: float) -> Floats:
    """The binomial chance of at most `count`; 0 below 0."""
    return np.where(count < 0, 0.0, special.bdtr(np.clip(count, 0, of), of, chance))


def _check(gap: float, discordance: float, level: float, power: float = POWER) -> None:
    if not (0 <= gap <= discordance <= 1 and discordance > 0):
        raise ValueError(f"gap={gap} and discordance={discordance} must be 0 <= gap <= discordance <= 1")
    if not (0 < level < 1 and 0 < power < 1):
        raise ValueError(f"level={level} and power={power} must be between 0 and 1")
