"""Why a metric has no value in a run, and what would give it one, in a sentence for whoever asserted on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from normgym_agents.evaluation.metrics import CONTRASTS, METRICS, REPORT, Metric
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.results import RunResult
from normgym_agents.worlds.conditions import Condition

_KNOWN: Final[Mapping[str, Metric]] = {metric.name: metric for metric in (*METRICS, *CONTRASTS)}
_OF_REPORTS: Final = frozenset(metric.name for metric in REPORT)


def why_not_there(name: str, condition: Condition | None, run: RunResult) -> str | None:
    """Why a metric is not among those of a run.

    Args:
        name: What was asked for.
        condition: Under which condition; None where the run has no headline condition.
        run: The run.

    Returns:
        The sentence; None if there is no metric of this name anywhere.
    """
    metric = _KNOWN.get(name)
    if metric is None:
        return None
    under = [one for one in Condition if metric.applies(one)]
    if not metric.is_contrast and condition is not None and condition not in under:
        there = [one for one in under if one in run.conditions]
        how = f"ask for result[{there[0].value!r}].{name}" if there else _run_under(under[:1], run)
        return f"it is measured under {_listed(under)} only: {how}"
    missing = [one for one in metric.needs if one not in run.conditions]
    return f"it compares with {_listed(missing)}, not run: {_run_under(missing, run)}" if missing else None


def why_nothing(name: str, conditions: Sequence[Condition], run: RunResult) -> str:
    """Why a metric that is there has no value.

    Args:
        name: The metric.
        conditions: The conditions that it is measured under.
        run: The run.
    """
    records = [record for record in run.records if record.condition in conditions]
    unscored = [record.outcome for record in records if not record.outcome.scored]
    if records and len(unscored) == len(records):
        return f"none of {len(records)} episodes was scored: {_counts(unscored)}"
    if name in _OF_REPORTS:
        faults = [record.report_fault for record in records if record.report_fault is not None]
        if not faults and all(record.report is None for record in records):
            return "the newcomer was not asked for the norms: report=True asks it"
        if faults and all(record.report is None for record in records):
            return f"no report came of asking: {faults[0]}"
    metric = _KNOWN.get(name)
    if metric is not None and metric.least_span is not None:
        return "telling the norms adds too little for anything to be related to it, or no world could be compared"
    return "nothing happened that it could be measured by"


def _run_under(missing: Iterable[Condition], run: RunResult) -> str:
    asked = [condition.value for condition in (*run.conditions, *missing)]
    return f"evaluate with conditions={asked}"


def _listed(conditions: Sequence[Condition]) -> str:
    return ", ".join(condition.value for condition in conditions)


def _counts(outcomes: Sequence[Outcome]) -> str:
    return ", ".join(f"{outcomes.count(one)} {one}" for one in Outcome if one in outcomes)
