"""What a norm says of an act: not an opportunity, complied or violated.

The referee counts only moments at which the norm could have been kept and broken; elsewhere an act says
nothing about the actor. An obligation is one opportunity, which comes when it is discharged or expires; each act
that a quota counts is one, since whoever keeps to it has to stop somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from normgym_agents.norms.moments import Moment
from normgym_agents.norms.timing import Status
from normgym_agents.norms.units import Excepted, Unit


class Verdict(StrEnum):
    """The referee's finding for one norm and one act."""

    NO_OPPORTUNITY = "no opportunity"
    COMPLIED = "complied"
    VIOLATED = "violated"


_OF_STATUS = {Status.DISCHARGED: Verdict.COMPLIED, Status.EXPIRED: Verdict.VIOLATED}


def evaluate(norm: Unit, moment: Moment, choices: Iterable[Moment]) -> Verdict:
    """Judge one act.

    Args:
        norm: The norm, by itself or with its exception; whole sets are judged by `rules.RuleSet`.
        moment: The act, in its public context.
        choices: Every act that was possible for the actor then, the one chosen among them. Obligations do
            not ask for them: whoever does what obliges has chosen to owe.

    Returns:
        For a prohibition `VIOLATED` or `COMPLIED` where both a violating and a compliant act were possible,
        else `NO_OPPORTUNITY`; an act that a quota counts and allows is `COMPLIED`. For an obligation `COMPLIED` at the act that discharges it, `VIOLATED` at the
        act with which it expires, else `NO_OPPORTUNITY`: one that is pending when the day ends counts
        nowhere. For a permit always `NO_OPPORTUNITY`.
    """
    if not isinstance(norm, Excepted):
        if norm.deontic == "permit":
            return Verdict.NO_OPPORTUNITY
        if norm.deontic == "oblige":
            status = norm.status(moment)
            return (
                Verdict.NO_OPPORTUNITY if status is None else _OF_STATUS.get(status, Verdict.NO_OPPORTUNITY)
            )
        if norm.counts(moment) and not norm.violated_by(moment):
            return Verdict.COMPLIED
    can_break = can_keep = False
    for choice in choices:
        if norm.violated_by(choice):
            can_break = True
        else:
            can_keep = True
        if can_break and can_keep:
            return Verdict.VIOLATED if norm.violated_by(moment) else Verdict.COMPLIED
    return Verdict.NO_OPPORTUNITY
