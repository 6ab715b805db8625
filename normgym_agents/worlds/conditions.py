"""Phases of an episode, and the conditions that decide which evidence a newcomer gets."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """A part of an episode; the probe is the scored one."""

    WATCH = "watch"
    PRACTISE = "practise"
    PROBE = "probe"


class Condition(StrEnum):
    """Which evidence the newcomer gets before the probe."""

    LIVE = "live"
    NONE = "none"
    TOLD = "told"
    OTHERS = "others"

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of an episode under this condition, in order."""
        return _PHASES[self]

    @property
    def summary(self) -> str:
        """One line for listings."""
        return _SUMMARIES[self]


_PHASES = {
    Condition.LIVE: (Phase.WATCH, Phase.PRACTISE, Phase.PROBE),
    Condition.NONE: (Phase.PROBE,),
    Condition.TOLD: (Phase.PROBE,),
    Condition.OTHERS: (Phase.WATCH, Phase.PROBE),
}

_SUMMARIES = {
    Condition.LIVE: "watches others and their sanctions, then acts and is sanctioned itself (the headline)",
    Condition.NONE: "no evidence at all: what it does beforehand",
    Condition.TOLD: "the norms are stated: how well it can execute them",
    Condition.OTHERS: "watches others' acts and sanctions, never acts before the probe",
}
