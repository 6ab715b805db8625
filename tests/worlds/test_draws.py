from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from normgym_agents.worlds.draws import Draws, uniform


def test_draws_are_pinned() -> None:
    """Every bundled world hangs on these: another algorithm draws other worlds, so it must be noticed."""
    assert uniform("answered", "quick-1/1/0/0", "watch", 1, 1, 0) == 0.6490340993335638
    assert uniform() == 0.8931675160897388
    draws = Draws("core-1", 7, 0, 0)
    assert [draws.uniform() for _ in range(3)] == [
        0.5739985463482468,
        0.39704105239547305,
        0.46791893080667946,
    ]
    assert draws.integer(1, 6) == 1
    assert draws.pick("abcdef") == "c"
    assert draws.shuffled(range(8)) == [4, 5, 1, 2, 6, 0, 7, 3]


@given(st.lists(st.text() | st.integers(), max_size=4))
def test_a_draw_is_a_function_of_its_key_in_the_unit_interval(key) -> None:
    number = uniform(*key)
    assert 0.0 <= number < 1.0
    assert uniform(*key) == number


def test_a_key_is_no_string_of_its_parts() -> None:
    assert uniform("a", "b") != uniform("ab")
    assert uniform("a", 12) != uniform("a1", 2)
    assert uniform(1, 12) != uniform(11, 2)


def test_draws_look_uniform() -> None:
    numbers = [uniform("uniform", i) for i in range(4000)]
    # Mean and variance of U(0,1) are 1/2 and 1/12; four standard errors of the mean are .018.
    assert sum(numbers) / len(numbers) == pytest.approx(0.5, abs=0.018)
    assert sum((x - 0.5) ** 2 for x in numbers) / len(numbers) == pytest.approx(1 / 12, abs=0.005)
    bins = Counter(int(x * 10) for x in numbers)
    # Chi-squared with 9 degrees of freedom: 27.9 at p = .001.
    assert sum((bins[i] - 400) ** 2 / 400 for i in range(10)) < 27.9


def test_keys_that_are_close_are_independent() -> None:
    one, other = ([uniform(name, i) for i in range(2000)] for name in ("coin/0", "coin/1"))
    covariance = sum((x - 0.5) * (y - 0.5) for x, y in zip(one, other, strict=True)) / 2000
    assert abs(covariance * 12) < 4 / math.sqrt(2000)
    following = sum((x - 0.5) * (y - 0.5) for x, y in pairwise(one)) / 2000
    assert abs(following * 12) < 4 / math.sqrt(2000)


def test_a_stream_does_not_hang_on_another() -> None:
    alone = [Draws("a").uniform(), Draws("a").uniform()]
    one, other = Draws("a"), Draws("b")
    other.uniform()
    assert [one.uniform(), Draws("a").uniform()] == alone
    assert one.uniform() != alone[0]


@given(st.integers(), st.integers(-5, 5), st.integers(0, 9))
def test_integers_stay_within_both_bounds(seed: int, low: int, width: int) -> None:
    draws = Draws(seed)
    assert all(low <= draws.integer(low, low + width) <= low + width for _ in range(20))


def test_integers_and_picks_reach_everything() -> None:
    draws = Draws("dice")
    throws = Counter(draws.integer(1, 6) for _ in range(1200))
    assert set(throws) == {1, 2, 3, 4, 5, 6}
    assert sum((throws[i] - 200) ** 2 / 200 for i in range(1, 7)) < 20.5  # 5 degrees of freedom, p = .001
    assert {draws.pick("abc") for _ in range(60)} == set("abc")


@given(st.integers(), st.lists(st.integers(), max_size=8))
def test_a_shuffle_keeps_every_item_and_its_source(seed: int, items: list[int]) -> None:
    before = list(items)
    assert sorted(Draws(seed).shuffled(items)) == sorted(before)
    assert items == before


def test_every_order_is_drawn_alike() -> None:
    draws = Draws("orders")
    orders = Counter(tuple(draws.shuffled("abc")) for _ in range(1200))
    assert len(orders) == 6
    assert sum((n - 200) ** 2 / 200 for n in orders.values()) < 20.5
