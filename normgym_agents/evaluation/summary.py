"""From records to `summary.json`: the same records and the same seed give the same bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

import numpy as np

from normgym_agents.evaluation.fidelity import Apart, apart
from normgym_agents.evaluation.metrics import CONTRASTS, JOINT_SUCCESS, METRICS, Metric, Share, Shares, binds
from normgym_agents.evaluation.metrics.metric import here
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
from normgym_agents.evaluation.statistics import (
    Estimate,
    Floats,
    exact_mcnemar,
    permutation_test,
    ratio,
    sums_estimate,
)
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.faithfulness import DEFAULT_LIMITS, FidelityLimits

SUMMARY_FILE: Final = "summary.json"
_DIGITS: Final = 6
_CLOSE: Final = 1e-9

Side = Mapping[str, Sequence[Record]]
"""The records of one condition by world."""


def summarise(
    records: Iterable[Record],
    *,
    newcomer: str,
    suite: SuiteResult,
    seed: int,
    asked: int | None = None,
    notes: tuple[str, ...] = (),
    fidelity: FidelityLimits | None = None,
) -> Summary:
    """Compute every metric of a run from its records.

    Args:
        records: One per episode.
        newcomer: What the newcomer is known by.
        suite: Which worlds were run.
        seed: Seeds the bootstrap; every number has a stream of its own, so none depends on the others.
        asked: How many episodes the run was to have; None for as many as there are records.
        notes: What a reader must know of how it was run.
        fidelity: How unfaithful members may be before an episode is reported apart; None for the defaults.
    """
    records = tuple(records)
    limits = fidelity or DEFAULT_LIMITS
    reasons = {record.key or id(record): reason for record in records if (reason := apart(record, limits))}
    everything = _sides(records)
    sides = {condition: _counted(side, reasons) for condition, side in everything.items()}
    ended = len(records)
    return Summary(
        newcomer=newcomer,
        suite=suite,
        conditions={c: _condition(sides, everything, reasons, c, seed) for c in sides},
        contrasts={
            metric.name: _contrast(sides, metric, seed)
            for metric in CONTRASTS
            if all(condition in sides for condition in metric.needs)
        },
        partial=None
        if asked is None or ended >= asked
        else Partial(ended=ended, asked=asked, owed=asked - ended),
        notes=notes,
    )


def contrast_of(records: Iterable[Record], metric: Metric, *, seed: int) -> Contrast:
    """One comparison of conditions, as `summarise` computes it.

    Args:
        records: One per episode, of the conditions that the metric needs.
        metric: One of `CONTRASTS`.
        seed: As in `summarise`.
    """
    return _contrast(_sides(records), metric, seed)


def _sides(records: Iterable[Record]) -> dict[Condition, Side]:
    grouped: dict[Condition, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in sorted(records, key=lambda r: (r.pair, r.world, r.trial)):
        grouped[record.condition][record.world].append(record)
    return {c: grouped[c] for c in Condition if c in grouped}


def _counted(side: Side, reasons: Mapping[str | int, Apart]) -> Side:
    """The records that metrics count."""
    kept = {
        world: [record for record in records if (record.key or id(record)) not in reasons]
        for world, records in side.items()
    }
    return {world: records for world, records in kept.items() if records}


def _condition(
    sides: Mapping[Condition, Side],
    everything: Mapping[Condition, Side],
    reasons: Mapping[str | int, Apart],
    condition: Condition,
    seed: int,
) -> ConditionResult:
    records = [record for found in sides[condition].values() for record in found]
    whole = [record for found in everything[condition].values() for record in found]
    set_apart = [reasons[key] for record in whole if (key := record.key or id(record)) in reasons]
    unscored = [record.outcome for record in records if not record.outcome.scored]
    metrics = {
        metric.name: _measure(sides, metric, condition, _stream(seed, condition, metric.name))
        for metric in METRICS
        if metric.applies(condition) and all(needed in sides for needed in metric.needs)
    }
    if unscored and binds(condition):
        for name, passed in (("failed", False), ("passed", True)):
            bound = f"{JOINT_SUCCESS.name}_if_all_{name}"
            counted = replace(JOINT_SUCCESS, terms=here(_joint_with_unscored(passed)))
            metrics[bound] = _measure(sides, counted, condition, _stream(seed, condition, bound))
    return ConditionResult(
        episodes=len(whole),
        scored=len(records) - len(unscored),
        unscored={outcome: unscored.count(outcome) for outcome in Outcome if outcome in unscored},
        vacuous=sum(record.scores is not None and record.scores.vacuous for record in records),
        apart={reason: set_apart.count(reason) for reason in Apart if reason in set_apart},
        metrics=metrics,
    )


@dataclass(frozen=True, kw_only=True)
class _Table:
    """What clusters add to the sums of a metric.

    Attributes:
        columns: Shape (clusters, sums). A cluster is a pair of twins, which is drawn whole.
        units: Worlds (or pairs, for a metric of pairs) that add something.
    """

    columns: Floats
    units: int

    @property
    def sums(self) -> Floats:
        """Over all clusters."""
        return np.asarray(self.columns.sum(axis=0))

    def estimate(self, metric: Metric, rng: np.random.Generator) -> Estimate:
        """The metric's value, with its interval."""
        if not len(self.columns):
            return Estimate(value=None, low=None, high=None, clusters=0)
        limits, bearing = metric.limits(self.sums), metric.bearing(self.columns)
        return sums_estimate(self.columns, metric.value, rng, limits=limits, bearing=bearing)


