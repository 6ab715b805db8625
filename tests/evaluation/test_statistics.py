"""Estimates with their intervals, held against hand arithmetic, published examples and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from normgym_agents.evaluation.statistics import (
    agreed_interval,
    bca_interval,
    difference_estimate,
    hoeffding_interval,
    jackknife_acceleration,
    rarest,
    ratio,
    ratio_estimate,
    sums_estimate,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def of_one(values) -> np.ndarray:
    """Clusters of one world each: the value and a 1 to count it."""
    return np.column_stack([values, np.ones(len(values))])


def test_bca_gives_the_published_interval_of_the_spatial_test_data():
    # Efron & Tibshirani 1993, An Introduction to the Bootstrap, section 14.2: 26 children, statistic: plug-in
    # variance. Published: value 171.5, acceleration 0.061, BCa 90 % interval (115.8, 259.6) from 2000 draws.
    a = [48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41]
    data = np.array(a, dtype=float)
    drawn = data[rng().integers(0, 26, (20_000, 26))].var(axis=1)
    left_out = np.array([np.delete(data, i).var() for i in range(26)])

    low, high = bca_interval(float(data.var()), drawn, left_out, confidence=0.9)

    assert data.var() == pytest.approx(171.5, abs=0.05)
    assert jackknife_acceleration(left_out) == pytest.approx(0.061, abs=0.0005)
    assert low == pytest.approx(115.8, abs=2)
    assert high == pytest.approx(259.6, abs=4)


def test_acceleration_by_hand():
    # mean of (1, 2, 6) is 3; gaps 2, 1, -3; squares 4+1+9 = 14; cubes 8+1-27 = -18;
    # -18 / (6 * 14**1.5) = -18 / 314.30... = -0.0572703
    assert jackknife_acceleration(np.array([1.0, 2.0, 6.0])) == pytest.approx(-0.0572703, abs=1e-6)


def test_without_bias_or_acceleration_the_interval_is_the_percentile_one():
    # Draws symmetric about the value and an even jackknife: z0 = 0 and a = 0, so the bounds are the plain
    # 2.5 % and 97.5 % quantiles of 0, 1, ..., 1000, i.e. 25 and 975.
    low, high = bca_interval(500.0, np.arange(1001.0), np.array([1.0, 2.0, 3.0]))
    assert low == pytest.approx(25.0)
    assert high == pytest.approx(975.0)


def test_ratio_is_of_sums_not_a_mean_of_ratios():
    # (1 + 0) / (1 + 3) = 0.25, while the mean of 1/1 and 0/3 would be 0.5.
    assert ratio_estimate([1, 0], [1, 3], rng()).value == 0.25


def test_interval_holds_the_value_and_depends_on_the_seed_alone():
    top, bottom = [1, 0, 1, 1, 0, 0, 1, 0], [1] * 8
    first, again = ratio_estimate(top, bottom, rng(7)), ratio_estimate(top, bottom, rng(7))
    assert first == again
    assert first.low is not None and first.high is not None
    assert 0 <= first.low < 0.5 < first.high <= 1


def test_clusters_without_a_denominator_say_nothing():
    assert ratio_estimate([1, 0, 0], [2, 2, 0], rng(3)) == ratio_estimate([1, 0], [2, 2], rng(3))


def test_nothing_to_estimate_is_none():
    estimate = ratio_estimate([], [], rng())
    assert (estimate.value, estimate.low, estimate.high, estimate.clusters) == (None, None, None, 0)
    assert ratio_estimate([0.0], [0.0], rng()) == estimate


@pytest.mark.parametrize(("top", "bottom"), [([1], [2]), ([1, 2, 3], [2, 4, 6]), ([0, 0], [1, 5])])
def test_clusters_that_agree_are_no_certainty(top, bottom):
    # All at v: a share q of others in [0, 1] stays unseen with chance (1 - q)**n = 0.025, and may be all 0 or all 1.
    estimate = ratio_estimate(top, bottom, rng(), limits=(0, 1))
    value, count = top[0] / bottom[0], len(top)
    unseen = 1 - 0.025 ** (1 / count)
    assert (estimate.value, estimate.clusters) == (value, count)
    assert (estimate.low, estimate.high) == pytest.approx(
        (value - unseen * value, value + unseen * (1 - value))
    )
    # What has no limits may be anything elsewhere.
    endless = ratio_estimate(top, bottom, rng())
    assert (endless.value, endless.low, endless.high) == (value, None, None)


def test_few_clusters_say_little_by_hand():
    # 0.25 and 0.5: a bootstrap would reach from 0.25 to 0.5, which holds a median one time in two. By Hoeffding
    # a mean of 5 is off by t with chance exp(-10 t**2) = 0.025 to a side: t = sqrt(3.688879 / 10) = 0.607361.
    two = ratio_estimate([1, 2], [4, 4], rng(), limits=(0, 1))
    assert (two.low, two.value, two.high) == (0.0, 0.375, 1.0)
    assert hoeffding_interval(0.375, (0, 1), 5) == pytest.approx((0.0, 0.982361), abs=1e-6)
    assert hoeffding_interval(0.0, (-1, 1), 20) == pytest.approx((-0.607361, 0.607361), abs=1e-6)
    assert ratio_estimate([1, 2], [4, 4], rng()).low is None
    # From six on they are drawn from: with the limits or without, the same.
    six = ([0, 1, 0, 1, 1, 0], [1] * 6)
    assert ratio_estimate(*six, rng(2), limits=(0, 1)) == ratio_estimate(*six, rng(2))
    assert ratio_estimate(*six, rng(2)).low is not None


def test_a_difference_rests_on_the_rarer_of_its_rates():
    # Ten clusters have the first rate, three the second; they agree: 1 - 1.
    columns = np.array([[2, 2, 1, 1]] * 3 + [[2, 2, 0, 0]] * 7, dtype=float)
    assert rarest(columns) == 3
    estimate = sums_estimate(columns, lambda s: ratio(s[..., :2]) - ratio(s[..., 2:]), rng(), limits=(-1, 1))
    unseen = 1 - 0.025 ** (1 / 3)
    assert (estimate.low, estimate.value, estimate.high) == pytest.approx((-unseen, 0.0, unseen))
    assert rarest(np.array([[0.0, 0.0]])) == 1


def test_agreed_interval_holds_the_worst_case():
    # The worst that the bound allows for: a share 1 - q at 0.2, the rest at 1. The mean is just the upper bound, so
    # samples that agree on 0.2 miss it with the chance (1 - q)**n = 0.025, and no more often.
    for count in (1, 2, 5, 40):
        low, high = agreed_interval(0.2, (0, 1), count)
        seen = 0.025 ** (1 / count)
        assert high == pytest.approx(seen * 0.2 + (1 - seen) * 1)
        assert low == pytest.approx(seen * 0.2)
    for value, limits, count, confidence in (
        (1.1, (0, 1), 2, 0.95),
        (-0.1, (0, 1), 2, 0.95),
        (0.5, (0, 1), 0, 0.95),
        (0.5, (0, 1), 2, 0.0),
        (0.5, (0, 1), 2, 1.0),
    ):
        for bounds in (agreed_interval, hoeffding_interval):
            with pytest.raises(ValueError):
                bounds(value, limits, count, confidence=confidence)
    # A sum of thirds is no more than its limit but for rounding.
    assert agreed_interval(1 + 1e-12, (0, 1), 2)[1] == 1 + 1e-12


@pytest.mark.parametrize(
    ("top", "bottom", "extra"),
    [
        ([1, 2], [1], {}),
        ([float("nan")], [1], {}),
        ([1], [float("inf")], {}),
        ([1], [-1], {}),
        ([[1]], [[1]], {}),
        ([1], [1], {"draws": 0}),
        ([1], [1], {"confidence": 1.0}),
    ],
)
def test_bad_arguments_are_refused(top, bottom, extra):
    with pytest.raises(ValueError):
        ratio_estimate(top, bottom, rng(), **extra)


def test_interval_covers_the_truth_about_as_often_as_it_says():
    # 200 data sets of 60 fair coins: 95 % of the intervals should hold 1/2. The chance of fewer than 176
    # (88 %) is below 0.0001 at true coverage 0.95.
    coins = rng(11).integers(0, 2, (200, 60))
    hits = 0
    for number, row in enumerate(coins):
        estimate = ratio_estimate(row, np.ones(60), rng(number), draws=1000)
        assert estimate.low is not None and estimate.high is not None
        hits += estimate.low <= 0.5 <= estimate.high
    assert 176 <= hits <= 200


def test_clopper_pearson_after_one_answer_only_by_hand():
    # 10 failures: (1 - p)**10 = 0.025, p = 1 - 0.025**0.1 = 1 - 0.691503 = 0.308497, the published 30.85 %.
    assert agreed_interval(0, (0, 1), 10) == pytest.approx((0.0, 0.308497), abs=1e-6)
    assert agreed_interval(1, (0, 1), 10) == pytest.approx((0.691503, 1.0), abs=1e-6)
    # 90 % coverage, one trial: 1 - p = 0.05.
    assert agreed_interval(0, (0, 1), 1, confidence=0.9) == pytest.approx((0.0, 0.95))


def test_clopper_pearson_is_the_interval_of_the_binomial_test():
    for trials in (1, 7, 150):
        for value in (0, 1):
            exact = stats.binomtest(value * trials, trials).proportion_ci(0.95, method="exact")
            assert agreed_interval(value, (0, 1), trials) == pytest.approx((exact.low, exact.high))


def test_without_clusters_the_interval_is_that_of_scipy():
    # The same draws go through both: a mean is the ratio of a sum and a count.
    data = rng(5).gamma(2.0, size=40)
    ours = ratio_estimate(data, np.ones(40), rng(8))
    counts = rng(8).integers(0, 40, size=(10_000, 40))
    drawn = data[counts].mean(axis=1)
    before = stats.bootstrap((data,), np.mean, n_resamples=2, rng=rng(0))
    before.bootstrap_distribution = drawn
    theirs = stats.bootstrap(
        (data,), np.mean, n_resamples=0, bootstrap_result=before, method="BCa", vectorized=True
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_function_of_sums_by_hand():
    # Two rates, 3/4 and 1/4, and their difference; the third cluster has neither.
    columns = [[1, 1, 0, 2], [2, 3, 1, 2], [0, 0, 0, 0]]
    estimate = sums_estimate(columns, lambda s: ratio(s[..., :2]) - ratio(s[..., 2:]), rng(), bearing=6)
    assert estimate.value == 0.5
    assert estimate.clusters == 3
    # Draws of the third cluster alone have no value: 1 of 27, few enough to leave out.
    assert estimate.low is not None and estimate.high is not None


def test_a_function_without_a_value_has_no_estimate_and_too_few_draws_no_bounds():
    assert sums_estimate([[1, 0], [2, 0]], ratio, rng()).value is None
    # Only two of seven clusters count: (5/7)**7 = 9 % of the draws are 0/0.
    few = [[1, 2], [0, 2]] + [[0, 0]] * 5
    estimate = sums_estimate(few, ratio, rng(), limits=(0, 1), bearing=7)
    assert (estimate.value, estimate.clusters) == (0.25, 7)
    assert estimate.low is None and estimate.high is None
    for table in ([1, 2], [[1, 2, 3]], [[float("nan"), 1]]):
        with pytest.raises(ValueError):
            sums_estimate(table, ratio, rng())


def test_interval_of_a_difference_over_twins_covers_the_truth_about_as_often_as_it_says():
    # 200 pairs of runs over 50 pairs of twins that hang together: a pair is easy or hard. The truth is 0.2.
    dice = rng(13)
    hits = 0
    for number in range(200):
        ease = dice.choice([0.2, 0.6], (50, 1))
        first, second = (
            (dice.random((50, 2)) < ease).sum(axis=1),
            (dice.random((50, 2)) < ease + 0.2).sum(axis=1),
        )
        one, two = (np.column_stack([passed, np.full(50, 2)]) for passed in (first, second))
        estimate = difference_estimate(one, two, ratio, rng(number), limits=(-1, 1), draws=1000)
        assert estimate.low is not None and estimate.high is not None
        hits += estimate.low <= 0.2 <= estimate.high
    assert 176 <= hits <= 200


def test_a_difference_without_spread_is_no_certainty():
    # 3 clusters without a difference: a share q of others stays unseen with chance (1 - q)**3 = 0.025.
    unseen = 1 - 0.025 ** (1 / 3)
    equal = difference_estimate(of_one([1, 0, 1]), of_one([1, 0, 1]), ratio, rng(), limits=(-1, 1))
    assert (equal.low, equal.value, equal.high) == pytest.approx((-unseen, 0.0, unseen))
    # All passed after none did: it can only be less, and by 2 for each of the others.
    better = difference_estimate(of_one([0, 0, 0]), of_one([1, 1, 1]), ratio, rng(), limits=(-1, 1))
    assert (better.low, better.value, better.high) == pytest.approx((1 - 2 * unseen, 1.0, 1.0))
    # What has no limits has no such bounds.
    tokens = difference_estimate(of_one([10, 20]), of_one([15, 25]), ratio, rng())
    assert (tokens.low, tokens.value, tokens.high) == (None, 5.0, None)
