"""Differences between runs and their tests, worked out by hand."""

from __future__ import annotations

import pytest

from normgym_agents.evaluation.chances import Chances
from normgym_agents.evaluation.responses import Responses
from normgym_agents.evaluation.statistics import mcnemar_power
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.comparing import LIVE, compared, pairs
from tests.evaluation.fakes import record


def test_joint_success_by_hand():
    # 20 pairs: B passes where A does not in 7, the other way round in 1, alike in 12.
    a = pairs("-" * 7 + "+" + "+" * 6 + "-" * 6)
    b = pairs("+" * 7 + "-" + "+" * 6 + "-" * 6)
    found = compared(a, b).comparisons[0].conditions[LIVE]
    joint = found.metrics["joint_success"]
    assert (joint.first, joint.second, joint.value) == (0.35, 0.65, 0.3)  # 7, 13 and 6 of 20
    assert (joint.more, joint.less, joint.pairs, joint.n) == (7, 1, 20, 20)
    assert joint.p == pytest.approx(2 * (1 + 8) / 2**8, abs=1e-6)
    assert joint.test == "mcnemar"
    assert joint.low is not None and joint.high is not None and 0 < joint.low < 0.3 < joint.high < 1
    # Fewer than 10 pairs differ: the tests rest on their number, 8 of 20.
    assert joint.within is not None and not joint.within.shown
    assert found.power is not None
    assert (found.power.pairs, found.power.discordance, found.power.gap) == (20, 0.4, 0.3)
    assert found.conclusions == (
        "B passed more worlds than A in 7 of 20 pairs of twins, fewer in 1, as many in 12: +30 points "
        f"[{round(100 * joint.low):+d} to {round(100 * joint.high):+d}].",
        "Neither a difference nor its absence is shown (exact McNemar p = 0.070, adjusted p = 0.070; "
        "90% interval [−22 to +56] reaches beyond ±5 points).",
        "With 20 pairs that come out differently as often as these did (40%), a gap under 38.3 points would "
        "be missed more than one time in five.",
        "80% power for the gap observed (30 points of pairs) would take 36 pairs, 72 worlds.",
    )
    assert mcnemar_power(20, 0.382, 0.4) < 0.8 < mcnemar_power(20, 0.3831, 0.4)
    assert mcnemar_power(35, 0.3, 0.4) < 0.8 < mcnemar_power(36, 0.3, 0.4)


def test_rates_are_of_sums_and_tested_by_exchanging_pairs():
    # A breaks 1 of 2 and 3 of 6: 4 of 8. B none of 2 and 1 of 2: 1 of 4.
    a = [record("1a", opportunities=2, violations=1), record("2a", opportunities=6, violations=3)]
    b = [record("1a", opportunities=2, violations=0), record("2a", opportunities=2, violations=1)]
    rate = compared(a, b).comparisons[0].conditions[LIVE].metrics["violation_rate"]
    assert (rate.first, rate.second, rate.value) == (0.5, 0.25, -0.25)
    assert (rate.test, rate.n) == ("permutation", 2)
    # Exchanging pair 1: 3/8 against 2/4, a gap of 1/8; pair 2: the same the other way. So 2 of 4.
    assert rate.p == 0.5


def test_where_no_pair_differs_nothing_is_certain_until_there_are_many():
    few = compared(pairs("+-" * 5), pairs("+-" * 5)).comparisons[0].conditions[LIVE]
    joint = few.metrics["joint_success"]
    assert (joint.value, joint.p, joint.more, joint.less) == (0.0, 1.0, 0, 0)
    assert joint.high == -joint.low == pytest.approx(1 - 0.025**0.1, abs=1e-6)
    assert few.conclusions[1].startswith("Neither a difference nor its absence is shown")
    assert few.conclusions[-1] == "No number of worlds would show the gap observed, which is 0."
    many = compared(pairs("+-" * 30), pairs("+-" * 30)).comparisons[0].conditions[LIVE]
    within = many.metrics["joint_success"].within
    assert within is not None and within.shown and within.p == pytest.approx(0.95**60, abs=1e-6)
    assert many.conclusions[1].startswith("The two are as good as equal: they differ by less than 5 points")


