"""Tests of differences, of their absence and of several at once, held against hand arithmetic and scipy."""

from __future__ import annotations

from statistics import fmean, stdev

import numpy as np
import pytest
from scipy import stats

from normgym_agents.evaluation.statistics import (
    equivalence_test,
    exact_mcnemar,
    holm,
    permutation_test,
    ratio,
)
from tests.evaluation.test_statistics import of_one, rng


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


def test_mcnemar_is_the_binomial_test():
    for better, worse in ((0, 1), (7, 2), (40, 61), (0, 1200)):
        assert exact_mcnemar(better, worse) == pytest.approx(stats.binomtest(better, better + worse).pvalue)


def test_permutation_by_hand():
    # Differences 1, 1, 1: of the 8 ways to flip signs two give a mean as far from 0.
    assert permutation_test(of_one([0, 0, 0]), of_one([1, 1, 1]), ratio, rng()) == 2 / 8
    # Differences 3, 1, 0: |sum| is 4 for ++ and --, 2 for +- and -+; the cluster without one does not count.
    assert permutation_test(of_one([0, 0, 5]), of_one([3, 1, 5]), ratio, rng()) == 2 / 4
    # Rates of 0/1 + 0/3 = 0 against 1/1 + 0/3 = 1/4. Exchanging the first cluster gives 1/4 against 0.
    first, second = [[0, 1], [0, 3]], [[1, 1], [0, 3]]
    assert permutation_test(first, second, ratio, rng()) == 1.0


def test_permutation_draws_where_there_is_too_much_to_enumerate():
    # 30 differences of 1: 2 of 2**30 exchanges are as extreme, so no draw will be, and p = 1 / (m + 1).
    zeros, ones = of_one(np.zeros(30)), of_one(np.ones(30))
    assert permutation_test(zeros, ones, ratio, rng(), draws=999) == 1 / 1000
    # Draws agree with the enumeration of 2**10 exchanges.
    first, second = of_one(rng(1).random(10)), of_one(rng(2).random(10) + 0.2)
    exact = permutation_test(first, second, ratio, rng(), draws=2**10)
    drawn = permutation_test(first, second, ratio, rng(), draws=2**10 - 1)
    assert exact is not None and drawn is not None and exact != drawn
    assert drawn == pytest.approx(exact, abs=4 * (exact / 2**10) ** 0.5)


def test_permutation_of_a_mean_is_that_of_scipy():
    first, second = rng(3).random(8), rng(4).random(8)
    theirs = stats.permutation_test(
        np.array([first, second]),
        lambda a, b, axis: np.mean(b, axis=axis) - np.mean(a, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=1_000_000,  # more than there are: it enumerates
    )
    assert permutation_test(of_one(first), of_one(second), ratio, rng()) == pytest.approx(theirs.pvalue)


def test_permutation_in_degenerate_cases():
    assert permutation_test(np.empty((0, 2)), np.empty((0, 2)), ratio, rng()) is None
    assert permutation_test([[1, 2]], [[0, 0]], ratio, rng()) is None  # a side without a value
    assert permutation_test([[1, 2]], [[1, 2]], ratio, rng()) == 1.0
    assert permutation_test([[1, 2]], [[2, 2]], ratio, rng()) == 1.0  # one cluster shows nothing
    # Exchanging the first cluster alone leaves a side without a value: extreme, so 4 of 4, not 2.
    assert permutation_test([[1, 1], [0, 0]], [[0, 0], [0, 1]], ratio, rng()) == 1.0
    for first, second in (([[1, 2], [1, 2]], [[2, 2]]), ([[1, 2]], [[np.nan, 2]])):
        with pytest.raises(ValueError):
            permutation_test(first, second, ratio, rng())
    with pytest.raises(ValueError):
        permutation_test([[1, 2]], [[2, 2]], ratio, rng(), draws=0)


def test_permutation_is_wrong_as_often_as_it_says():
    # 400 pairs of runs that differ by chance alone, 20 clusters with unequal denominators: 5 % of the p-values
    # should be at most 0.05. The chance of more than 35 (8.75 %) is 0.0006, of fewer than 7 0.0002.
    dice = rng(12)
    wrong = 0
    for _ in range(400):
        bottom = dice.integers(1, 5, (2, 20))
        top = dice.binomial(bottom, dice.beta(1, 1, 20))
        first, second = (np.column_stack([top[i], bottom[i]]) for i in (0, 1))
        p = permutation_test(first, second, ratio, dice, draws=199)
        assert p is not None
        wrong += p <= 0.05
    assert 7 <= wrong <= 35


def test_holm_by_hand():
    # In order 0.01, 0.03, 0.04: times 3, 2 and 1 is 0.03, 0.06, 0.04, and the last may not be below 0.06.
    assert holm([0.04, 0.01, 0.03]) == pytest.approx((0.06, 0.03, 0.06))
    assert holm([0.6, 0.7]) == (1.0, 1.0)
    assert holm([0.02]) == (0.02,)
    assert holm([]) == ()
    for wrong in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError):
            holm([0.5, wrong])


