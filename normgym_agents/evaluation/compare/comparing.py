"""`compare`: runs over the same worlds, each against the first.

Three tests are primary, and their p-values are adjusted together; everything else is to look at. The family is
fixed here and not chosen by what came out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.compare.differences import difference, joint_bounds, joint_power
from normgym_agents.evaluation.compare.pairing import Side, by_condition, pair_worlds
from normgym_agents.evaluation.compare.results import (
    ComparedRun,
    ComparedSuite,
    Comparison,
    ConditionComparison,
    Difference,
    PairComparison,
    Primary,
)
from normgym_agents.evaluation.compare.runs import Run, check_comparable, differing_versions, read_run
from normgym_agents.evaluation.compare.unscored import all_broke, faults_of, nothing_scored
from normgym_agents.evaluation.compare.words import conclude
from normgym_agents.evaluation.metrics import CONTRASTS, JOINT_SUCCESS, METRICS, binds
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.results import Partial
from normgym_agents.evaluation.statistics import LEVEL, holm
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.suites import Suite

PRIMARY: Final[Mapping[str, tuple[str, ...]]] = {
    JOINT_SUCCESS.name: (JOINT_SUCCESS.name,),
    "vicarious_discount": ("vicarious_discount", "vicarious_discount_raw"),
    "sanction_responsiveness": ("sanction_responsiveness",),
}
"""The family whose p-values are adjusted together: each by the first of its metrics that both runs have a value
of. A discount relative to what telling changes has none where that is little, on either side."""

_LABELS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class _Tested(NamedTuple):
    """A test of the primary family, before it is adjusted."""

    metric: str
    condition: Condition | None
    value: float
    p: float


@dataclass(frozen=True, kw_only=True)
class _Found:
    """The differences of two runs, before anything is adjusted."""

    first: Run
    second: Run
    sides: tuple[Side, Side]
    conditions: dict[Condition, dict[str, Difference]]
    contrasts: dict[str, Difference]
    tests: tuple[_Tested, ...]
    untested: dict[str, str]


def compare(first: Path | str, *others: Path | str, seed: int = 0, suite: Suite | None = None) -> Comparison:
    """Compare runs over the same worlds, each with the first. Writes nothing.

    Args:
        first: Folder of the run that the others are compared with.
        others: Folders of the others, at least one.
        seed: Seeds the bootstrap and the permutations; every number has a stream of its own.
        suite: The suite of all of them, if it is at hand: a private one cannot be read from anywhere.

    Returns:
        The comparison.

    Raises:
        BadInput: There is nothing to compare, a folder holds no run, a record does not follow from its log, or
            the runs differ in more than their newcomers; names file and field.
    """
    folders = [Path(folder) for folder in (first, *others)]
    if not 2 <= len(folders) <= len(_LABELS):
        one = f"there is only one run, {folders[0]}, and nothing to compare it with"
        raise BadInput(
            one if len(folders) == 1 else f"{len(folders)} runs are too many",
            field="DIR",
            expected=f"2 to {len(_LABELS)} folders of runs",
        )
    runs: list[Run] = []
    for folder, label in zip(folders, _LABELS, strict=False):
        runs.append(read_run(folder, label, suite))
        if len(runs) > 1:
            check_comparable(runs[0], runs[-1])
    return compare_runs(runs, seed=seed)


def compare_runs(runs: Sequence[Run], *, seed: int) -> Comparison:
    """The same of runs that are read and checked.

    Args:
        runs: At least two; the first is the one that the others are compared with.
        seed: As in `compare`.
    """
    sides = [by_condition(run) for run in runs]
    found = [
        _differences(runs[0], run, sides[0], side, seed)
        for run, side in zip(runs[1:], sides[1:], strict=True)
    ]
    adjusted = iter(holm([test.p for one in found for test in one.tests]))
    return Comparison(
        suite=ComparedSuite(name=runs[0].manifest.suite.name, version=runs[0].manifest.suite.version),
        runs=tuple(map(_described, runs)),
        comparisons=tuple(_comparison(one, [next(adjusted) for _ in one.tests]) for one in found),
        notes=tuple(_notes(runs)),
    )


def _differences(first: Run, second: Run, one: Side, two: Side, seed: int) -> _Found:
    shared = [condition for condition in Condition if condition in one and condition in two]
    # With other numbers of trials, passing all of them is another thing.
    incomparable = {"pass_k"} if first.manifest.config.trials != second.manifest.config.trials else set()
    conditions = {
        condition: {
            metric.name: difference(metric, condition, one, two, _stream(seed, condition, metric.name))
            for metric in METRICS
            if metric.applies(condition)
            and set(metric.needs) <= set(shared)
            and metric.name not in incomparable
        }
        for condition in shared
    }
    contrasts = {
        metric.name: difference(metric, None, one, two, _stream(seed, metric.name))
        for metric in CONTRASTS
        if set(metric.needs) <= set(shared)
    }
    tests, untested = _family(conditions, contrasts)
    return _Found(
        first=first,
        second=second,
        sides=(one, two),
        conditions=conditions,
        contrasts=contrasts,
        tests=tests,
        untested=untested,
    )


def _family(
    conditions: Mapping[Condition, Mapping[str, Difference]], contrasts: Mapping[str, Difference]
) -> tuple[tuple[_Tested, ...], dict[str, str]]:
    """The tests of the primary family, and why those that are missing are.

    A metric of conditions is tested under `live`, the headline, and if that is not shared, under the first
    condition that is and where it has a value.
    """
    tests: list[_Tested] = []
    untested: dict[str, str] = {}
    for member, names in PRIMARY.items():
        there = [
            (name, condition, found[name])
            for name in names
            for condition, found in ((None, contrasts), *conditions.items())
            if name in found
        ]
        tested = [
            _Tested(metric=name, condition=condition, value=found.value, p=found.p)
            for name, condition, found in there
            if found.value is not None and found.p is not None
        ]
        if tested:
            tests.append(tested[0])
        elif there:
            untested[member] = "there was nothing to measure on both sides"
        else:
            needs = next((m.needs for m in CONTRASTS if m.name == names[-1]), ())
            untested[member] = f"takes {' and '.join(needs) or 'practice'} in both runs"
    return tuple(tests), untested


def _comparison(found: _Found, adjusted: Sequence[float]) -> PairComparison:
    primary = tuple(
        Primary(
            metric=test.metric,
            condition=test.condition,
            value=test.value,
            p=test.p,
            p_adjusted=round(p, 6),
            significant=p <= LEVEL,
        )
        for test, p in zip(found.tests, adjusted, strict=True)
    )
    one, two = found.sides
    return PairComparison(
        first=found.first.label,
        second=found.second.label,
        conditions={condition: _condition(found, condition, primary) for condition in found.conditions},
        contrasts=found.contrasts,
        primary=primary,
        untested=found.untested,
        only_first=tuple(condition for condition in Condition if condition in one and condition not in two),
        only_second=tuple(condition for condition in Condition if condition in two and condition not in one),
    )


def _condition(found: _Found, condition: Condition, primary: Sequence[Primary]) -> ConditionComparison:
    worlds = pair_worlds(*found.sides, condition)
    metrics = found.conditions[condition]
    joint = metrics[JOINT_SUCCESS.name]
    power = joint_power(joint)
    bounds = joint_bounds(condition, *found.sides) if binds(condition) else None
    adjusted = [
        test.p_adjusted
        for test in primary
        if (test.metric, test.condition) == (JOINT_SUCCESS.name, condition)
    ]
    labels = found.first.label, found.second.label
    records = [[one for some in side[condition].values() for one in some] for side in found.sides]
    said = [word for side in zip(labels, records, strict=True) for word in nothing_scored(*side)]
    if not said and binds(condition):
        said += conclude(*labels, joint, power, bounds, adjusted=adjusted[0] if adjusted else None)
    elif not said:
        said.append("No norm binds the newcomer here, so there is no joint success to compare.")
    said += [word for side in zip(labels, records, strict=True) for word in all_broke(*side)]
    return ConditionComparison(
        worlds=len(worlds.paired),
        pairs=worlds.pairs,
        only_first=worlds.only_first,
        only_second=worlds.only_second,
        unscored=worlds.unscored,
        metrics=metrics,
        bounds=bounds,
        power=power,
        conclusions=tuple(said),
    )


def _described(run: Run) -> ComparedRun:
    manifest = run.manifest
    unscored = [record.outcome for record in run.records if not record.outcome.scored]
    ended, asked = len(run.records), manifest.asked
    return ComparedRun(
        label=run.label,
        folder=str(run.folder),
        newcomer=manifest.newcomer.name,
        fingerprint=manifest.newcomer.fingerprint,
        model=manifest.config.model,
        seed=manifest.config.seed,
        trials=manifest.config.trials,
        worlds=manifest.suite.worlds,
        episodes=ended,
        unscored={outcome: unscored.count(outcome) for outcome in Outcome if outcome in unscored},
        faults=faults_of(run.records),
        partial=None if ended >= asked else Partial(ended=ended, asked=asked, owed=asked - ended),
    )


def _notes(runs: Sequence[Run]) -> Iterator[str]:
    first = runs[0]
    for run in runs:
        if run.uncompared is not None:
            yield f"{run.label}: the records were not compared with the worlds: {run.uncompared}"
        for note in run.manifest.notes:
            yield f"{run.label}: {note}"
    for run in runs[1:]:
        if versions := differing_versions(first, run):
            yield versions
        one, two = (r.manifest.newcomer for r in (first, run))
        if one == two and first.manifest.config.seed == run.manifest.config.seed:
            yield f"{first.label} and {run.label} are the same newcomer with the same seed"
        deadlines = [r.manifest.config.limits.deadline for r in (first, run)]
        if deadlines[0] != deadlines[1]:
            yield f"a turn of {first.label} may take {deadlines[0]:g} s, one of {run.label} {deadlines[1]:g} s"
        if first.manifest.config.trials != run.manifest.config.trials:
            yield (
                f"{first.label} has {first.manifest.config.trials} trials per world, {run.label} "
                f"{run.manifest.config.trials}: means are compared"
            )


def _stream(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each number, so that no run, condition or metric changes another's."""
    digest = sha256("/".join(("compare", *names)).encode()).digest()
    return np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