def test_one_pair_shows_nothing():
    found = compared(pairs("-"), pairs("+")).comparisons[0].conditions[LIVE]
    joint = found.metrics["joint_success"]
    # All of one: at most 97.5 % of others stayed unseen.
    assert (joint.value, joint.low, joint.high, joint.p) == (1.0, -0.95, 1.0, 1.0)
    assert found.power is not None and found.power.smallest_gap is None
    assert "1 pair could not have shown any gap: for 5% at least 6 pairs must come out differently." in (
        found.conclusions
    )


def compliance(rates: dict[Condition, int], worlds: int):
    """Worlds of 10 opportunities with so many complied with under each condition."""
    return [
        record(f"{n}a", condition=condition, opportunities=10, violations=10 - kept)
        for condition, kept in rates.items()
        for n in range(worlds)
    ]


NONE, TOLD, OWN, OTHERS = Condition.NONE, Condition.TOLD, Condition.REPLAY_OWN, Condition.REPLAY_OTHERS


def test_the_primary_family_is_adjusted_together_over_all_runs():
    # Discounts by hand: A (6 - 4) / (8 - 3) = 0.4; B (8 - 3) / (8 - 3) = 1; C as A.
    a = compliance({LIVE: 5, NONE: 3, TOLD: 8, OWN: 6, OTHERS: 4}, 6)
    b = compliance({LIVE: 5, NONE: 3, TOLD: 8, OWN: 8, OTHERS: 3}, 6)
    found = compared(a, b, a)
    first, second = found.comparisons
    tests = {test.metric: test for test in first.primary}
    assert first.contrasts["vicarious_discount"].first == 0.4
    assert tests["vicarious_discount"].value == 0.6
    # All 6 pairs changed alike: 2 of 2**6 exchanges are as extreme.
    assert tests["vicarious_discount"].p == round(2 / 64, 6)
    # Four tests: two runs, joint success and the discount; the smallest p counts four times.
    assert [len(one.primary) for one in found.comparisons] == [2, 2]
    assert tests["vicarious_discount"].p_adjusted == round(4 * 2 / 64, 6)
    assert not tests["vicarious_discount"].significant
    assert tests["joint_success"].condition is LIVE
    assert [test.p_adjusted for test in second.primary] == [1.0, 1.0]
    assert first.untested == {"sanction_responsiveness": "there was nothing to measure on both sides"}


def test_a_discount_without_a_scale_on_one_side_is_compared_raw():
    # A's compliance is the same when told: nothing to relate to. Raw: A 6 - 4 = 0.2; B 8 - 3 = 0.5.
    a = compliance({LIVE: 5, NONE: 3, TOLD: 3, OWN: 6, OTHERS: 4}, 6)
    b = compliance({LIVE: 5, NONE: 3, TOLD: 8, OWN: 8, OTHERS: 3}, 6)
    one = compared(a, b).comparisons[0]
    assert one.contrasts["vicarious_discount"].value is None
    tests = {test.metric: test.value for test in one.primary}
    assert tests == {"joint_success": 0.0, "vicarious_discount_raw": 0.3}
    alone = compared(*[compliance({LIVE: 5}, 2)] * 2).comparisons[0]
    assert alone.untested["vicarious_discount"] == "takes replay-own and replay-others in both runs"


def test_sanction_responsiveness_is_compared_as_a_difference_of_differences():
    def worlds(sanctioned: int, withheld: int):
        own = Responses(
            new_sanctioned=Chances(opportunities=4, violations=4 - sanctioned),
            new_withheld=Chances(opportunities=4, violations=4 - withheld),
        )
        return [record(f"{n}a", own=own) for n in range(7)]

    # A: 1/4 - 1/4 = 0; B: 4/4 - 1/4 = 0.75, in all of 7 pairs: p = 2/128.
    one = compared(worlds(1, 1), worlds(4, 1)).comparisons[0]
    test = {test.metric: test for test in one.primary}["sanction_responsiveness"]
    assert (test.value, test.p, test.p_adjusted, test.significant) == (0.75, 2 / 128, 4 / 128, True)
    assert one.conditions[LIVE].metrics["sanction_responsiveness"].within is None