def test_equivalence_by_hand():
    # 20 clusters of 50 worlds that differ by 0.04 and -0.02 in turn: mean 0.01, standard deviation
    # 0.03 * sqrt(20 / 19), standard error 0.03 / sqrt(19) = 0.0068825; (0.05 - 0.01) / 0.0068825 = 5.812,
    # and t with 19 degrees of freedom is above that with chance 6.7e-6. The interval is 0.01 +- 1.7291 * 0.0068825.
    gaps = [0.04, -0.02] * 10
    assert fmean(gaps) == pytest.approx(0.01) and stdev(gaps) / 20**0.5 == pytest.approx(0.0068825, abs=1e-7)
    first, second = np.full(20, 0.5), 0.5 + np.array(gaps)
    found = equivalence_test(of_one(first), of_one(second), ratio)
    assert found is not None and found.shown
    assert found.p == pytest.approx(6.7e-6, abs=1e-7)
    assert (found.low, found.high) == pytest.approx((0.01 - 0.011901, 0.01 + 0.011901), abs=1e-6)
    # The same as two one-sided t tests.
    worse = stats.ttest_1samp(gaps, -0.05, alternative="greater").pvalue
    better = stats.ttest_1samp(gaps, 0.05, alternative="less").pvalue
    assert found.p == pytest.approx(max(worse, better))
    wide = equivalence_test(of_one(first), of_one(second), ratio, margin=0.01)
    assert wide is not None and not wide.shown and wide.p == pytest.approx(0.5)


def test_few_differing_clusters_prove_little():
    # None of 58 differs: 0.95**58 = 0.0510; none of 59: 0.0485. With one of 93: 0.95**93 + 93 * 0.05 * 0.95**92.
    def p(count: int, differing: int):
        second = np.zeros(count)
        second[:differing] = 1
        return equivalence_test(of_one(np.zeros(count)), of_one(second), ratio)

    none, one = p(59, 0), p(93, 1)
    assert none is not None and none.p == pytest.approx(0.95**59) and none.shown
    assert (none.low, none.high) == pytest.approx((0.05 ** (1 / 59) - 1, 1 - 0.05 ** (1 / 59)))
    assert one is not None and one.p == pytest.approx(0.95**93 + 93 * 0.05 * 0.95**92) and one.shown
    short, single, all_of_few = p(58, 0), p(1, 0), p(5, 5)
    assert short is not None and not short.shown
    assert single is not None and single.p == 0.95
    assert all_of_few is not None and (all_of_few.p, all_of_few.high) == (1.0, 1.0)


def test_few_clusters_that_differ_count_on_the_side_that_is_larger():
    # 7 of 20 larger and 1 smaller: bounds solve P(at most 7) = 0.05 and P(at most 1) = 0.05.
    found = equivalence_test(of_one([0] * 7 + [1] + [0] * 12), of_one([1] * 7 + [0] * 13), ratio)
    assert found is not None
    assert stats.binom.cdf([7, 1], 20, [found.high, -found.low]) == pytest.approx([0.05, 0.05])
    assert found.p == pytest.approx(stats.binom.cdf(7, 20, 0.05))
    # The same rates with other weights: no side is larger in a pair, but one may be over all. 1 counts for both.
    weights = equivalence_test([[0, 2], [5, 10], [5, 10]], [[0, 9], [5, 10], [5, 10]], ratio)
    assert weights is not None and weights.high == -weights.low
    assert weights.p == pytest.approx(0.95**3 + 3 * 0.05 * 0.95**2)


def test_equivalence_in_degenerate_cases():
    assert equivalence_test(np.empty((0, 2)), np.empty((0, 2)), ratio) is None
    # Ten clusters that all differ alike, by 1: certainly not within 5 points; by 0.02: too few to say.
    ten = np.full(10, 0.5)
    for step, p in ((0.5, 1.0), (0.02, (1 - 0.03 / 0.98) ** 10)):
        found = equivalence_test(of_one(ten), of_one(ten + step), ratio)
        assert found is not None and found.p == pytest.approx(p)
    # A side that has no value once a cluster is left out.
    lonely = [[1, 1]] + [[0, 0]] * 10
    assert equivalence_test(lonely, [[1, 2]] * 11, ratio) is None
    with pytest.raises(ValueError):
        equivalence_test([[1, 1]], [[1, 1]], ratio, margin=0)
