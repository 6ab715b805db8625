"""Which episodes of two runs stand beside each other, and what they add to a metric's sums.

Worlds are paired by name (that they are the same was checked), within a condition. Trials are averaged per
world before anything else, so that a run with more trials weighs no more. What is tested and drawn are pairs
of twins, as everywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from normgym_agents.evaluation.compare.runs import Run
from normgym_agents.evaluation.metrics import Metric, Share, Shares
from normgym_agents.evaluation.metrics.metric import Unit
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.statistics import Floats
from normgym_agents.worlds.conditions import Condition

Side = Mapping[Condition, Mapping[str, Sequence[Record]]]
"""Records of a run by condition and world, in the order of trials; unscored ones included."""


@dataclass(frozen=True, kw_only=True)
class Worlds:
    """What became of the worlds of two runs under one condition.

    Attributes:
        paired: Scored on both sides.
        pairs: How many pairs of twins they belong to.
        only_first: With a record on the first side alone.
        only_second: Likewise on the second.
        unscored: With records on both sides, but without a scored one on one of them.
    """

    paired: tuple[str, ...]
    pairs: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    unscored: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """What pairs of twins add to a metric's sums, on both sides.

    Attributes:
        first: Shape (pairs, sums).
        second: Likewise, pair by pair.
        units: Worlds (or pairs, for a metric of pairs) behind them.
    """

    first: Floats
    second: Floats
    units: int


def by_condition(run: Run) -> Side:
    """Sort a run's records."""
    found: dict[Condition, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in sorted(run.records, key=lambda r: (r.pair, r.world, r.trial)):
        found[record.condition][record.world].append(record)
    return found


def pair_worlds(first: Side, second: Side, condition: Condition) -> Worlds:
    """See which worlds can be compared under a condition that both runs have."""
    one, two = first[condition], second[condition]
    both = [world for world in one if world in two]
    paired = [world for world in both if _scored(one[world]) and _scored(two[world])]
    return Worlds(
        paired=tuple(paired),
        pairs=len({one[world][0].pair for world in paired}),
        only_first=tuple(world for world in one if world not in two),
        only_second=tuple(world for world in two if world not in one),
        unscored=tuple(world for world in both if world not in paired),
    )


def columns(metric: Metric, condition: Condition | None, first: Side, second: Side) -> Columns:
    """What each pair of twins adds to a metric's sums.

    A unit counts if it is scored under every condition that the metric reads, on both sides, and has something
    to measure on both: a rate over no moments says nothing, and beside it the other side's would have nothing
    to stand against.

    Args:
        metric: The metric.
        condition: The condition that it is a metric of; None for a contrast, which names all of its own.
        first: Records of the first run.
        second: Records of the second.
    """
    read = [term.condition or condition for term in metric.terms]
    conditions = [c for c in dict.fromkeys(read) if c is not None]
    if any(c not in side for c in conditions for side in (first, second)):
        return Columns(first=np.empty((0, 2 * len(read))), second=np.empty((0, 2 * len(read))), units=0)
    worlds = [
        world
        for world in first[conditions[0]]
        if all(_scored(side[c].get(world, ())) for c in conditions for side in (first, second))
    ]
    units: dict[tuple[str, str], list[str]] = defaultdict(list)
    for world in worlds:
        pair = first[conditions[0]][world][0].pair
        units[pair, world if metric.unit == "world" else ""].append(world)
    sums: dict[str, Floats] = {}
    counted = 0
    for (pair, _), members in units.items():
        added = np.array([_sums(metric, condition, side, members) for side in (first, second)])
        if (added[:, 1::2] > 0).any(axis=1).all():
            sums[pair] = sums.get(pair, np.zeros_like(added)) + added
            counted += 1
    table = np.array(list(sums.values())).reshape(-1, 2, 2 * len(read))
    return Columns(first=table[:, 0], second=table[:, 1], units=counted)


def _sums(metric: Metric, condition: Condition | None, side: Side, worlds: Sequence[str]) -> list[float]:
    found: list[float] = []
    for term in metric.terms:
        under = term.condition or condition
        if under is None:
            raise ValueError(f"{metric.name} is no contrast: it is a metric of some condition")
        found += _average(term.share, [r for world in worlds for r in side[under][world]], metric.unit)
    return found


def _average(share: Shares, records: Sequence[Record], unit: Unit) -> Share:
    """The share of a unit, with the weight of an average trial of it.

    Twins of which one was not scored in a trial have no such trial. What is a matter of several trials at once
    has no weight in a single one, and keeps its own.
    """
    trials: dict[int, list[Record]] = defaultdict(list)
    for record in records:
        if record.scores is not None:
            trials[record.trial].append(record)
    top, bottom = share(records)
    weights = [share(members)[1] for members in trials.values()]
    if unit == "pair":
        weights = [weight for weight in weights if weight > 0]
    if bottom <= 0 or not any(weights):
        return top, bottom
    weight = sum(weights) / len(weights)
    return top / bottom * weight, weight


def _scored(records: Iterable[Record]) -> bool:
    return any(record.scores is not None for record in records)
