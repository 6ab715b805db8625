from __future__ import annotations

import pytest

from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import record
from tests.evaluation.measuring import chances, contrasted, measured, summary

NONE, TOLD, OTHERS = Condition.NONE, Condition.TOLD, Condition.OTHERS
OWN_REPLAYED, OTHERS_REPLAYED = Condition.REPLAY_OWN, Condition.REPLAY_OTHERS


def kept(condition: Condition, *counts: tuple[int, int]):
    """Worlds 1a, 1b, 2a, … in which so many of so many opportunities were complied with."""
    names = [f"{pair}{twin}" for pair in range(1, 9) for twin in "ab"]
    return [
        record(name, condition=condition, opportunities=met, violations=met - complied)
        for name, (complied, met) in zip(names, counts, strict=False)
    ]


def test_the_learning_gain_by_hand():
    records = kept(NONE, (1, 4), (1, 4)) + kept(TOLD, (5, 5), (4, 5)) + kept(OTHERS, (1, 5), (8, 10))
    # Each world weighs the same, however many opportunities it has: none 1/4, told (1 + 4/5) / 2 = 0.9,
    # others (1/5 + 8/10) / 2 = 0.5 (and not 9/15): (0.5 - 0.25) / (0.9 - 0.25).
    found = measured("learning_gain", records, OTHERS)
    assert (found.value, found.n) == (round(0.25 / 0.65, 6), 2)
    raw = measured("learning_gain_raw", records, OTHERS)
    assert (raw.value, raw.n) == (0.25, 2)
    assert measured("learning_gain_raw", records, TOLD).value == 0.65
    metrics = summary(records).conditions
    assert "learning_gain" not in metrics[NONE].metrics.keys() | metrics[TOLD].metrics.keys()


def test_a_gain_counts_worlds_that_were_scored_under_all_three_conditions():
    records = kept(NONE, (1, 4), (0, 4)) + kept(TOLD, (4, 4)) + kept(OTHERS, (3, 4), (0, 4), (0, 4))
    records += [record("1b", condition=TOLD, outcome=Outcome.MODEL_FAILED)]
    # Only 1a: (3/4 - 1/4) / (1 - 1/4). The raw gain needs no `told`: 1a and 1b, 3/8 - 1/8.
    gain, raw = (measured(name, records, OTHERS) for name in ("learning_gain", "learning_gain_raw"))
    assert (gain.value, gain.n) == (round(2 / 3, 6), 1)
    assert (raw.value, raw.n) == (0.25, 2)


@pytest.mark.parametrize(("told", "has_value"), [((10, 20), True), ((9, 20), False), ((0, 20), False)])
def test_a_gain_relative_to_next_to_nothing_has_no_value_and_the_raw_one_stands_in(told, has_value):
    records = kept(NONE, (8, 20)) + kept(TOLD, told) + kept(OTHERS, (9, 20))
    found, raw = (measured(name, records, OTHERS) for name in ("learning_gain", "learning_gain_raw"))
    # Told exceeds none by 2/20, 1/20, -8/20; at least 0.1 is needed. (9 - 8) / (10 - 8) where there is.
    assert found.value == (0.5 if has_value else None)
    # Within +-1 / 0.1 = +-10 all but 0.975 of others stay unseen: 0.5 - 0.975 * 10.5, 0.5 + 0.975 * 9.5.
    assert (found.low, found.high, found.n) == ((-9.7375, 9.7625, 1) if has_value else (None, None, 1))
    assert raw.value == 0.05


