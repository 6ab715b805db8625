from __future__ import annotations

import numpy as np
import pytest

from normgym_agents.evaluation.statistics import (
    bca_interval,
    exact_mcnemar,
    jackknife_acceleration,
    proportion_estimate,
    ratio_estimate,
    unanimous_interval,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


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
def test_without_spread_the_interval_is_a_point(top, bottom):
    estimate = ratio_estimate(top, bottom, rng())
    assert estimate.low == estimate.value == estimate.high
    assert estimate.clusters == len(top)


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
    assert list(unanimous_interval(10, success=False)) == pytest.approx([0.0, 0.308497], abs=1e-6)
    assert list(unanimous_interval(10, success=True)) == pytest.approx([0.691503, 1.0], abs=1e-6)
    # 90 % coverage, one trial: 1 - p = 0.05.
    assert list(unanimous_interval(1, success=False, confidence=0.9)) == pytest.approx([0.0, 0.95])
    for trials, confidence in ((0, 0.95), (1, 0.0), (1, 1.0)):
        with pytest.raises(ValueError):
            unanimous_interval(trials, success=True, confidence=confidence)


def test_a_share_has_the_exact_interval_only_where_all_agree():
    assert proportion_estimate([0, 0, 0], [2, 2, 1], rng()).high == pytest.approx(1 - 0.025 ** (1 / 3))
    assert proportion_estimate([2, 2, 0], [2, 2, 0], rng()).low == pytest.approx(0.025 ** (1 / 2))
    mixed = ([1, 0, 1, 0], [1, 1, 1, 1])
    assert proportion_estimate(*mixed, rng(3)) == ratio_estimate(*mixed, rng(3))
    assert proportion_estimate([], [], rng()).value is None


def test_mcnemar_by_hand():
    # 10 changed pairs, 9 one way and 1 the other: 2 * (C(10,0) + C(10,1)) / 2**10 = 22 / 1024.
    assert exact_mcnemar(9, 1) == exact_mcnemar(1, 9) == pytest.approx(22 / 1024)
    # 3 against 3: 2 * (1 + 6 + 15 + 20) / 64 = 84 / 64, capped at 1.
    assert exact_mcnemar(3, 3) == 1.0
    # 5 against 0: 2 / 2**5.
    assert exact_mcnemar(5, 0) == pytest.approx(2 / 32)
    assert exact_mcnemar(0, 0) == 1.0
    with pytest.raises(ValueError):
        exact_mcnemar(-1, 2)
