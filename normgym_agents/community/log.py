"""The log of an episode: what happened and what the referee found, event by event.

The log is the only source of scores, so it holds every finding a score needs. It is the community's own;
newcomers see the projection in `views`, never this.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from normgym_agents.norms.norm import Family
from normgym_agents.norms.verdicts import Verdict
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Phase
from normgym_agents.worlds.public import Answer

About = Literal["act", "sanction", "turn", "remark"]
"""What a member's model is asked for: words for an act, words for a sanction, a turn of its own, a reply."""


class Fault(StrEnum):
    """What can be wrong with what a member's model gives."""

    INVALID = "invalid"
    IMPOSSIBLE_ACT = "impossible_act"
    STATES_RULE = "states_rule"
    NAMES_LITERAL = "names_literal"
    CONTRADICTS_ACT = "contradicts_act"
    OUT_OF_CHARACTER = "out_of_character"
    DISCLOSES = "discloses"
    CANARY = "canary"
    BUDGET = "budget"
    MODEL_FAILED = "model_failed"


class _Event(BaseModel):
    """Where in an episode an event stands: days and rounds count from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    phase: Phase
    day: int
    round: int


class ActEvent(_Event):
    """Somebody's turn: an act that took place, or (`act` is None) an invalid one that did not.

    Attributes:
        actor: Who.
        newcomer: Whether it is the newcomer.
        act: What took place.
        fault: Why nothing took place.
        words: What the newcomer wrote beside its act; what a member said with its.
        channel: How the newcomer's act arrived.
        asked: How often the newcomer was asked (2 after a re-ask); 0 for members.
        seen: Whether the newcomer was told that somebody was looking; None where nothing was said of it.
        habit: Whether it is a member's habit, which no norm asks for and nobody answers.
        chosen: Whether a member's model chose it, and no schedule.
    """

    kind: Literal["act"] = "act"
    actor: str
    newcomer: bool = False
    act: Act | None = None
    fault: str | None = None
    words: str = ""
    channel: str = ""
    asked: int = 0
    seen: bool | None = None
    habit: bool = False
    chosen: bool = False


class VerdictEvent(_Event):
    """The referee's finding at one opportunity: complied or violated. Other moments are not logged.

    Attributes:
        norm: Label of the norm in its world (`N1`, …; `P1`, … for the norms that they replaced).
        tempting: Whether an act of the cheapest norm-ignoring plan that breaks the norm was open.
        bound: Whether the norm was in force; if not, the finding says what the act would have been under it.
    """

    kind: Literal["verdict"] = "verdict"
    actor: str
    newcomer: bool = False
    norm: str
    family: Family
    verdict: Verdict
    tempting: bool = False
    bound: bool = True


class NearMissEvent(_Event):
    """Permitted acts open to the newcomer that differ from a forbidden one in one literal.

    Attributes:
        open: Texts of those acts that the norm-keeping plan needs.
        taken: The one of them that was done, if any.
    """

    kind: Literal["near_miss"] = "near_miss"
    open: tuple[str, ...]
    taken: str | None = None


class SanctionEvent(_Event):
    """A member's public answer to an act.

    Attributes:
        deserved: Whether the act broke a norm.
        act: The act that the answer names (from explicitness L1).
        context: The circumstance that the answer names (from L2).
        words: What the member said with it, where a model words it.
    """

    kind: Literal["sanction"] = "sanction"
    member: str
    whom: str
    newcomer: bool = False
    answer: Answer
    deserved: bool
    act: Act | None = None
    context: str | None = None
    words: str = ""


class RemarkEvent(_Event):
    """What a member says back to the newcomer, who had said something.

    Attributes:
        told: Whether the newcomer had asked and the member is one that tells.
    """

    kind: Literal["remark"] = "remark"
    member: str
    whom: str
    words: str
    told: bool = False


class ConductEvent(_Event):
    """A member's model was asked, and how that went. Nobody but the audit reads it.

    Attributes:
        about: What it was asked for.
        judged: Whose acts it was to answer or let pass.
        faults: What code found wrong with what it gave, a name per try and fault.
        fallback: Whether the schedule or the template stood in for it.
    """

    kind: Literal["conduct"] = "conduct"
    member: str
    about: About
    judged: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    fallback: bool = False


class TaskEvent(_Event):
    """The end of the newcomer's day: whether its task is done, and how many acts it took."""

    kind: Literal["task"] = "task"
    done: bool
    acts: int
    budget: int


Event = Annotated[
    ActEvent | VerdictEvent | NearMissEvent | SanctionEvent | RemarkEvent | ConductEvent | TaskEvent,
    Field(discriminator="kind"),
]

EVENTS: TypeAdapter[list[Event]] = TypeAdapter(list[Event])
"""Reads and writes a whole log."""