def test_a_gain_is_drawn_jointly_over_conditions():
    # Each world keeps half of what telling adds, however much that is: no draw can give another gain. The bounds are
    # those of four worlds that agree: telling adds 22/40, so a gain is within +-40/22, and a share of
    # 1 - 0.025**(1/4) = 0.602364 stays unseen: 0.5 - 0.602364 * 2.318182, 0.5 + 0.602364 * 1.318182.
    records = []
    for name, (base, span) in zip(("1a", "2a", "3a", "4a"), ((0, 8), (2, 6), (4, 4), (0, 4)), strict=True):
        for condition, complied in ((NONE, base), (TOLD, base + span), (OTHERS, base + span // 2)):
            records.append(record(name, condition=condition, opportunities=10, violations=10 - complied))
    found = measured("learning_gain", records, OTHERS)
    assert (found.value, found.low, found.high, found.n) == (0.5, -0.896391, 1.294026, 4)
    raw = measured("learning_gain_raw", records, OTHERS)
    assert raw.low is not None and raw.high is not None and raw.low < raw.high


def test_the_vicarious_discount_by_hand():
    records = kept(NONE, (0, 4), (0, 4)) + kept(TOLD, (4, 4), (4, 4))
    records += kept(OWN_REPLAYED, (4, 4), (3, 4)) + kept(OTHERS_REPLAYED, (1, 4), (2, 4))
    # Gains 7/8 and 3/8. One pair of twins: exchanged or not, the gap is as large, so p = 2 of 2.
    found = contrasted("vicarious_discount", records)
    assert (found.value, found.n, found.p) == (0.5, 2, 1.0)
    assert contrasted("vicarious_discount_raw", records).value == 0.5


def test_the_vicarious_discount_is_relative_to_what_telling_adds():
    records = (
        kept(NONE, (2, 4)) + kept(TOLD, (4, 4)) + kept(OWN_REPLAYED, (4, 4)) + kept(OTHERS_REPLAYED, (3, 4))
    )
    # (1 - 3/4) / (1 - 1/2)
    assert contrasted("vicarious_discount", records).value == 0.5
    assert contrasted("vicarious_discount_raw", records).value == 0.25
    untold = [r for r in records if r.condition in {OWN_REPLAYED, OTHERS_REPLAYED}]
    assert set(summary(untold).contrasts) == {"vicarious_discount_raw"}


def test_without_a_span_the_vicarious_discount_has_no_value_and_no_test():
    records = (
        kept(NONE, (4, 4)) + kept(TOLD, (4, 4)) + kept(OWN_REPLAYED, (4, 4)) + kept(OTHERS_REPLAYED, (3, 4))
    )
    found = contrasted("vicarious_discount", records)
    assert (found.value, found.low, found.high, found.p, found.n) == (None, None, None, None, 1)
    assert contrasted("vicarious_discount_raw", records).value == 0.25


def test_rates_are_tested_by_exchanging_pairs():
    # Pair by pair own minus others: four pairs, each (4 - 2) of 4. All 2**4 exchanges are equally likely without
    # a difference, and 2 of them (none, all) are as far apart: p = 2/16.
    names = ("1a", "2a", "3a", "4a")
    records = [record(n, condition=OWN_REPLAYED, opportunities=4, violations=0) for n in names]
    records += [record(n, condition=OTHERS_REPLAYED, opportunities=4, violations=2) for n in names]
    found = contrasted("vicarious_discount_raw", records)
    assert (found.value, found.p, found.n) == (0.5, 0.125, 4)


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("agency_gap", Condition.OWN, Condition.YOKED),
        ("imitation_gap", Condition.OTHERS, Condition.GHOST),
        ("switch_cost", Condition.OTHERS, Condition.CHANGE),
        ("vicarious_discount_raw", OWN_REPLAYED, OTHERS_REPLAYED),
    ],
)
def test_gaps_of_compliance(name, first, second):
    records = kept(first, (3, 4), (4, 4), (0, 4)) + kept(second, (1, 4), (2, 4))
    found = contrasted(name, records)
    assert (found.value, found.n) == (0.5, 2)  # 7/8 - 3/8; the third world has no counterpart
    assert list(summary(kept(first, (3, 4))).contrasts) == []


def test_over_transfer_is_what_the_wrong_role_adds_to_no_norms_at_all():
    wrong, absent = Condition.WRONG_ROLE, Condition.ABSENT
    records = [
        record("1a", condition=wrong, opportunities=0, unbound=chances(4, 1)),
        record("1b", condition=wrong, opportunities=0, unbound=chances(4, 1)),
        record("1a", condition=absent, opportunities=0, unbound=chances(6, 4)),
        record("1b", condition=absent, opportunities=0, unbound=chances(2, 2)),
    ]
    found = contrasted("over_transfer", records)
    assert (found.value, found.n) == (0.5, 2)  # 6/8 - 2/8


def test_superstition_is_abstaining_after_sanctions_without_meaning():
    records = [
        record("1a", condition=Condition.SHUFFLED, near_met=4, near_abstained=3),
        record("1a", condition=NONE, near_met=4, near_abstained=1),
    ]
    assert contrasted("superstition", records).value == 0.5
    # Where nothing near was open, there is nothing to abstain from.
    nothing = [r.model_copy(update={"scores": None}) for r in records]
    assert contrasted("superstition", nothing).value is None


def test_where_no_opportunity_was_met_a_gap_has_no_value():
    records = kept(Condition.OWN, (0, 0)) + kept(Condition.YOKED, (2, 4))
    found = contrasted("agency_gap", records)
    assert (found.value, found.low, found.high, found.p) == (None, None, None, None)
