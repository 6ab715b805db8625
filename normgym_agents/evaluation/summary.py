"""From records to `summary.json`: the same records and the same seed give the same bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

import numpy as np

from normgym_agents.evaluation.metrics import JOINT_SUCCESS, METRICS, Metric, Share
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.results import (
    ConditionResult,
    Contrast,
    MetricValue,
    Partial,
    SuiteResult,
    Summary,
)
from normgym_agents.evaluation.statistics import Estimate, exact_mcnemar, proportion_estimate, ratio_estimate
from normgym_agents.worlds.conditions import Condition

SUMMARY_FILE: Final = "summary.json"
_DIGITS: Final = 6


def summarise(
    records: Iterable[Record],
    *,
    newcomer: str,
    suite: SuiteResult,
    seed: int,
    asked: int | None = None,
    notes: tuple[str, ...] = (),
) -> Summary:
    """Compute every metric of a run from its records.

    Args:
        records: One per episode.
        newcomer: What the newcomer is known by.
        suite: Which worlds were run.
        seed: Seeds the bootstrap; every number has a stream of its own, so none depends on the others.
        asked: How many episodes the run was to have; None for as many as there are records.
        notes: What a reader must know of how it was run.
    """
    by_condition: dict[Condition, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda r: (r.pair, r.world, r.trial)):
        by_condition[record.condition].append(record)
    ended = sum(map(len, by_condition.values()))
    present = [condition for condition in Condition if condition in by_condition]
    contrasts = {
        f"joint_success_{condition}_minus_none": _contrast(
            by_condition[condition], by_condition[Condition.NONE], _stream(seed, condition, "minus_none")
        )
        for condition in present
        if condition is not Condition.NONE and Condition.NONE in by_condition
    }
    return Summary(
        newcomer=newcomer,
        suite=suite,
        conditions={c: _condition(by_condition[c], seed, c) for c in present},
        contrasts=contrasts,
        partial=None
        if asked is None or ended >= asked
        else Partial(ended=ended, asked=asked, owed=asked - ended),
        notes=notes,
    )


def _condition(records: Sequence[Record], seed: int, condition: Condition) -> ConditionResult:
    unscored = [record.outcome for record in records if not record.outcome.scored]
    metrics = {
        metric.name: _measure(records, metric, _stream(seed, condition, metric.name)) for metric in METRICS
    }
    if unscored:
        for name, passed in (("failed", False), ("passed", True)):
            bound = f"{JOINT_SUCCESS.name}_if_all_{name}"
            counted = replace(JOINT_SUCCESS, share=_joint_with_unscored(passed))
            metrics[bound] = _measure(records, counted, _stream(seed, condition, bound))
    return ConditionResult(
        episodes=len(records),
        scored=len(records) - len(unscored),
        unscored={outcome: unscored.count(outcome) for outcome in Outcome if outcome in unscored},
        vacuous=sum(record.scores is not None and record.scores.vacuous for record in records),
        metrics=metrics,
    )


def _measure(records: Sequence[Record], metric: Metric, rng: np.random.Generator) -> MetricValue:
    """Add up the shares of units by pair, the cluster that is drawn whole."""
    units: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        units[record.pair, record.world if metric.unit == "world" else ""].append(record)
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    counted = 0
    for (pair, _), members in units.items():
        top, bottom = metric.share(members)
        sums[pair][0] += top
        sums[pair][1] += bottom
        counted += bottom > 0
    estimate = _estimate(proportion_estimate if metric.proportion else ratio_estimate, sums, rng)
    return MetricValue(
        value=_rounded(estimate.value), low=_rounded(estimate.low), high=_rounded(estimate.high), n=counted
    )


def _joint_with_unscored(passed: bool) -> Callable[[Sequence[Record]], Share]:
    def share(records: Sequence[Record]) -> Share:
        joint = [passed if record.scores is None else record.scores.joint for record in records]
        return sum(joint) / len(joint), 1.0

    return share


def _contrast(records: Sequence[Record], base: Sequence[Record], rng: np.random.Generator) -> Contrast:
    here, there = _joint_by_world(records), _joint_by_world(base)
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    shared = 0
    for world, (pair, value) in here.items():
        if world in there:
            gap = value - there[world][1]
            sums[pair][0] += gap
            sums[pair][1] += 1
            shared += 1
    estimate = _estimate(ratio_estimate, sums, rng)
    gaps = [top for top, bottom in sums.values() if bottom]
    better, worse = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    return Contrast(
        value=_rounded(estimate.value),
        low=_rounded(estimate.low),
        high=_rounded(estimate.high),
        p=_rounded(exact_mcnemar(better, worse)) if shared else None,
        n=shared,
    )


def _joint_by_world(records: Sequence[Record]) -> dict[str, tuple[str, float]]:
    """Each world's pair and its mean joint success over scored trials."""
    passed: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for record in records:
        if record.scores is not None:
            passed[record.world, record.pair].append(record.scores.joint)
    return {world: (pair, sum(values) / len(values)) for (world, pair), values in passed.items()}


def _estimate(
    estimator: Callable[..., Estimate], sums: Mapping[str, Sequence[float]], rng: np.random.Generator
) -> Estimate:
    return estimator([top for top, _ in sums.values()], [bottom for _, bottom in sums.values()], rng)


def _stream(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each number: adding a metric or a condition changes no other interval."""
    digest = sha256("/".join(names).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def _rounded(value: float | None) -> float | None:
    # Adding 0 turns -0.0 into 0.0: equal results must be equal bytes.
    return None if value is None else round(value, _DIGITS) + 0.0
