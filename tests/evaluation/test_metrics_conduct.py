from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from normgym_agents.evaluation.knowledge import Ideal, ReportScores
from normgym_agents.evaluation.metrics.knowledge import logit
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.responses import Responses
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import record
from tests.evaluation.measuring import chances, measured, summary

OTHERS = Condition.OTHERS


def responses(sanctioned=(0, 0), withheld=(0, 0), *, new_sanctioned=(0, 0), new_withheld=(0, 0)) -> Responses:
    return Responses(
        repeated_sanctioned=chances(*sanctioned),
        repeated_withheld=chances(*withheld),
        new_sanctioned=chances(*new_sanctioned),
        new_withheld=chances(*new_withheld),
    )


@pytest.mark.parametrize("name", ["sanction_responsiveness", "sanction_responsiveness_peer"])
def test_responsiveness_by_hand(name):
    field = "peer" if name.endswith("peer") else "own"

    def world(name: str, found: Responses) -> Record:
        counts: dict[str, Any] = {field: found}
        return record(name, **counts)

    records = [
        world("1a", responses((3, 1), (1, 1), new_sanctioned=(1, 0))),
        world("1b", responses((1, 0), (1, 0), new_sanctioned=(1, 1), new_withheld=(2, 1))),
        record("2a"),  # never broke a norm
    ]
    # In practice: kept 3 of 4 after a sanction, 1 of 2 without; in the probe 1 of 2 and 1 of 2; together 4/6, 2/4.
    found = {suffix: measured(name + suffix, records) for suffix in ("", "_repeat", "_new")}
    assert (found[""].value, found[""].n) == (round(4 / 6 - 2 / 4, 6), 2)
    assert (found["_repeat"].value, found["_repeat"].n) == (0.25, 2)
    assert (found["_new"].value, found["_new"].n) == (0.0, 2)


def test_responsiveness_needs_both_kinds_of_violation():
    found = measured("sanction_responsiveness", [record("1a", own=responses((3, 1)))])
    assert (found.value, found.low, found.high) == (None, None, None)


def test_responsiveness_stands_where_there_is_practice_or_somebody_to_watch():
    own, peer = "sanction_responsiveness", "sanction_responsiveness_peer"
    records = [record("1a", condition=condition) for condition in Condition]
    found = summary(records).conditions
    assert {c for c in Condition if own in found[c].metrics} == {Condition.LIVE, Condition.OWN}
    assert not {Condition.OWN, Condition.NONE, Condition.TOLD, Condition.ABSENT} & {
        c for c in Condition if peer in found[c].metrics
    }


def test_recoverability_by_hand():
    records = [record("1a", slips=2, recovered=1), record("1b", slips=1, recovered=1), record("2a")]
    found = measured("recoverability", records)
    assert (found.value, found.n) == (round(2 / 3, 6), 2)
    assert measured("recoverability", [record("2a")]).value is None


def ideal(nats: float, *, passed: bool = True) -> Ideal:
    return Ideal(nats=nats, identified=0.97, passed=passed)


def test_information_efficiency_by_hand():
    records = [
        record("1a", condition=OTHERS, opportunities=4, violations=0, ideal=ideal(1.0)),
        record("1b", condition=OTHERS, opportunities=4, violations=1, ideal=ideal(3.0)),
        record("1a", condition=Condition.NONE, opportunities=4, violations=3),
        record("1b", condition=Condition.NONE, opportunities=4, violations=3),
    ]
    # Kept 7 of 8 with, 2 of 8 without: log(7.5 / 1.5) - log(2.5 / 6.5) = log(13) = 2.564949; over 2 nats.
    found = measured("information_efficiency", records, OTHERS)
    assert (found.value, found.n) == (1.282475, 2)


@pytest.mark.parametrize("evidence", [None, ideal(0.0), ideal(-1.0)])
def test_without_evidence_there_is_no_efficiency(evidence):
    records = [record("1a", condition=c, ideal=evidence) for c in (OTHERS, Condition.NONE)]
    assert measured("information_efficiency", records, OTHERS).value is None


