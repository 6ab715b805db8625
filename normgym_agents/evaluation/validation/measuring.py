"""Measuring simulated learners with everything that measures anybody: episodes, records, metrics, intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Final

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.api import evaluate
from normgym_agents.evaluation.metrics import CONTRASTS
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.results import Contrast, MetricValue, SuiteResult, Summary
from normgym_agents.evaluation.summary import contrast_of, summarise
from normgym_agents.evaluation.validation.learners import BASE, CHANNELS, TURNED, Turned, spec_of
from normgym_agents.evaluation.validation.truth import Truth
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.minds import Dials
from normgym_agents.worlds.suites import Suite, make_suite
from normgym_agents.worlds.world import World

DISCOUNT: Final = next(metric for metric in CONTRASTS if metric.name == "vicarious_discount")

REPLAYED: Final = (Condition.REPLAY_OWN, Condition.REPLAY_OTHERS)
ANCHORED: Final = (Condition.NONE, Condition.TOLD, *REPLAYED)
"""What the vicarious discount is computed from."""

EVERY: Final = (
    *ANCHORED,
    Condition.OTHERS,
    Condition.SHUFFLED,
    Condition.HABITS,
    Condition.ABSENT,
    Condition.UNOBSERVED,
)
"""What the other dials need besides."""


AT_A_TIME: Final = 16
"""Worlds that are played one after the other by every learner: planners of so many are kept in mind."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Recovered(_Data):
    """Whether the vicarious discount of one learner was recovered.

    Attributes:
        dials: The learner's dials.
        true: Its true vicarious discount in these worlds.
        value: The one that was measured.
        low: Lower bound of the 95 % interval.
        high: Upper bound.
        covered: Whether the interval holds the true value.
        gains: The measured learning gain from each transcript, and the true one after it.
    """

    dials: dict[str, float]
    true: float
    value: float
    low: float
    high: float
    covered: bool
    gains: dict[str, tuple[float, float]]


class Moved(_Data):
    """What turning one more dial did.

    Attributes:
        dial: The dial, and what it was turned to.
        metric: The metric that it has to move.
        base: Its value and interval before.
        value: Its value after.
        moved: Whether that lies outside the interval.
        unrelated: For each metric of the other dials, its value after, and whether it stayed inside its
            interval of before.
    """

    dial: str
    metric: str
    base: tuple[float, float, float]
    value: float
    moved: bool
    unrelated: dict[str, tuple[float, bool]]


class Coverage(_Data):
    """How often the interval held the true value, over samples of worlds drawn with replacement.

    Attributes:
        dials: The learner's dials.
        samples: How many samples.
        covered: In how many of them.
    """

    dials: dict[str, float]
    samples: int
    covered: int


class Validation(_Data):
    """What came of trying the instrument.

    Attributes:
        suite: Name of the suite.
        digest: Digest over the worlds that were used.
        worlds: How many they were: those in which a transcript is replayed.
        recovered: Learner by learner.
        ordered: Whether the measured gains of every transcript order as the true ones do.
        moved: Dial by dial.
        coverage: Over samples of worlds; empty if none were asked for.
    """

    suite: str
    digest: str
    worlds: int
    recovered: tuple[Recovered, ...]
    ordered: bool
    moved: tuple[Moved, ...]
    coverage: tuple[Coverage, ...] = Field(default=())


