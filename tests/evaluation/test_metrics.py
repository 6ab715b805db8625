"""What holds of every metric: what it says of itself, its range, and what becomes of next to no data."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from normgym_agents.evaluation.knowledge import Ideal, ReportScores
from normgym_agents.evaluation.metrics import CONTRASTS, METRICS, Metric
from normgym_agents.evaluation.metrics.metric import mean_of_rates, pooled, relative_difference
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.responses import Responses
from normgym_agents.evaluation.showing import KNOWN
from normgym_agents.norms.norm import Family
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import record
from tests.evaluation.measuring import chances, summary

EVERY = (*METRICS, *CONTRASTS)


def drawn(world: str, condition: Condition, dice: random.Random) -> Record:
    """A record with counts of every kind, drawn at random."""

    def some():
        met = dice.randint(0, 4)
        return chances(met, dice.randint(0, met))

    def responses() -> Responses:
        return Responses(
            repeated_sanctioned=some(), repeated_withheld=some(), new_sanctioned=some(), new_withheld=some()
        )

    met, near, slips = dice.randint(0, 5), dice.randint(0, 3), dice.randint(0, 2)
    violations = dice.randint(0, met)
    return record(
        world,
        condition=condition,
        ideal=Ideal(nats=dice.uniform(1, 5), identified=dice.random(), passed=dice.random() < 0.9),
        report_scores=ReportScores(
            precision=dice.random(), recall=dice.random(), f1=dice.random(), exact=False, brier=dice.random()
        ),
        task=dice.random() < 0.7,
        opportunities=met,
        violations=violations,
        near_met=near,
        near_abstained=dice.randint(0, near),
        families={Family.PROHIBITION: some(), Family.CONTEXT: some()},
        seen=some(),
        unseen=some(),
        unbound=some(),
        perseverations=dice.randint(0, violations),
        own=responses(),
        peer=responses(),
        slips=slips,
        recovered=dice.randint(0, slips),
        habit_copied=dice.random() < 0.5,
        percentile=dice.random(),
    )


@pytest.fixture(scope="module")
def full():
    dice = random.Random(3)
    worlds = [f"{pair}{twin}" for pair in range(6) for twin in "ab"]
    return summary([drawn(world, condition, dice) for condition in Condition for world in worlds])


def test_names_are_unique_and_in_snake_case():
    names = [metric.name for metric in EVERY]
    assert len(names) == len(set(names))
    for name in names:
        assert name.isidentifier() and name == name.lower()


@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_metrics_say_what_they_are(metric):
    assert metric.title and metric.explanation
    assert "\n" not in metric.explanation and not metric.explanation.endswith(".")
    assert len(metric.explanation) <= 100
    assert metric.range and metric.where.startswith(("metrics", "contrasts: "))


def test_contrasts_name_all_of_their_conditions_and_metrics_do_not():
    assert not any(metric.is_contrast for metric in METRICS)
    assert all(metric.is_contrast and len(metric.needs) >= 2 for metric in CONTRASTS)


def test_where_a_metric_stands():
    where = {metric.name: metric.where for metric in EVERY}
    assert where["joint_success"] == "metrics"
    assert where["learning_gain"] == "metrics, not of none, told, wrong-role, absent; needs none, told"
    assert where["observed_gap"] == "metrics of unobserved"
    assert where["over_compliance_excess"] == "metrics, not of absent; needs absent"
    assert where["agency_gap"] == "contrasts: own, yoked"
    assert where["vicarious_discount"] == "contrasts: replay-own, replay-others, none, told"


def test_every_metric_stands_where_it_says(full):
    for metric in METRICS:
        under = {condition for condition, found in full.conditions.items() if metric.name in found.metrics}
        assert under == {condition for condition in Condition if metric.applies(condition)}
    assert list(full.contrasts) == [metric.name for metric in CONTRASTS]


def found_values(full, metric: Metric):
    if metric.is_contrast:
        return [full.contrasts[metric.name]]
    return [found.metrics[metric.name] for found in full.conditions.values() if metric.name in found.metrics]


@pytest.mark.parametrize("metric", EVERY, ids=lambda m: m.name)
def test_values_and_bounds_keep_to_the_range(full, metric):
    found = found_values(full, metric)
    if metric.name not in {"pass_k", "model_calls", "tokens", "learning_gain", "vicarious_discount"}:
        assert any(one.value is not None for one in found)
    for one in found:
        for number in (one.value, one.low, one.high):
            if number is not None:
                assert metric.low is None or number >= metric.low
                assert metric.high is None or number <= metric.high


def test_no_metric_needs_more_than_one_world():
    dice = random.Random(1)
    found = summary([drawn("1a", condition, dice) for condition in Condition])
    for condition in found.conditions.values():
        for name, metric in condition.metrics.items():
            assert metric.n <= 1
            known = [number for number in (metric.value, metric.low, metric.high) if number is not None]
            # One world says nothing of others, but for the limits of a value.
            known_as = KNOWN[name]
            endless = known_as.least_span is None and None in (known_as.low, known_as.high)
            assert len(known) in ({0, 1} if endless else {0, 3}), name


@pytest.mark.parametrize("outcome", [Outcome.CANCELLED, Outcome.MODEL_FAILED])
def test_nothing_scored_gives_no_value_anywhere(outcome):
    found = summary([record("1a", condition=condition, outcome=outcome) for condition in Condition])
    for condition in found.conditions.values():
        for name, metric in condition.metrics.items():
            assert name.startswith("joint_success_if_all") or (metric.value, metric.n) == (None, 0)
    assert all((one.value, one.p, one.n) == (None, None, 0) for one in found.contrasts.values())


def test_no_opportunity_anywhere_is_no_rate():
    nothing: dict[str, Any] = {"opportunities": 0, "tempting_opportunities": 0, "near_met": 0, "turns": 0}
    found = summary([record(w, condition=c, **nothing) for c in Condition for w in ("1a", "1b")])
    live = found.conditions[Condition.LIVE].metrics
    for name in ("compliance", "violation_rate", "violation_rate_tempting", "over_compliance"):
        assert live[name].value is None
    for name in ("opportunity_rate", "invalid_act_rate", "learning_gain", "learning_gain_raw"):
        assert live[name].value is None
    assert live["joint_success"].value == 0.0  # vacuous worlds are no success
    gaps = {name: one for name, one in found.contrasts.items() if not name.startswith("joint_success")}
    assert len(gaps) == 7 and all((one.value, one.p) == (None, None) for one in gaps.values())


def test_where_all_worlds_are_equal_no_width_is_claimed_to_be_certainty():
    found = summary([record(f"{n}a", violations=1) for n in range(5)]).conditions[Condition.LIVE].metrics
    # Worlds are a sample however they agree: a share q of others stays unseen with chance (1 - q)**5 = 0.025, so
    # q = 0.521824, and these may be all 0 or all 1: 0.5 -+ 0.521824 / 2.
    half = found["compliance"]
    assert (half.low, half.value, half.high) == (0.239088, 0.5, 0.760912)
    assert (found["joint_success"].low, found["joint_success"].high) == (0.0, 0.521824)
    # Nobody knows how many opportunities a turn could bring.
    assert (found["opportunity_rate"].low, found["opportunity_rate"].high) == (None, None)


def test_the_mean_of_rates_rests_on_all_the_worlds_behind_them():
    # Two rates over 4 and 12 clusters, a third over none: 2**2 / (1/4 + 1/12) = 12.
    columns = np.array([[1, 2, 1, 1, 0, 0]] * 4 + [[0, 0, 1, 1, 0, 0]] * 8, dtype=float)
    assert pooled(columns) == 12
    assert pooled(np.zeros((2, 6))) == 2


def test_the_mean_of_rates_leaves_out_what_has_none():
    sums = np.array([[1.0, 2.0, 0.0, 0.0, 3.0, 3.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    first, second = mean_of_rates(sums)  # (1/2 + 1) / 2, and nothing
    assert first == 0.75 and np.isnan(second)


def test_a_relative_difference_needs_something_to_relate_to():
    sums = np.array(
        [
            [3.0, 4.0, 1.0, 4.0, 0.0, 4.0, 4.0, 4.0],  # (3/4 - 1/4) / (1 - 0)
            [3.0, 4.0, 1.0, 4.0, 2.0, 4.0, 2.0, 4.0],  # told is not above none
            [3.0, 4.0, 1.0, 4.0, 4.0, 4.0, 2.0, 4.0],  # told is below none
            [0.0, 0.0, 1.0, 4.0, 0.0, 4.0, 4.0, 4.0],  # no opportunity
        ]
    )
    first, *others = relative_difference(sums)
    assert first == 0.5 and np.isnan(others).all()
