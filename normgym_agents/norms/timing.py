"""Deadlines, accompaniments, quotas and changes: the parts of a norm that are about when.

An obligation is broken at one moment: the act with which its time runs out. Everything here is read off that
moment, so that what comes later can never change what an act was.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from pydantic import model_validator

from normgym_agents.norms.frozen import Frozen
from normgym_agents.norms.literals import (
    ActPattern,
    Ago,
    Conjunct,
    Now,
    UsedUpLately,
    UsedUpToday,
    refused,
)
from normgym_agents.norms.moments import RECENT, Moment

LONGEST_DEADLINE = RECENT - 1
"""Acts that a deadline may leave: the act that obliges must still be among the recent ones."""


MOST = 99
"""The highest limit of a quota, and the latest day of a change."""


class Status(StrEnum):
    """How an obligation stands once an act is done."""

    PENDING = "pending"
    DISCHARGED = "discharged"
    EXPIRED = "expired"


class Deadline(Frozen):
    """`within 2 acts after pour`: so many acts of the actor's own are left once it has done that."""

    within: int
    after: ActPattern

    @model_validator(mode="after")
    def _in_sight(self) -> Deadline:
        if not 1 <= self.within <= LONGEST_DEADLINE:
            raise refused(f"a deadline of {self.within} acts", f"1 to {LONGEST_DEADLINE} acts")
        return self


class Quota(Frozen):
    """`more than 2 per day`, `more than 1 per 4 acts`: how often is too often.

    Attributes:
        most: How often it may be done.
        window_acts: Among how many of the actor's own acts, the one that is judged included; None: in a day.
    """

    most: int
    window_acts: int | None = None

    @model_validator(mode="after")
    def _can_be_broken(self) -> Quota:
        if not 1 <= self.most <= MOST:
            raise refused(f"a limit of {self.most}", f"1 to {MOST}")
        acts = self.window_acts
        if acts is not None and not 2 <= acts <= RECENT:
            raise refused(f"a window of {acts} acts", f"2 to {RECENT} acts")
        if acts is not None and self.most >= acts:
            raise refused(
                f"{acts} acts are never more than {self.most}", f"a limit below the {acts} acts of the window"
            )
        return self

    def used_up(self, pattern: ActPattern) -> UsedUpToday | UsedUpLately:
        """The literal that holds once the limit is reached."""
        if self.window_acts is None:
            return UsedUpToday(pattern=pattern, most=self.most)
        return UsedUpLately(pattern=pattern, most=self.most, acts=self.window_acts - 1)


class Duty(Frozen):
    """What is owed, and when.

    Attributes:
        act: The act that is owed.
        trigger: The act that makes it owed.
        within: Acts left after the trigger.
        or_before: Whether the act right before the trigger serves too.
    """

    act: ActPattern
    trigger: ActPattern
    within: int
    or_before: bool

    def expiry(self) -> Iterator[Conjunct]:
        """What must hold, beside the bearer, for time to run out with an act.

        That many acts ago came the trigger, and neither this act nor one since is the duty.
        """
        yield Ago(back=self.within, pattern=self.trigger)
        served = self.within + 1 if self.or_before else self.within - 1
        for back in range(1, served + 1):
            if back != self.within:
                yield Ago(back=back, pattern=self.act, negated=True)
        yield Now(pattern=self.act, negated=True)

    def status(self, moment: Moment) -> Status | None:
        """How the duty stands once the act is done; None where nothing is or was just owed.

        Every trigger in sight counts, and one act discharges all that are pending. Where an act that
        discharges or lets time run out is itself a trigger, its own duty shows with the next act.
        """
        done, triggered = self.act.matches(moment.deed), self.trigger.matches(moment.deed)
        backwards = moment.recent[::-1]
        duties = [self.act.matches(deed) for deed in backwards]
        # A duty that was done since discharged a trigger; so did one right before, where that serves.
        owed = [
            back
            for back, deed in enumerate(backwards[: self.within], start=1)
            if self.trigger.matches(deed)
            and not any(duties[: back - 1])
            and not (self.or_before and any(duties[back : back + 1]))
        ]
        served = triggered and self.or_before and any(duties[:1])
        if self.within in owed and not done:
            return Status.EXPIRED
        if served or (owed and done):
            return Status.DISCHARGED
        return Status.PENDING if owed or triggered else None
