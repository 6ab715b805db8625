"""Phases of an episode, and the conditions that decide which evidence a newcomer gets."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Phase(StrEnum):
    """A part of an episode; the probe is the scored one."""

    WATCH = "watch"
    PRACTISE = "practise"
    PROBE = "probe"


class Condition(StrEnum):
    """Which evidence the newcomer gets before the probe. `own` stands before `yoked`, which repeats it."""

    LIVE = "live"
    NONE = "none"
    TOLD = "told"
    OWN = "own"
    OTHERS = "others"
    COMPLIANCE = "compliance"
    REPLAY_OWN = "replay-own"
    REPLAY_OTHERS = "replay-others"
    YOKED = "yoked"
    SHUFFLED = "shuffled"
    GHOST = "ghost"
    HABITS = "habits"
    WRONG_ROLE = "wrong-role"
    ABSENT = "absent"
    UNOBSERVED = "unobserved"
    CHANGE = "change"

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases of an episode under this condition, in order."""
        return _PHASES.get(self, (Phase.WATCH, Phase.PROBE))

    @property
    def summary(self) -> str:
        """One line for listings."""
        return _SUMMARIES[self]


BASE: Final = (Condition.LIVE, Condition.NONE, Condition.TOLD, Condition.OTHERS)
"""What is run unless something else is asked for; every certified world is certified for these."""

_PHASES = {
    Condition.LIVE: (Phase.WATCH, Phase.PRACTISE, Phase.PROBE),
    Condition.NONE: (Phase.PROBE,),
    Condition.TOLD: (Phase.PROBE,),
    Condition.OWN: (Phase.PRACTISE, Phase.PROBE),
}
"""Where they differ from watching and then being probed."""

_SUMMARIES = {
    Condition.LIVE: "watches others and their sanctions, then acts and is sanctioned itself (the headline)",
    Condition.NONE: "no evidence at all: what it does beforehand",
    Condition.TOLD: "the norms are stated: how well it can execute them",
    Condition.OWN: "acts and is sanctioned on three days of practice, and sees nobody else do anything",
    Condition.OTHERS: "watches others' acts and sanctions, never acts before the probe",
    Condition.COMPLIANCE: "watches others keep the norms where breaking them was easier; nobody is sanctioned",
    Condition.REPLAY_OWN: "one fixed transcript, told as the newcomer's own acts and sanctions",
    Condition.REPLAY_OTHERS: "the same transcript, told as those of a peer of the same role",
    Condition.YOKED: "the newcomer's own days under `own`, watched as a peer's",
    Condition.SHUFFLED: "as `others`, with the sanctions dealt to the acts anew: as many, and without meaning",
    Condition.GHOST: "as `others`, but nobody is ever sanctioned",
    Condition.HABITS: "as `others`, and members keep saying something that nobody minds",
    Condition.WRONG_ROLE: "as `others`, but the norms bind another role than the newcomer's",
    Condition.ABSENT: "as `others`, but no norm is in force: only mistaken sanctions",
    Condition.UNOBSERVED: "as `others`; in the probe it is said at each act whether somebody is looking",
    Condition.CHANGE: "watches other norms first and then the norms in force, announced or not",
}
