"""One metric on two sides: the difference, its interval, its test, and whether it is shown to be none."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from normgym_agents.evaluation.compare.pairing import Columns, Side, columns
from normgym_agents.evaluation.compare.results import Bounds, Difference, Power, Within
from normgym_agents.evaluation.metrics import JOINT_SUCCESS, Metric
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.statistics import (
    DRAWS,
    Limits,
    difference_estimate,
    equivalence_test,
    exact_mcnemar,
    pairs_needed,
    permutation_test,
    smallest_gap,
)
from normgym_agents.worlds.conditions import Condition

_DIGITS = 6


def difference(
    metric: Metric,
    condition: Condition | None,
    first: Side,
    second: Side,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
) -> Difference:
    """Compare two sides by one metric.

    Args:
        metric: The metric.
        condition: The condition that it is a metric of; None for a contrast.
        first: Records of the first run.
        second: Records of the second.
        rng: Draws clusters and exchanges.
        draws: How many of each.
    """
    found = columns(metric, condition, first, second)
    sums = found.first.sum(axis=0), found.second.sum(axis=0)
    if not all(map(metric.has_value, sums)):  # both must be on one scale
        return Difference(
            first=None,
            second=None,
            value=None,
            low=None,
            high=None,
            p=None,
            test="permutation",
            n=found.units,
            pairs=len(found.first),
        )
    joint = metric.name == JOINT_SUCCESS.name
    share = metric.low == 0 and metric.high == 1
    estimate = difference_estimate(
        found.first,
        found.second,
        metric.value,
        rng,
        limits=_limits(*map(metric.limits, sums)),
        bearing=min(metric.bearing(found.first), metric.bearing(found.second)),
        draws=draws,
    )
    more, less = _sides(found)
    if joint:
        p = exact_mcnemar(more, less) if found.units else None
    else:
        p = permutation_test(found.first, found.second, metric.value, rng, draws=draws)
    return Difference(
        first=_value(metric, found.first),
        second=_value(metric, found.second),
        value=rounded(estimate.value),
        low=rounded(estimate.low),
        high=rounded(estimate.high),
        p=rounded(p),
        test="mcnemar" if joint else "permutation",
        n=found.units,
        pairs=len(found.first),
        more=more if joint else None,
        less=less if joint else None,
        within=_within(metric, found) if share else None,
    )


def _limits(first: Limits | None, second: Limits | None) -> Limits | None:
    """How far the second side can be below and above the first."""
    return None if first is None or second is None else (second[0] - first[1], second[1] - first[0])


def _sides(found: Columns) -> tuple[int, int]:
    """In how many pairs the first sum is larger on the second side, and in how many on the first."""
    gaps = found.second[:, 0] - found.first[:, 0]
    # A sum of averages over trials that is equal may differ by rounding.
    return int((gaps > 1e-9).sum()), int((gaps < -1e-9).sum())


def _value(metric: Metric, table: np.ndarray) -> float | None:
    value = float(metric.value(table.sum(axis=0)))
    return rounded(value) if np.isfinite(value) else None


def _within(metric: Metric, found: Columns) -> Within | None:
    tested = equivalence_test(found.first, found.second, metric.value)
    if tested is None:
        return None
    low, high, p = (round(number, _DIGITS) + 0.0 for number in (tested.low, tested.high, tested.p))
    return Within(margin=tested.margin, low=low, high=high, p=p, shown=tested.shown)


def joint_power(joint: Difference) -> Power | None:
    """What the pairs behind a difference of joint success can show; None without pairs."""
    if not joint.pairs or joint.more is None or joint.less is None:
        return None
    discordance, gap = (joint.more + joint.less) / joint.pairs, (joint.more - joint.less) / joint.pairs
    needed = pairs_needed(gap, discordance) if gap else None
    return Power(
        pairs=joint.pairs,
        discordance=round(discordance, _DIGITS),
        gap=round(gap, _DIGITS) + 0.0,
        smallest_gap=smallest_gap(joint.pairs, discordance),
        pairs_needed=needed,
        worlds_needed=None if needed is None else 2 * needed,
    )


def joint_bounds(condition: Condition, first: Side, second: Side) -> Bounds | None:
    """How far unscored episodes could move the difference in joint success over worlds that both runs have."""
    one, two = first[condition], second[condition]
    shared = [world for world in one if world in two]
    unscored = sum(r.scores is None for side in (one, two) for world in shared for r in side[world])
    if not unscored:
        return None

    def mean(records: Iterable[Record], *, counted: bool) -> float:
        passed = [counted if r.scores is None else r.scores.joint for r in records]
        return sum(passed) / len(passed)

    def gap(*, in_favour: bool) -> float:
        gaps = [mean(two[w], counted=in_favour) - mean(one[w], counted=not in_favour) for w in shared]
        return round(sum(gaps) / len(gaps), _DIGITS) + 0.0

    return Bounds(low=gap(in_favour=False), high=gap(in_favour=True), unscored=unscored)


def rounded(value: float | None) -> float | None:
    """As in a summary: 6 digits, and never -0.0, so that equal results are equal bytes."""
    return None if value is None else round(value, _DIGITS) + 0.0
