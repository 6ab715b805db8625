"""The learners that the instrument is tried on: what each is meant to show."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final, NamedTuple

from normgym_agents.worlds.minds import Dials

CHANNELS: Final = (
    Dials(own=1.0, vicarious=1.0),
    Dials(own=0.5, vicarious=0.5),
    Dials(own=0.1, vicarious=0.1),
    Dials(own=0.02, vicarious=0.02),
    Dials(own=0.5, vicarious=0.02),
    Dials(own=0.2, vicarious=0.05),
    Dials(own=0.1, vicarious=0.02),
    Dials(own=0.05, vicarious=0.2),
    Dials(own=0.3, vicarious=0.0),
    Dials(own=0.0, vicarious=0.0),
)
"""Settings of the two dials of learning. A transcript holds several units of evidence for each norm, and one is
enough, so small dials tell more apart than large ones. The last but one is the published signature: it adapts
to its own sanctions and not to others'."""

BASE: Final = Dials(own=0.5, vicarious=0.2)
"""What the learners differ from in one more dial each."""


class Turned(NamedTuple):
    """One more dial, and the metric that it has to move.

    Attributes:
        dials: The base, with the dial turned.
        dial: Which dial.
        metric: The metric.
        under: The condition that it is a metric of; None for a contrast.
    """

    dials: Dials
    dial: str
    metric: str
    under: str | None


def _turned(dial: str, value: float, metric: str, under: str | None) -> Turned:
    return Turned(Dials(**{**asdict(BASE), dial: value}), dial, metric, under)


TURNED: Final = (
    _turned("superstition", 1.0, "superstition", None),
    _turned("caution", 1.0, "over_compliance_excess", "told"),
    _turned("imitation", 0.5, "habit_copying", "habits"),
    _turned("fear", 0.5, "observed_gap", "unobserved"),
)
"""The other dials, one at a time."""


def spec_of(dials: Dials) -> str:
    """The spec of the learner, as `normgym run` takes it; dials at their default are left out."""
    default = asdict(Dials())
    given = [f"{name}={value:g}" for name, value in asdict(dials).items() if value != default[name]]
    return "reference:simulated" + ("?" + "&".join(given) if given else "")
