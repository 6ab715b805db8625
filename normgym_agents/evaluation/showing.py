"""What of a result people are shown, in a terminal as on the page, and how its numbers read.

Shares are in percent, differences of shares in points, everything else is as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from normgym_agents.evaluation.metrics import CONTRASTS, METRICS, Metric
from normgym_agents.evaluation.results import Contrast

KNOWN: Final = {metric.name: metric for metric in (*METRICS, *CONTRASTS)}
"""Metrics and contrasts by name."""

RAW: Final = "_raw"
"""What names of differences end with that stand in for a gain relative to next to nothing."""

NOTHING: Final = "–"
"""Stands where there is no value."""

_MANY: Final = 100
"""From here on decimals say nothing."""


def percent(value: float | None) -> str:
    """A share in percent; something that is not 0 or 1 is never shown as if it were."""
    if value is None:
        return NOTHING
    rounded = f"{100 * value:.0f}%"
    if rounded == "0%" and value > 0:
        return "<1%"
    return ">99%" if rounded == "100%" and value < 1 else rounded


def signed(value: float) -> str:
    """A difference of shares in points, with its sign."""
    points = round(100 * value)
    return f"{points:+d}".replace("-", "−") if points else "0"


def plain(value: float) -> str:
    """Any other number: two decimals, or none where it is large."""
    text = f"{value:,.0f}" if abs(value) >= _MANY else f"{value:.2f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def shown(metric: Metric, value: float | None) -> str:
    """A value of a metric: percent for shares, points for differences of shares, else the number."""
    if value is None:
        return NOTHING
    if metric.high != 1:
        return plain(value)
    return percent(value) if metric.low == 0 else signed(value)


def contrasts_shown(contrasts: Mapping[str, Contrast]) -> list[tuple[Metric, Contrast]]:
    """The contrasts worth a line: raw ones only where they stand in for one without a value."""
    return [
        (KNOWN[name], contrast)
        for name, contrast in contrasts.items()
        if not name.endswith(RAW)
        or (relative := contrasts.get(name.removesuffix(RAW))) is None
        or relative.value is None
    ]


def why_missing(metric: Metric, contrast: Contrast) -> str:
    """Why a contrast has no value."""
    if not contrast.n:
        return "no world to compare"
    return "told adds less than 10 points" if metric.least_span else "nothing to measure"