async def validate(
    suite: Suite,
    *,
    worlds: int | None = None,
    samples: int = 0,
    seed: int = 0,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Validation:
    """Try the instrument on learners whose truth is known.

    Args:
        suite: Worlds to use, as far as a transcript is replayed in them.
        worlds: How many of those, from the first, an even number; None for all.
        samples: How many samples of worlds to draw for the rate of coverage of each learner.
        seed: Seeds what learners draw, intervals and samples.
        on_progress: Told what is done next, in a few words.

    Raises:
        BadInput: The suite has no, or not so many, worlds in which a transcript is replayed.
    """
    used = _used(suite, worlds)
    truth, learners = Truth(used.worlds), _Learners(used, seed)
    wanted = {
        **dict.fromkeys(CHANNELS, ANCHORED),
        **dict.fromkeys((BASE, *(turned.dials for turned in TURNED)), EVERY),
    }
    # World by world, so that what is worked out about a day is worked out once for all learners.
    for start in range(0, len(used.worlds), AT_A_TIME):
        some = used.worlds[start : start + AT_A_TIME]
        on_progress(f"worlds {start + 1} to {start + len(some)} of {len(used.worlds)}")
        for dials, conditions in wanted.items():
            if dials in CHANNELS:
                truth.work_out(some, dials, ANCHORED)
                await learners.play(dials, some, REPLAYED, trials=max(samples, 1))
                conditions = tuple(condition for condition in conditions if condition not in REPLAYED)
            await learners.play(dials, some, conditions)
    on_progress("intervals")
    base = learners.summary(BASE)
    recovered = [_recovered(dials, truth, learners.summary(dials)) for dials in CHANNELS]
    return Validation(
        suite=suite.name,
        digest=used.digest,
        worlds=len(used.worlds),
        recovered=tuple(recovered),
        ordered=_ordered(recovered),
        moved=tuple(_moved(turned, base, learners.summary(turned.dials)) for turned in TURNED),
        coverage=tuple(
            _coverage(dials, truth, learners.records[dials], samples, seed)
            for dials in (CHANNELS if samples else ())
        ),
    )


def _used(suite: Suite, worlds: int | None) -> Suite:
    """The pairs of the suite in which a transcript is replayed in both worlds."""
    pairs: dict[str, list[World]] = defaultdict(list)
    for world in suite.worlds:
        if world.certificate is not None and world.certificate.certified_for(Condition.REPLAY_OWN):
            pairs[world.pair].append(world)
    whole = [world for pair in pairs.values() if len(pair) == 2 for world in pair]
    if not whole or (worlds is not None and (worlds % 2 or not 2 <= worlds <= len(whole))):
        raise BadInput(
            f"suite {suite.name!r} has {len(whole)} worlds whose transcript is certified, in pairs of twins",
            field="--worlds",
            expected=f"an even number, 2 to {len(whole)}" if whole else "another suite",
        )
    return make_suite(suite.name, suite.version, suite.seed, whole[:worlds])


class _Learners:
    """Learners measured in the worlds of a suite, some worlds at a time."""

    def __init__(self, suite: Suite, seed: int) -> None:
        self._suite, self._seed = suite, seed
        self.records: dict[Dials, list[Record]] = defaultdict(list)

    async def play(
        self, dials: Dials, worlds: Sequence[World], conditions: Sequence[Condition], *, trials: int = 1
    ) -> None:
        """Play episodes and keep their records."""
        suite = make_suite(self._suite.name, self._suite.version, self._suite.seed, worlds)
        # Channels are independent trials of the instrument. The other dials share their draws with the base, so
        # that what a dial does not touch stays as it was.
        seed = self._seed + (1 + CHANNELS.index(dials) if dials in CHANNELS else 0)
        result = await evaluate(
            spec_of(dials), suite, conditions=conditions, trials=trials, seed=seed, driver="loop"
        )
        self.records[dials] += result.records

    def summary(self, dials: Dials) -> Summary:
        """Everything that the metrics say of a learner, from its first trial."""
        suite = self._suite
        return summarise(
            [record for record in self.records[dials] if record.trial == 0],
            newcomer=spec_of(dials),
            suite=SuiteResult(
                name=suite.name, version=suite.version, digest=suite.digest, worlds=len(suite.worlds)
            ),
            seed=self._seed,
        )


def _recovered(dials: Dials, truth: Truth, result: Summary) -> Recovered:
    true, found = truth.discount(dials), result.contrasts[DISCOUNT.name]
    value, low, high = _whole(found)
    gains = {
        condition.value: (
            _whole(result.conditions[condition].metrics["learning_gain"])[0],
            round(truth.gain(condition, dials), 6),
        )
        for condition in REPLAYED
    }
    return Recovered(
        dials=asdict(dials),
        true=round(true, 6),
        value=value,
        low=low,
        high=high,
        covered=_holds(low, true, high),
        gains=gains,
    )


def _holds(low: float, value: float, high: float) -> bool:
    # All three are rounded to six digits.
    return low - 1e-6 <= value <= high + 1e-6


def _ordered(recovered: Sequence[Recovered]) -> bool:
    """Whether measured gains never contradict the order of true ones that differ by 10 points or more."""
    for condition in REPLAYED:
        gains = [one.gains[condition.value] for one in recovered]
        for measured, true in gains:
            for other, less in gains:
                if true >= less + 0.1 and measured <= other:
                    return False
    return True


def _moved(turned: Turned, base: Summary, result: Summary) -> Moved:
    before, after = _whole(_value_of(base, turned)), _whole(_value_of(result, turned))[0]
    unrelated: dict[str, tuple[float, bool]] = {}
    discount = (DISCOUNT.name, base.contrasts[DISCOUNT.name], result.contrasts[DISCOUNT.name])
    others = [discount] + [
        (other.metric, _value_of(base, other), _value_of(result, other))
        for other in TURNED
        if other.metric != turned.metric
    ]
    for name, was, now in others:
        _, low, high = _whole(was)
        value = _whole(now)[0]
        unrelated[name] = (value, _holds(low, value, high))
    return Moved(
        dial=f"{turned.dial}={getattr(turned.dials, turned.dial):g}",
        metric=turned.metric,
        base=before,
        value=after,
        moved=not _holds(before[1], after, before[2]),
        unrelated=unrelated,
    )


def _value_of(summary: Summary, turned: Turned) -> MetricValue | Contrast:
    if turned.under is None:
        return summary.contrasts[turned.metric]
    return summary.conditions[Condition(turned.under)].metrics[turned.metric]


def _whole(found: MetricValue | Contrast) -> tuple[float, float, float]:
    if found.value is None or found.low is None or found.high is None:
        raise BadInput("these worlds leave nothing to measure", field="--worlds", expected="more of them")
    return found.value, found.low, found.high


def _coverage(dials: Dials, truth: Truth, records: Sequence[Record], samples: int, seed: int) -> Coverage:
    """Draw pairs of worlds with replacement, and ask of each sample whether its interval holds the truth."""
    by_pair: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for record in records:
        if record.condition in ANCHORED:
            by_pair[record.pair, record.trial].append(record)
    pairs = sorted({pair for pair, _ in by_pair})
    rng = np.random.default_rng([seed, len(pairs), samples])
    true, covered = truth.discount(dials), 0
    for _ in range(samples):
        drawn: list[Record] = []
        for number, pick in enumerate(rng.integers(0, len(pairs), size=len(pairs))):
            # A pair that is drawn twice comes with another learner; told or not told, learners do not differ.
            trial = int(rng.integers(0, samples))
            of_trial = [r for r in by_pair[pairs[pick], trial] if r.condition in REPLAYED]
            fixed = [r for r in by_pair[pairs[pick], 0] if r.condition not in REPLAYED]
            drawn += [_renamed(record, number) for record in (*of_trial, *fixed)]
        found = contrast_of(drawn, DISCOUNT, seed=seed)
        low, high = _whole(found)[1:]
        covered += _holds(low, true, high)
    return Coverage(dials=asdict(dials), samples=samples, covered=covered)


def _renamed(record: Record, number: int) -> Record:
    return record.model_copy(
        update={"pair": f"{record.pair}#{number}", "world": f"{record.world}#{number}", "trial": 0}
    )


def as_list(validation: Validation) -> list[Mapping[str, object]]:
    """What is written as JSON: per learner its dials, the true value and the interval that was measured."""
    return [one.model_dump(exclude={"gains"}) for one in validation.recovered]
