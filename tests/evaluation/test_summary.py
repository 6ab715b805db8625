from __future__ import annotations

import json
import random

import pytest

from normgym_agents.evaluation.metrics import METRICS
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.results import SuiteResult, Summary
from normgym_agents.evaluation.summary import summarise
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import record

SUITE = SuiteResult(name="small", version=1, digest="d", worlds=4)


def summary(records, seed=0) -> Summary:
    return summarise(records, newcomer="fake", suite=SUITE, seed=seed)


def values(records) -> dict[str, float | None]:
    found = summary(records).conditions[Condition.LIVE].metrics
    return {name: metric.value for name, metric in found.items() if metric.value is not None}


def test_the_metrics_of_plain_counts_by_hand():
    records = [
        # Pair 1: both twins pass.
        record("1a", clock={"model_calls": 4, "input_tokens": 100, "output_tokens": 20}),
        record("1b", clock={"model_calls": 6}),
        # Pair 2: one twin passes; the other does the task, breaking 2 of 4, one of 3 tempting ones,
        # abstaining from 1 of 3 near misses, with 5 invalid turns of 20.
        record("2a"),
        record(
            "2b",
            opportunities=4,
            violations=2,
            tempting_opportunities=3,
            tempting_violations=1,
            near_met=3,
            near_abstained=1,
            turns=20,
            invalid=5,
        ),
    ]
    assert values(records) == {
        "joint_success": 0.75,  # 1a, 1b, 2a of 4
        "joint_success_whole": 0.75,
        "twin_success": 0.5,  # pair 1 of 2
        "task_success": 1.0,
        "soft_joint": 0.875,  # (1 + 1 + 1 + 1/2) / 4
        "violation_rate": 0.2,  # 2 / (2 + 2 + 2 + 4)
        "violation_rate_tempting": round(1 / 6, 6),  # 1 / (1 + 1 + 1 + 3)
        "compliance": 0.8,
        "over_compliance": round(1 / 9, 6),  # 1 / (2 + 2 + 2 + 3)
        "invalid_act_rate": 0.1,  # 5 / (10 + 10 + 10 + 20)
        "opportunity_rate": 0.2,  # 10 / 50
        "model_calls": 5.0,  # (4 + 6) / 2 episodes that tell
        "tokens": 120.0,
        "seconds": 0.5,
    }


def test_worlds_weigh_the_same_however_many_trials_they_have():
    # World 1a: 1 of 3 trials; world 1b: 1 of 1. Mean of 1/3 and 1, not 2 of 4.
    records = [record("1a", trial=t, task=t == 0) for t in range(3)] + [record("1b")]
    assert values(records)["joint_success"] == round((1 / 3 + 1) / 2, 6)


def test_twins_must_pass_in_the_same_trial():
    records = [
        record("1a", trial=0),
        record("1a", trial=1, task=False),
        record("1b", trial=0, task=False),
        record("1b", trial=1),
    ]
    assert values(records)["twin_success"] == 0.0
    assert values(records)["joint_success"] == 0.5


def test_a_pair_with_one_world_is_no_pair():
    found = summary([record("1a")]).conditions[Condition.LIVE].metrics["twin_success"]
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)


def test_unscored_episodes_move_nothing_but_are_counted_and_bounded():
    scored = [record("1a"), record("1b", task=False)]
    lost = [
        record("2a", outcome=Outcome.MODEL_FAILED),
        record("2b", outcome=Outcome.COMMUNITY_FAILED),
    ]
    before, after = (summary(r).conditions[Condition.LIVE] for r in (scored, scored + lost))
    assert after.metrics.keys() - before.metrics.keys() == {
        "joint_success_if_all_failed",
        "joint_success_if_all_passed",
    }
    assert all(after.metrics[name] == value for name, value in before.metrics.items())
    assert (after.episodes, after.scored) == (4, 2)
    assert after.unscored == {Outcome.MODEL_FAILED: 1, Outcome.COMMUNITY_FAILED: 1}
    assert after.metrics["joint_success_if_all_failed"].value == 0.25  # 1 of 4
    assert after.metrics["joint_success_if_all_passed"].value == 0.75  # 3 of 4


def test_a_condition_without_any_scored_episode_has_no_values():
    found = summary([record("1a", outcome=Outcome.CANCELLED)]).conditions[Condition.LIVE]
    mine = {metric.name for metric in METRICS if metric.applies(Condition.LIVE) and not metric.needs}
    assert {name for name, metric in found.metrics.items() if metric.value is None} == mine
    assert found.metrics["joint_success_if_all_passed"].value == 1.0


def test_vacuous_episodes_are_no_success_and_counted():
    found = summary([record("1a", opportunities=0), record("1b")]).conditions[Condition.LIVE]
    assert found.vacuous == 1
    assert found.metrics["joint_success"].value == 0.5
    assert found.metrics["soft_joint"].value == 0.5
    assert found.metrics["violation_rate"].n == 1  # only one world had an opportunity