def _table(sides: Mapping[Condition, Side], metric: Metric, condition: Condition | None) -> _Table:
    """Add up the shares of units by pair. Several conditions are compared over the worlds that they share."""
    terms: list[tuple[Shares, Side]] = []
    for term in metric.terms:
        under = term.condition or condition
        if under is None:
            raise ValueError(f"{metric.name} is no contrast: it is a metric of some condition")
        terms.append((term.share, sides[under]))
    # For a single condition the shares alone say what an unscored episode is worth.
    alone = metric.needs in {(), (condition,)}
    units: dict[tuple[str, str], list[str]] = defaultdict(list)
    first = terms[0][1]
    for world, records in first.items():
        if alone or all(_scored(side.get(world, ())) for _, side in terms):
            units[records[0].pair, world if metric.unit == "world" else ""].append(world)
    sums: dict[str, Floats] = {}
    counted = 0
    for (pair, _), worlds in units.items():
        added = np.array([_share(share, side, worlds) for share, side in terms]).reshape(-1)
        if (added[1::2] > 0).any():
            sums[pair] = sums.get(pair, np.zeros(len(added))) + added
            counted += 1
    return _Table(columns=np.array(list(sums.values())).reshape(-1, 2 * len(terms)), units=counted)


def _share(share: Shares, side: Side, worlds: Sequence[str]) -> Share:
    return share([record for world in worlds for record in side[world]])


def _scored(records: Iterable[Record]) -> bool:
    return any(record.scores is not None for record in records)


def _measure(
    sides: Mapping[Condition, Side], metric: Metric, condition: Condition, rng: np.random.Generator
) -> MetricValue:
    found = _table(sides, metric, condition)
    if not metric.has_value(found.sums):
        return MetricValue(value=None, low=None, high=None, n=found.units)
    return MetricValue(**_bounds(found.estimate(metric, rng)), n=found.units)


def _contrast(sides: Mapping[Condition, Side], metric: Metric, seed: int) -> Contrast:
    """A comparison, and a test of whether its first two terms differ."""
    found = _table(sides, metric, None)
    if not metric.has_value(found.sums):
        return Contrast(value=None, low=None, high=None, p=None, n=found.units)
    rng, second_rng = _stream(seed, "contrasts", metric.name), _stream(seed, "contrasts", metric.name, "p")
    first, second = found.columns[:, :2], found.columns[:, 2:4]
    estimate = found.estimate(metric, rng)
    if metric.test == "mcnemar":
        p = _pairs_that_changed(first, second)
    else:
        p = permutation_test(second, first, ratio, second_rng)
    return Contrast(**_bounds(estimate), p=None if estimate.value is None else _rounded(p), n=found.units)


def _pairs_that_changed(first: Floats, second: Floats) -> float | None:
    """McNemar's test over pairs of twins: on which side the sum of a pair's results is larger."""
    gaps = first[:, 0] - second[:, 0]
    # Means over trials add up to equal sums but for rounding.
    return exact_mcnemar(int((gaps > _CLOSE).sum()), int((gaps < -_CLOSE).sum())) if len(gaps) else None


def _joint_with_unscored(passed: bool) -> Shares:
    def share(records: Sequence[Record]) -> Share:
        joint = [passed if record.scores is None else record.scores.joint for record in records]
        return sum(joint) / len(joint), 1.0

    return share


def _bounds(estimate: Estimate) -> dict[str, float | None]:
    return {
        "value": _rounded(estimate.value),
        "low": _rounded(estimate.low),
        "high": _rounded(estimate.high),
    }


def _stream(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each number: adding a metric or a condition changes no other interval."""
    digest = sha256("/".join(names).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])


def _rounded(value: float | None) -> float | None:
    # Adding 0 turns -0.0 into 0.0: equal results must be equal bytes.
    return None if value is None else round(value, _DIGITS) + 0.0
