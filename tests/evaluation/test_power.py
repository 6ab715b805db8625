from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from normgym_agents.evaluation.statistics import (
    exact_mcnemar,
    mcnemar_power,
    pairs_by_connor,
    pairs_needed,
    smallest_gap,
)


def test_power_by_hand():
    # 6 pairs that always differ, one side always passes: 6 against 0 has p = 2 / 2**6 = 0.031, so it is found.
    assert mcnemar_power(6, 1.0, 1.0) == 1.0
    # With 5 even that has p = 0.0625.
    assert mcnemar_power(5, 1.0, 1.0) == 0.0
    # Passing 9 times in 10 where they differ: 0.9**6 + 0.1**6.
    assert mcnemar_power(6, 0.8, 1.0) == pytest.approx(0.9**6 + 0.1**6)
    # 6 pairs of which each differs with chance 0.9: all must.
    assert mcnemar_power(6, 0.9, 0.9) == pytest.approx(0.9**6)


@pytest.mark.parametrize(("pairs", "gap", "discordance"), [(30, 0.1, 0.3), (12, -0.3, 0.5), (9, 0.2, 1.0)])
def test_power_is_the_sum_over_all_that_can_happen(pairs, gap, discordance):
    total = 0.0
    for differing in range(pairs + 1):
        for better in range(differing + 1):
            if exact_mcnemar(better, differing - better) <= 0.05:
                share = (discordance + gap) / (2 * discordance)
                total += stats.binom.pmf(differing, pairs, discordance) * stats.binom.pmf(
                    better, differing, share
                )
    assert mcnemar_power(pairs, gap, discordance) == pytest.approx(total)


def test_without_a_gap_power_is_the_size_of_the_test_which_keeps_its_level():
    for pairs in (5, 50, 300):
        assert 0 <= mcnemar_power(pairs, 0.0, 0.3) <= 0.05


def test_simulated_runs_find_the_gap_as_often_as_foretold():
    # 2000 runs of 100 pairs at a gap of 0.2 and a discordance of 0.4; 4 standard errors of the share are 0.036.
    drawn = np.random.default_rng(3).multinomial(100, [0.3, 0.1, 0.6], 2000)
    found = np.mean([exact_mcnemar(int(better), int(worse)) <= 0.05 for better, worse, _ in drawn])
    assert found == pytest.approx(mcnemar_power(100, 0.2, 0.4), abs=0.036)


def test_the_number_of_the_power_table_is_that_of_connor():
    # (1.95996 * sqrt(0.3) + 0.84162 * sqrt(0.3 - 0.01))**2 / 0.01 = (1.073518 + 0.453226)**2 / 0.01 = 233.09.
    assert pairs_by_connor(0.1, 0.3) == pytest.approx(233.09, abs=0.01)
    assert round(pairs_by_connor(0.1, 0.3)) == 233
    # With the 1.96 and 0.84 of printed tables, rounded up: 233, too.
    assert (1.96 * sqrt(0.3) + 0.84 * sqrt(0.29)) ** 2 / 0.01 == pytest.approx(232.83, abs=0.01)
    # Miettinen's (1968) approximation gives another number.
    z, y = 1.959964, 0.841621
    miettinen = (z * 0.3 + y * sqrt(0.3**2 - 0.1**2 * (3 + 0.3) / 4)) ** 2 / (0.3 * 0.1**2)
    assert miettinen == pytest.approx(228.87, abs=0.01)
    # The exact test with so many has less than 80 % power; it takes 249.
    assert mcnemar_power(233, 0.1, 0.3) == pytest.approx(0.7737, abs=1e-4)
    assert mcnemar_power(248, 0.1, 0.3) < 0.8 < mcnemar_power(249, 0.1, 0.3)
    assert pairs_needed(0.1, 0.3) == 249


def test_pairs_needed_is_the_smallest_number():
    assert pairs_needed(1.0, 1.0) == 6
    for gap, discordance in ((0.3, 0.3), (-0.2, 0.5)):
        needed = pairs_needed(gap, discordance)
        assert needed is not None
        assert mcnemar_power(needed - 1, gap, discordance) < 0.8 <= mcnemar_power(needed, gap, discordance)
    assert pairs_needed(1e-5, 0.5) is None


def test_the_smallest_gap_is_where_power_begins():
    gap = smallest_gap(150, 0.2)
    assert gap is not None
    assert mcnemar_power(150, gap, 0.2) >= 0.8 > mcnemar_power(150, gap - 1e-4, 0.2)
    # Without any discordance the sides differ by the gap alone: all of 6 pairs must, 0.8**(1/6) = 0.96349.
    assert smallest_gap(6, 0.0) == 0.9635
    assert smallest_gap(5, 0.5) is None


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (mcnemar_power, (0, 0.1, 0.3)),
        (mcnemar_power, (10, 0.4, 0.3)),
        (mcnemar_power, (10, 0.0, 0.0)),
        (mcnemar_power, (10, 0.1, 1.1)),
        (pairs_needed, (0.0, 0.3)),
        (pairs_by_connor, (0.0, 0.3)),
        (smallest_gap, (10, -0.1)),
        (smallest_gap, (0, 0.1)),
    ],
)
def test_bad_arguments_are_refused(function, arguments):
    with pytest.raises(ValueError):
        function(*arguments)
    with pytest.raises(ValueError):
        mcnemar_power(10, 0.1, 0.3, level=0)