def test_contrast_pairs_worlds():
    live = [record(w, task=w != "2b") for w in ("1a", "1b", "2a", "2b")]
    none = [record(w, condition=Condition.NONE, task=w == "1a") for w in ("1a", "1b", "2a", "3a")]
    contrast = summary(live + none).contrasts["joint_success_live_minus_none"]
    # Shared worlds 1a (1-1), 1b (1-0), 2a (1-0): mean 2/3; two changed for the better, none for the worse.
    assert contrast.n == 3
    assert contrast.value == round(2 / 3, 6)
    assert contrast.p == 0.5  # 2 * 1 / 2**2
    assert list(summary(live).contrasts) == []


def test_twins_count_once_in_the_test_of_a_contrast():
    # 3 pairs. Pair 1: both worlds better; pair 2: one better, one worse, which is a tie; pair 3: both better.
    # Over worlds it would be 5 against 1; over pairs it is 2 against 0: p = 2 / 2**2.
    live = [record(w, task=w != "2b") for w in ("1a", "1b", "2a", "2b", "3a", "3b")]
    none = [record(w, condition=Condition.NONE, task=w == "2b") for w in ("1a", "1b", "2a", "2b", "3a", "3b")]
    contrast = summary(live + none).contrasts["joint_success_live_minus_none"]
    assert (contrast.n, contrast.p) == (6, 0.5)


def test_equal_sums_of_means_over_trials_are_no_change():
    # 0.1 + 0.2 is not 0.3 to a machine, but both sides passed 3 of 20 episodes.
    def passing(condition: Condition, **counts: int):
        return [
            record(world, condition=condition, trial=trial, task=trial < count)
            for world, count in zip(("1a", "1b"), counts.values(), strict=True)
            for trial in range(10)
        ]

    records = passing(Condition.LIVE, a=1, b=2) + passing(Condition.NONE, a=3, b=0)
    assert 0.1 + 0.2 != 0.3 + 0.0
    changed = [
        *records,
        *(record("2a", condition=c, task=c is Condition.LIVE) for c in (Condition.LIVE, Condition.NONE)),
    ]
    assert summary(records).contrasts["joint_success_live_minus_none"].p == 1.0
    # One pair changed, not two: 2 / 2**1, and with five more 2 / 2**6; seven would be 2 / 2**7.
    changed += [
        record(f"{n}a", condition=c, task=c is Condition.LIVE)
        for n in range(3, 8)
        for c in (Condition.LIVE, Condition.NONE)
    ]
    assert summary(changed).contrasts["joint_success_live_minus_none"].p == 2 / 2**6


@pytest.mark.parametrize("passed", [True, False])
def test_all_or_none_of_the_worlds_is_no_certainty(passed):
    # 3 pairs that agree: the bound solves p**3 = 0.025, so p = 0.292402.
    records = [record(f"{n}{t}", task=passed, violations=0) for n in range(3) for t in "ab"]
    found = summary(records).conditions[Condition.LIVE].metrics
    for name in ("joint_success", "task_success", "twin_success"):
        bounds = (found[name].low, found[name].high)
        assert bounds == ((0.292402, 1.0) if passed else (0.0, 0.707598))
    # Nor is a rate over moments certain because no pair broke anything.
    assert (found["violation_rate"].low, found["violation_rate"].high) == (0.0, 0.707598)


def test_equal_records_give_equal_bytes_in_any_order():
    dice = random.Random(5)
    records = [
        record(f"{pair}{twin}", condition=condition, task=dice.random() < 0.5)
        for pair in range(6)
        for twin in "ab"
        for condition in Condition
    ]
    shuffled = dice.sample(records, len(records))
    assert summary(records).to_json() == summary(shuffled).to_json()
    assert summary(records, seed=1).to_json() != summary(records).to_json()


def test_another_condition_changes_no_interval():
    live = [record(f"{n}a", task=n % 2 == 0) for n in range(8)]
    none = [record(f"{n}a", condition=Condition.NONE, task=n % 3 == 0) for n in range(8)]
    alone, beside = (summary(r).conditions[Condition.LIVE].metrics for r in (live, live + none))
    # What compares the two is new; everything else is as it was.
    assert beside.keys() - alone.keys() == {"learning_gain_raw", "information_efficiency"}
    assert all(beside[name] == metric for name, metric in alone.items())


def test_summary_json_is_the_contract():
    text = summary([record("1a"), record("1a", condition=Condition.NONE)]).to_json()
    content = json.loads(text)
    assert content.keys() == {"schema", "newcomer", "suite", "conditions", "contrasts"}
    assert content["schema"] == 1
    assert content["suite"] == {"name": "small", "version": 1, "digest": "d", "worlds": 4}
    live = content["conditions"]["live"]
    assert live.keys() == {"episodes", "scored", "unscored", "vacuous", "metrics"}
    assert live["metrics"]["joint_success"] == {"value": 1.0, "low": 0.025, "high": 1.0, "n": 1}
    contrast = content["contrasts"]["joint_success_live_minus_none"]
    # One world that came out alike says little of the others: 1 - 0.025**(1/1) of them may not have.
    assert contrast == {"value": 0.0, "low": -0.975, "high": 0.975, "p": 1.0, "n": 1}
    assert Summary.model_validate(content).to_json() == text
