"""What a norm says of an act: not an opportunity, complied or violated.

The referee counts only moments at which the norm could have been kept and broken; elsewhere an act says
nothing about the actor.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from normgym_agents.norms.moments import Moment
from normgym_agents.norms.norm import Norm


class Verdict(StrEnum):
    """The referee's finding for one norm and one act."""

    NO_OPPORTUNITY = "no opportunity"
    COMPLIED = "complied"
    VIOLATED = "violated"


def evaluate(norm: Norm, moment: Moment, choices: Iterable[Moment]) -> Verdict:
    """Judge one act.

    Args:
        norm: The norm.
        moment: The act, in its public context.
        choices: Every act that was possible for the actor then, the one chosen among them.

    Returns:
        `VIOLATED` or `COMPLIED` where both a violating and a compliant act were possible, else
        `NO_OPPORTUNITY`.
    """
    can_break = can_keep = False
    for choice in choices:
        if norm.violated_by(choice):
            can_break = True
        else:
            can_keep = True
        if can_break and can_keep:
            return Verdict.VIOLATED if norm.violated_by(moment) else Verdict.COMPLIED
    return Verdict.NO_OPPORTUNITY