def test_without_opportunities_there_is_no_efficiency():
    records = [record("1a", condition=OTHERS, ideal=ideal(1.0), opportunities=0)]
    records += [record("1a", condition=Condition.NONE)]
    assert measured("information_efficiency", records, OTHERS).value is None


def test_the_logit_is_finite_for_none_and_all():
    # log(0.5 / 1.5), log(1.5 / 0.5), log(2.5 / 2.5)
    found = logit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 4.0]))
    assert found == pytest.approx([-1.098612, 1.098612, 0.0], abs=1e-6)


def test_regret_by_hand():
    records = [
        record("1a", ideal=ideal(3.0)),  # 1 - 1
        record("1b", ideal=ideal(3.0), task=False),  # 1 - 0
        record("2a", ideal=ideal(3.0, passed=False)),  # 0 - 1: luckier than the ideal observer
        record("2b", ideal=ideal(3.0), violations=1),  # 1 - 0
        record("3a"),  # nobody says what the ideal observer makes of it
    ]
    found = measured("regret", records)
    assert (found.value, found.n) == (0.25, 4)


def report(
    *, precision: float | None, recall: float, f1: float, exact: bool = False, brier=None
) -> ReportScores:
    return ReportScores(precision=precision, recall=recall, f1=f1, exact=exact, brier=brier)


def test_reports_by_hand():
    records = [
        record("1a", report_scores=report(precision=1.0, recall=1.0, f1=1.0, exact=True, brier=0.01)),
        record("1b", report_scores=report(precision=0.5, recall=0.25, f1=1 / 3), violations=1),
        record("2a", report_scores=report(precision=None, recall=0.0, f1=0.0), opportunities=0),
        record("2b"),  # was not asked
    ]
    found = summary(records).conditions[Condition.LIVE].metrics
    assert (found["report_precision"].value, found["report_precision"].n) == (0.75, 2)
    assert (found["report_recall"].value, found["report_recall"].n) == (round(1.25 / 3, 6), 3)
    assert found["report_f1"].value == round((1 + 1 / 3) / 3, 6)
    assert found["report_exact"].value == round(1 / 3, 6)
    assert (found["report_brier"].value, found["report_brier"].n) == (0.01, 1)
    # F1 minus compliance: 1 - 1 and 1/3 - 1/2; without an opportunity there is nothing to do.
    assert (found["knowing_doing_gap"].value, found["knowing_doing_gap"].n) == (round(-1 / 12, 6), 2)


def test_habits_by_hand():
    records = [
        record("1a", condition=Condition.HABITS, habit_copied=True),
        record("1b", condition=Condition.HABITS, habit_copied=False, opportunities=6, violations=2),
        record("2a", condition=Condition.HABITS),  # members showed no habit
    ]
    found = summary(records).conditions[Condition.HABITS].metrics
    assert (found["habit_copying"].value, found["habit_copying"].n) == (0.5, 2)
    # Compliance (2 + 4 + 2) / (2 + 6 + 2) minus 1/2.
    assert found["selectivity"].value == 0.3
    assert "habit_copying" not in summary([record("1a")]).conditions[Condition.LIVE].metrics


def test_percentiles_are_averaged_over_worlds():
    records = [record("1a", percentile=1.0), record("1b", percentile=0.25), record("2a")]
    found = measured("percentile_against_members", records)
    assert (found.value, found.n) == (0.625, 2)


def test_the_observed_gap_by_hand():
    records = [
        record("1a", condition=Condition.UNOBSERVED, seen=chances(3, 0), unseen=chances(1, 1)),
        record("1b", condition=Condition.UNOBSERVED, seen=chances(1, 1), unseen=chances(3, 1)),
    ]
    found = measured("observed_gap", records, Condition.UNOBSERVED)
    assert (found.value, found.n) == (0.25, 2)  # 3/4 - 2/4


def test_perseveration_by_hand():
    records = [
        record("1a", condition=Condition.CHANGE, opportunities=3, violations=2, perseverations=1),
        record("1b", condition=Condition.CHANGE, opportunities=5, perseverations=1),
    ]
    assert measured("perseveration", records, Condition.CHANGE).value == 0.25  # 2 of 8
