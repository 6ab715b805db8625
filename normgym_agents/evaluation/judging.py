"""Which norms the acts of an episode were judged by, and when these were in force.

A world's norms are not always in force: under some conditions they only say what an act would have been, and
others are in force beside them or were before. Whoever reads a record must not have to know the conditions.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from normgym_agents.norms.language import print_norm
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.programme import for_the_overseer

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World


class InForce(StrEnum):
    """When a norm was in force. A norm that changes by itself is one norm, before and after."""

    ALWAYS = "always"
    AT_FIRST = "at first"
    LATER = "later"
    NEVER = "never"

    @property
    def words(self) -> str:
        """How it reads beside a norm; empty where there is nothing to say."""
        return _WORDS[self]


_WORDS = {
    InForce.ALWAYS: "",
    InForce.AT_FIRST: "in force at first, and replaced by the scored day",
    InForce.LATER: "in force once it had replaced others, on the scored day, too",
    InForce.NEVER: "not in force: acts are judged by it, but nobody has to keep it",
}


class JudgedNorm(BaseModel):
    """A norm that acts were judged by.

    Attributes:
        label: What the log calls it.
        norm: Its text.
        in_force: When it was in force.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    norm: str
    in_force: InForce


def judged_by(world: World, condition: Condition) -> tuple[JudgedNorm, ...]:
    """The norms that acts in a world are judged by under a condition, the world's own first.

    Args:
        world: The world.
        condition: The condition.
    """
    match condition:
        case Condition.ABSENT:
            return _labelled("N", world.norms, InForce.NEVER)
        case Condition.WRONG_ROLE:
            others = map(print_norm, for_the_overseer(world))
            return _labelled("N", world.norms, InForce.NEVER) + _labelled("W", others, InForce.ALWAYS)
        case Condition.CHANGE:
            return _labelled("N", world.norms, InForce.LATER) + _labelled("P", world.rival, InForce.AT_FIRST)
        case _:
            return _labelled("N", world.norms, InForce.ALWAYS)


def _labelled(label: str, norms: Iterable[str], in_force: InForce) -> tuple[JudgedNorm, ...]:
    numbered = enumerate(norms, start=1)
    return tuple(
        JudgedNorm(label=f"{label}{number}", norm=norm, in_force=in_force) for number, norm in numbered
    )
