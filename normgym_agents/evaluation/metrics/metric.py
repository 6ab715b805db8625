"""What a metric is: sums over the worlds of one or more conditions, and a value of those sums.

Every metric is a function of sums to which each world (or pair of twins) adds its share, so one clustered
bootstrap serves all of them, the plain rates and the comparisons of conditions alike. A world's share comes
from its scored episodes alone, so an episode that says nothing about the newcomer moves no metric.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

import numpy as np

from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.statistics import Floats, Limits, rarest, ratio
from normgym_agents.worlds.conditions import Condition

Unit = Literal["world", "pair"]
Better = Literal["higher", "lower", "neither"]
Test = Literal["mcnemar", "permutation"]

Share = tuple[float, float]
"""What a unit adds to the numerator and to the denominator; a denominator of 0 adds nothing."""

Shares = Callable[[Sequence[Record]], Share]
"""From the records of one unit under one condition to its share."""

LEAST_SPAN: Final = 0.1
"""Telling the norms must raise compliance by this much, or a gain relative to it means nothing."""


_CLOSE: Final = 1e-9
"""Rates that differ by no more than this are equal: they are quotients of counts."""


class Theme(StrEnum):
    """What a metric is about; its text is the heading under which it stands."""

    SUCCESS = "success"
    COMPLIANCE = "keeping the norms"
    LEARNING = "learning"
    SANCTIONS = "answering sanctions"
    IDEAL = "against the ideal observer"
    REPORT = "saying what was learned"
    CONDUCT = "what else it picks up"
    EFFORT = "effort"


@dataclass(frozen=True, kw_only=True)
class Term:
    """Two sums over the same worlds under one condition.

    Attributes:
        share: What the records of one unit add to both.
        condition: Under which condition; None for the one that the metric is a metric of.
    """

    share: Shares
    condition: Condition | None = None


@dataclass(frozen=True, kw_only=True)
class Metric:
    """One metric.

    Attributes:
        name: In snake case, as in `summary.json`.
        title: How people call it.
        explanation: One line.
        theme: What it is about.
        better: Which way is good.
        low: Its smallest value; None where it has no limit.
        high: Its largest value; None where it has no limit.
        terms: Its sums. If they name all their conditions, it is a contrast: there is one of it in a run, with
            a test of whether its first two terms differ.
        value: From the sums (numerator and denominator of the first term, then of the second, and so on in the
            last axis) to the value; nan where there is none.
        bearing: From what clusters add to the sums to how many of them the value rests on.
        applies: Under which conditions it can have a value.
        least_span: If given, how much the compliance of the last term must exceed that of the one before it;
            otherwise there is no value.
        unit: What the statistics count.
        test: For contrasts, how p is found.
    """

    name: str
    title: str
    explanation: str
    theme: Theme
    better: Better
    low: float | None = 0.0
    high: float | None = 1.0
    terms: tuple[Term, ...]
    value: Callable[[Floats], Floats] = ratio
    bearing: Callable[[Floats], int] = rarest
    applies: Callable[[Condition], bool] = lambda condition: True
    least_span: float | None = None
    unit: Unit = "world"
    test: Test = "permutation"

    @property
    def is_contrast(self) -> bool:
        """Whether it stands under `contrasts`, once in a run, and not under `metrics` of each condition."""
        return all(term.condition is not None for term in self.terms)

    def has_value(self, sums: Floats) -> bool:
        """Whether the two terms that a gain relates to are far enough apart.

        Args:
            sums: Over all clusters.
        """
        if self.least_span is None:
            return True
        *_, low, high = rates(sums)
        return bool(high - low > self.least_span - _CLOSE)

    def limits(self, sums: Floats) -> Limits | None:
        """The smallest and the largest value that worlds can come to; None where there are none.

        A gain relative to what telling changes has the limits of a difference of shares over that span, which is
        taken as it was found.

        Args:
            sums: Over all clusters; `has_value` holds of them.
        """
        if self.least_span is not None:
            *_, low, high = rates(sums)
            return -1 / float(high - low), 1 / float(high - low)
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def needs(self) -> tuple[Condition, ...]:
        """Conditions that the run must hold, beside the one that it is a metric of."""
        return tuple(dict.fromkeys(term.condition for term in self.terms if term.condition is not None))

    @property
    def range(self) -> str:
        """Its range in words."""
        if self.low is None:
            return "any number"
        return f"from {self.low:g}" if self.high is None else f"{self.low:g} to {self.high:g}"

    @property
    def where(self) -> str:
        """Where it stands in `summary.json`, and what it needs."""
        if self.is_contrast:
            return "contrasts: " + ", ".join(self.needs)
        needs = f"; needs {', '.join(self.needs)}" if self.needs else ""
        under = [condition for condition in Condition if self.applies(condition)]
        without = [condition for condition in Condition if condition not in under]
        if not without:
            return f"metrics{needs}"
        if len(without) < len(under):
            return f"metrics, not of {', '.join(without)}{needs}"
        return f"metrics of {', '.join(under)}{needs}"


def here(share: Shares) -> tuple[Term, ...]:
    """The one term of a plain metric."""
    return (Term(share=share),)


def rates(sums: Floats) -> list[Floats]:
    """The ratio of each term; nan where its denominator is 0."""
    return [ratio(sums[..., i : i + 2]) for i in range(0, sums.shape[-1], 2)]


def difference(sums: Floats) -> Floats:
    """The ratio of the first term minus that of the second."""
    first, second = rates(sums)
    return first - second


def mean_of_rates(sums: Floats) -> Floats:
    """The mean of the ratios of all terms that have one."""
    found = np.stack(rates(sums), axis=-1)
    defined = np.isfinite(found)
    total, count = np.where(defined, found, 0.0).sum(axis=-1), defined.sum(axis=-1)
    return ratio(np.stack([total, count.astype(float)], axis=-1))


def pooled(columns: Floats) -> int:
    """How many clusters the mean of several ratios rests on: as many as would make a single ratio as sure.

    Of K ratios over n_1 to n_K clusters the mean has 1 / K² of their variances added up, so it is as sure as one
    over K² / (1 / n_1 + … + 1 / n_K), rounded down (Cochran 1977, *Sampling Techniques*, section 5.3).
    """
    behind = (columns[:, 1::2] != 0).sum(axis=0)
    behind = behind[behind > 0]
    return int(len(behind) ** 2 / (1 / behind).sum() + _CLOSE) if len(behind) else len(columns)


def relative_difference(sums: Floats) -> Floats:
    """The first two terms' difference, relative to how much the fourth exceeds the third."""
    first, second, low, high = rates(sums)
    span = high - low
    return ratio(np.stack([np.where(span > 0, first - second, 0.0), np.where(span > 0, span, 0.0)], axis=-1))
