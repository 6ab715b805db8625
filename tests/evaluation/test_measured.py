"""What a test is told of a metric that was not measured: its name, why, and what would measure it."""

from __future__ import annotations

import pytest

from normgym_agents.evaluation.measured import Evaluated, NothingMeasured
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.results import RunResult, SuiteResult
from normgym_agents.evaluation.summary import summarise
from normgym_agents.worlds.conditions import Condition
from tests.evaluation.fakes import record


def evaluated(*records) -> Evaluated:
    suite = SuiteResult(name="small", version=1, digest="d", worlds=4)
    summary = summarise(records, newcomer="fake", suite=suite, seed=0)
    return Evaluated(RunResult(**dict(summary), records=records))


LIVE = evaluated(record("1a"), record("1b"))
BOTH = evaluated(record("1a", condition=Condition.NONE), record("1a", condition=Condition.TOLD))


@pytest.mark.parametrize(
    ("of", "name", "why"),
    [
        (
            LIVE,
            "learning_gain",
            r"^learning_gain under live was not measured: it compares with none, told, not run: "
            r"evaluate with conditions=\['live', 'none', 'told'\]$",
        ),
        (
            LIVE,
            "vicarious_discount",
            r"^vicarious_discount under live was not measured: it compares with replay-own, replay-others, none, ",
        ),
        (
            LIVE,
            "observed_gap",
            r"^observed_gap under live was not measured: it is measured under unobserved only: "
            r"evaluate with conditions=\['live', 'unobserved'\]$",
        ),
        (
            BOTH,
            "vicarious_discount",
            r"^vicarious_discount was not measured: it compares with replay-own, replay-others, not run: ",
        ),
        (
            BOTH["none"],
            "regret",
            r"there is no value: regret under none: no value, n = 0; nothing happened that it could be",
        ),
        (
            BOTH["told"],
            "observed_gap",
            r"^observed_gap under told was not measured: it is measured under unobserved only",
        ),
        (
            LIVE,
            "report_f1",
            r"report_f1 under live: no value, n = 0; the newcomer was not asked.*report=True",
        ),
    ],
)
def test_a_metric_without_a_value_says_why_and_what_measures_it(of, name, why):
    with pytest.raises(NothingMeasured, match=why):
        _ = getattr(of, name).value


def test_a_run_of_which_nothing_was_scored_says_so():
    failed = [record(name, outcome=Outcome.MODEL_FAILED) for name in ("1a", "1b")]
    with pytest.raises(NothingMeasured, match=r"none of 2 episodes was scored: 2 model_failed$"):
        _ = evaluated(*failed).joint_success.value


def test_a_report_that_never_came_says_what_came_instead():
    broken = record("1a").model_copy(update={"report_fault": "RuntimeError: dizzy"})
    with pytest.raises(NothingMeasured, match=r"no report came of asking: RuntimeError: dizzy$"):
        _ = evaluated(broken).report_f1.value


def test_what_is_missing_is_no_attribute_and_what_is_unknown_is_said_to_be():
    assert not hasattr(LIVE, "learning_gain") and hasattr(LIVE, "joint_success")
    with pytest.raises(AttributeError, match="there is joint_success") as unknown:
        _ = LIVE.joint_succes
    assert not isinstance(unknown.value, AssertionError)
