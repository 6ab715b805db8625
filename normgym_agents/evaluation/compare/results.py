"""The typed result of a comparison: the same content as `normgym compare --json`, under the same names."""

from __future__ import annotations

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.results import Partial
from normgym_agents.worlds.conditions import Condition

Test = Literal["mcnemar", "permutation"]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ComparedSuite(_Data):
    """The suite that all runs are over.

    Attributes:
        name: What it is known by.
        version: Its version.
    """

    name: str
    version: int


class Fault(_Data):
    """Something that kept episodes from their end.

    Attributes:
        outcome: How they ended.
        error: The record's word for it.
        episodes: How many ended so.
    """

    outcome: Outcome
    error: str | None
    episodes: int


class ComparedRun(_Data):
    """One of the runs.

    Attributes:
        label: What it is called here: A for the first, then B and so on.
        folder: Where it was read.
        newcomer: What its newcomer is known by.
        fingerprint: Tells it from a changed one of the same name.
        model: The model handed to it, if any.
        seed: What its newcomer drew from.
        trials: Episodes per world and condition.
        worlds: Worlds that were asked for.
        episodes: Ended episodes.
        unscored: How many of them say nothing about the newcomer, by outcome.
        faults: What kept episodes from their end, the most frequent first; scored ones, of a newcomer that broke, too.
        partial: How far the run got, if not to its end.
    """

    label: str
    folder: str
    newcomer: str
    fingerprint: str
    model: str | None
    seed: int
    trials: int
    worlds: int
    episodes: int
    unscored: dict[Outcome, int]
    faults: tuple[Fault, ...]
    partial: Partial | None


class Within(_Data):
    """Whether a difference is shown to be none: two one-sided t tests (Schuirmann 1987).

    Attributes:
        margin: Smaller differences are called none.
        low: Lower bound of the 90 % interval of the difference.
        high: Upper bound.
        p: The larger p-value of the two tests.
        shown: Whether both are passed at 5 %: the interval lies within the margin.
    """

    margin: float
    low: float
    high: float
    p: float
    shown: bool


class Difference(_Data):
    """A metric on both sides, over the same worlds.

    Attributes:
        first: Its value on the first side; None where nothing was there to measure.
        second: Its value on the second side.
        value: The second minus the first.
        low: Lower bound of the 95 % interval of the difference, by the clustered BCa bootstrap; from its
            limits alone where pairs agree or are fewer than 6; None where it has none, or too few draws a value.
        high: Upper bound.
        p: Two-sided p-value, not adjusted for other tests.
        test: Exact McNemar over pairs of twins for `joint_success`, a paired permutation test for the rest.
        n: Worlds behind it; pairs of twins for a metric of pairs.
        pairs: Pairs of twins behind it, which are what is tested and drawn.
        more: In how many pairs the second side passed more worlds; None for all but `joint_success`.
        less: In how many it passed fewer, likewise.
        within: Whether it is shown to be no difference; None for what is no share, or has nothing to test.
    """

    first: float | None
    second: float | None
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    test: Test
    n: int
    pairs: int
    more: int | None = None
    less: int | None = None
    within: Within | None = None


class Power(_Data):
    """What the pairs of twins at hand can show of joint success, by the exact McNemar test at 5 %.

    Attributes:
        pairs: Pairs of twins.
        discordance: Share of them in which one side passed more worlds than the other.
        gap: Share in which the second side passed more, minus the share in which it passed fewer.
        smallest_gap: The smallest gap that is found with 80 % power at this discordance; None if none is.
        pairs_needed: Pairs for 80 % power if the gap observed were the true one; None if there is no gap, or
            they would be more than a million.
        worlds_needed: Twice as many.
    """

    pairs: int
    discordance: float
    gap: float
    smallest_gap: float | None
    pairs_needed: int | None
    worlds_needed: int | None


class Bounds(_Data):
    """How far unscored episodes could move a difference of joint success.

    Attributes:
        low: With all unscored ones of the first side passed and of the second failed.
        high: The other way round.
        unscored: How many there are in the worlds that both sides have.
    """

    low: float
    high: float
    unscored: int


class ConditionComparison(_Data):
    """Two runs under one condition.

    Attributes:
        worlds: Worlds scored on both sides.
        pairs: Pairs of twins that they belong to.
        only_first: Worlds with a record on the first side alone; left out.
        only_second: Likewise on the second.
        unscored: Worlds without a scored episode on one of the sides; left out.
        metrics: Differences by metric.
        bounds: How far unscored episodes could move joint success; None if there are none.
        power: What so many pairs can show; None if there are none.
        conclusions: What can and cannot be concluded of joint success, in sentences.
    """

    worlds: int
    pairs: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    unscored: tuple[str, ...]
    metrics: dict[str, Difference]
    bounds: Bounds | None
    power: Power | None
    conclusions: tuple[str, ...]


class Primary(_Data):
    """A test of the primary family.

    Attributes:
        metric: What is tested.
        condition: Under which condition; None for a contrast, which names its own.
        value: The difference.
        p: Its p-value.
        p_adjusted: Adjusted by Holm (1979) over the whole family, of all runs compared.
        significant: Whether the adjusted one is at most 5 %.
    """

    metric: str
    condition: Condition | None
    value: float
    p: float
    p_adjusted: float
    significant: bool


class PairComparison(_Data):
    """One run against the first.

    Attributes:
        first: Label of the first.
        second: Label of the other.
        conditions: What both have.
        contrasts: Differences of what compares conditions, by metric.
        primary: The primary family, as far as both runs have what it takes.
        untested: Members of the family that could not be tested, and why.
        only_first: Conditions that only the first run has.
        only_second: Conditions that only the other has.
    """

    first: str
    second: str
    conditions: dict[Condition, ConditionComparison]
    contrasts: dict[str, Difference]
    primary: tuple[Primary, ...]
    untested: dict[str, str]
    only_first: tuple[Condition, ...]
    only_second: tuple[Condition, ...]


class Comparison(_Data):
    """Runs over the same worlds, each against the first.

    Attributes:
        comparison_schema: Version of this form (`schema` in JSON).
        suite: The suite.
        runs: All runs, the first first.
        comparisons: One for each run but the first.
        notes: What a reader must know before believing it.
    """

    comparison_schema: Literal[1] = Field(default=1, alias="schema")
    suite: ComparedSuite
    runs: tuple[ComparedRun, ...]
    comparisons: tuple[PairComparison, ...]
    notes: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every run came to its end and all of its episodes are scored."""
        return not any(run.partial or run.unscored for run in self.runs)

    def to_json(self) -> str:
        """ASCII, keys sorted, one newline at the end."""
        return json.dumps(self.model_dump(by_alias=True), indent=2, sort_keys=True, allow_nan=False) + "\n"
