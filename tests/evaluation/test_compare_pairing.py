"""What is put side by side, and what is left out and named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from normgym_agents.evaluation.compare.comparing import compare_runs
from normgym_agents.evaluation.compare.runs import Run
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.comparing import LIVE, compared, manifest, pairs
from tests.evaluation.fakes import record


def test_twins_count_once():
    # Pair 1: both worlds better; pair 2: one better and one worse. Two worlds of four, but one pair of two.
    a = [record(w, task=w == "2b") for w in ("1a", "1b", "2a", "2b")]
    b = [record(w, task=w != "2b") for w in ("1a", "1b", "2a", "2b")]
    joint = compared(a, b).comparisons[0].conditions[LIVE].metrics["joint_success"]
    assert (joint.value, joint.n, joint.pairs, joint.more, joint.less) == (0.5, 4, 2, 1, 0)
    assert joint.p == 1.0


def test_a_world_without_opportunities_on_one_side_has_no_rate_to_compare():
    a = [record("1a", opportunities=0), record("2a", opportunities=2, violations=1)]
    b = [record("1a", opportunities=2, violations=2), record("2a", opportunities=2, violations=0)]
    rate = compared(a, b).comparisons[0].conditions[LIVE].metrics["violation_rate"]
    assert (rate.first, rate.second, rate.n) == (0.5, 0.0, 1)


def test_trials_are_averaged_so_that_more_of_them_weigh_no_more():
    # A: world 1 passed in 1 of 3 trials, breaking 3 of 6 in all; world 2 in all, breaking none of 12.
    a = [
        *(
            record("1a", trial=t, task=t == 0, opportunities=2, violations=int(t > 0) + int(t > 1))
            for t in range(3)
        ),
        *(record("2a", trial=t, opportunities=4) for t in range(3)),
    ]
    b = [record("1a", opportunities=2, violations=1), record("2a", opportunities=2)]
    found = compared(a, b, trials=3)
    metrics = found.comparisons[0].conditions[LIVE].metrics
    assert metrics["joint_success"].first == round((1 / 3 + 1) / 2, 6)
    assert (metrics["violation_rate"].first, metrics["violation_rate"].second) == (round(3 / 18, 6), 0.25)
    # With sides exchanged in world 1, A has 1 of 2 and 0 of 4 (an average trial), B 1 of 2 and 0 of 2: the same
    # rates as before, because the average trial of A's world 1 also breaks 1 of 2.
    assert metrics["violation_rate"].p == 1.0
    assert "pass_k" in metrics
    short = Run(
        label="B", folder=Path("B"), manifest=manifest(b), records=tuple(b), lines=(1, 2), uncompared=None
    )
    long = replace(short, label="A", folder=Path("A"), manifest=manifest(a, trials=3), records=tuple(a))
    mixed = compare_runs([long, short], seed=0)
    assert "pass_k" not in mixed.comparisons[0].conditions[LIVE].metrics
    assert "A has 3 trials per world, B 1: means are compared" in mixed.notes


def test_where_nothing_is_scored_nothing_is_concluded():
    lost = [record("1a", outcome=Outcome.MODEL_FAILED)]
    found = compared([*pairs("+"), record("1a")], pairs("+") + lost).comparisons[0].conditions[LIVE]
    assert (found.worlds, found.unscored) == (1, ("1a",))
    nothing = compared([record("1a")], lost).comparisons[0].conditions[LIVE]
    joint = nothing.metrics["joint_success"]
    assert (joint.first, joint.second, joint.value, joint.p, joint.within, joint.n) == (None,) * 5 + (0,)
    assert (nothing.power, nothing.worlds) == (None, 0)
    assert nothing.conclusions == (
        "B has no score: none of its 1 episode came to one (1 model failed: no error was kept): nothing can be concluded.",
    )


def test_unscored_episodes_bound_the_difference():
    # World 1: A passed, B lost. World 2: A lost, B failed. World 3: both failed. If all lost ones went against B:
    # (0-1) + (0-1) + 0 = -2 of 3; for B: (1-1) + (0-0) + 0 = 0.
    a = [record("1a"), record("2a", outcome=Outcome.CANCELLED), record("3a", task=False)]
    b = [record("1a", outcome=Outcome.MODEL_FAILED), record("2a", task=False), record("3a", task=False)]
    comparison = compared(a, b)
    found = comparison.comparisons[0].conditions[LIVE]
    assert found.bounds is not None
    assert (found.bounds.low, found.bounds.high, found.bounds.unscored) == (round(-2 / 3, 6), 0.0, 2)
    assert found.unscored == ("1a", "2a")
    assert found.conclusions[-1] == (
        "With the 2 unscored episodes counted for one side or the other the difference is between −67 and 0 points."
    )
    assert not comparison.complete
    assert comparison.runs[1].unscored == {Outcome.MODEL_FAILED: 1}


def test_worlds_of_one_side_are_named_and_left_out():
    a, b = pairs("+-+-"), pairs("++")
    found = compared(a, b).comparisons[0].conditions[LIVE]
    assert (found.only_first, found.only_second, found.worlds) == (("2a", "3a"), (), 2)
    assert found.metrics["joint_success"].first == 0.5  # over the two that both have


def test_conditions_of_one_side_are_named():
    told = pairs("++", Condition.TOLD)
    one = compared(pairs("++") + told, pairs("+-") + pairs("++", Condition.NONE)).comparisons[0]
    assert (one.only_first, one.only_second) == ((Condition.TOLD,), (Condition.NONE,))
    assert list(one.conditions) == [LIVE]


def test_where_no_norm_binds_there_is_no_success_to_compare():
    found = compared(*[pairs("++", Condition.ABSENT)] * 2).comparisons[0].conditions[Condition.ABSENT]
    assert found.conclusions == ("No norm binds the newcomer here, so there is no joint success to compare.",)
    assert found.power is None and found.bounds is None


def test_equal_records_give_equal_bytes_in_any_order_and_others_change_nothing():
    dice = np.random.default_rng(4)
    a, b = (
        [record(f"{n}a", opportunities=9, violations=int(dice.integers(9))) for n in range(14)]
        for _ in range(2)
    )
    first = compared(a, b)
    assert first.to_json() == compared(a[::-1], b[::-1]).to_json()
    assert first.to_json() != compared(a, b, seed=1).to_json()
    third = compared(a, a, b)
    assert third.comparisons[1].conditions[LIVE].metrics == first.comparisons[0].conditions[LIVE].metrics
    content = json.loads(first.to_json())
    assert content.keys() == {"schema", "suite", "runs", "comparisons", "notes"}
    assert content["notes"] == ["A and B are the same newcomer with the same seed"]
