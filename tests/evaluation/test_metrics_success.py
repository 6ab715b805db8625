from __future__ import annotations

import pytest

from normgym_agents.evaluation.metrics.success import pass_hat_k
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.norms.norm import Family
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import record
from tests.evaluation.measuring import chances, measured, summary


def test_success_of_the_whole_episode_counts_practice():
    records = [record("1a"), record("1b", joint_whole=False), record("2a", violations=1)]
    assert measured("joint_success", records).value == round(2 / 3, 6)
    assert measured("joint_success_whole", records).value == round(1 / 3, 6)


@pytest.mark.parametrize(
    ("passed", "trials", "k", "chance"),
    [
        (3, 4, 1, 0.75),  # pass@1
        (3, 4, 2, 0.5),  # C(3, 2) / C(4, 2) = 3 / 6
        (3, 4, 4, 0.0),
        (4, 4, 4, 1.0),
        (0, 1, 1, 0.0),
        (1, 5, 2, 0.0),  # C(1, 2) = 0
    ],
)
def test_pass_hat_k_by_hand(passed, trials, k, chance):
    assert pass_hat_k(passed, trials, k) == chance


@pytest.mark.parametrize(("passed", "trials", "k"), [(1, 1, 0), (1, 1, 2), (2, 1, 1), (-1, 1, 1), (0, 0, 1)])
def test_pass_hat_k_refuses_numbers_that_do_not_fit(passed, trials, k):
    with pytest.raises(ValueError, match="do not fit"):
        pass_hat_k(passed, trials, k)


def test_pass_k_asks_for_every_trial_of_a_world():
    records = [
        *(record("1a", trial=t) for t in range(3)),  # 3 of 3
        *(record("1b", trial=t, task=t > 0) for t in range(3)),  # 2 of 3
        *(record("2a", trial=t, outcome=Outcome.COMPLETED if t else Outcome.MODEL_FAILED) for t in range(3)),
    ]
    found = measured("pass_k", records)
    assert (found.value, found.n) == (0.5, 2)  # 2a lacks a trial
    assert measured("joint_success", records).value == round((1 + 2 / 3 + 1) / 3, 6)  # pass@1


def test_pass_k_needs_several_trials():
    assert measured("pass_k", [record("1a"), record("1b")]).value is None


@pytest.mark.parametrize("condition", [Condition.WRONG_ROLE, Condition.ABSENT])
def test_where_no_norm_binds_there_is_nothing_to_pass(condition):
    records = [
        record("1a", condition=condition, opportunities=0),
        record("1b", condition=condition, opportunities=0, task=False),
        record("2a", condition=condition, outcome=Outcome.CANCELLED),
    ]
    found = summary(records).conditions[condition].metrics
    for name in (
        "joint_success",
        "joint_success_whole",
        "twin_success",
        "soft_joint",
        "compliance",
        "pass_k",
    ):
        assert (found[name].value, found[name].n) == (None, 0)
    assert found["task_success"].value == 0.5
    assert "joint_success_if_all_passed" not in found


def test_the_macro_rate_weighs_families_alike():
    records = [
        record("1a", families={Family.PROHIBITION: chances(6, 1), Family.CONTEXT: chances(1, 1)}),
        record("1b", families={Family.PROHIBITION: chances(2, 1)}),
    ]
    # F1: 2 of 8; F2: 1 of 1; the others have no opportunity and no say: (1/4 + 1) / 2.
    assert measured("violation_rate_macro", records).value == 0.625
    assert measured("violation_rate_macro", [record("1a")]).value is None


def test_over_compliance_beyond_that_without_norms_is_paired_by_world():
    absent = Condition.ABSENT
    records = [
        record("1a", near_met=4, near_abstained=3),
        record("1b", near_met=4, near_abstained=1),
        record("2a", near_met=4, near_abstained=4),  # no counterpart
        record("1a", condition=absent, opportunities=0, near_met=2, near_abstained=1),
        record("1b", condition=absent, opportunities=0, near_met=2, near_abstained=0),
        record("2b", condition=absent, opportunities=0, near_met=2, near_abstained=2),
    ]
    found = measured("over_compliance_excess", records)
    assert (found.value, found.n) == (0.25, 2)  # (3 + 1) / 8 - (1 + 0) / 4
    assert measured("over_compliance", records).value == round(8 / 12, 6)
    assert "over_compliance_excess" not in summary(records).conditions[absent].metrics
