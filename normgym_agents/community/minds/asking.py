"""What the newcomer says to members, and whom it says it to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from normgym_agents.community.minds.lexis import words_in

if TYPE_CHECKING:
    from normgym_agents.community.standing import Done

_ASKS: Final = re.compile(
    r"\b(rules?|norms?|customs?|manners|etiquette|allowed|permitted|forbidden|supposed|should i|may i|must i|can i"
    r"|do i have to|am i|what did i do|did i do|wrong|why did|why do|why are|why not|how (?:are|do) (?:things|you|people)"
    r"|what (?:do|should) (?:you|people|i)|explain|tell me|frown\w*|expect\w*)\b",
    re.IGNORECASE,
)


class Talk(NamedTuple):
    """Something that the newcomer said aloud.

    Attributes:
        member: Index of the member that it was said to.
        words: What was said.
    """

    member: int
    words: str


def asks_for_rules(words: str) -> bool:
    """Whether somebody asks how things are done."""
    return bool(_ASKS.search(words))


def talk_in(done: Sequence[Done], members: Sequence[str]) -> Talk | None:
    """What the newcomer said in a round, to one who is there and is named, else to the first who is there.

    Args:
        done: The acts of the round.
        members: The members' names.

    Returns:
        None where it said nothing in free words, or to nobody.
    """
    for one in done:
        words = one.ground.act.say
        if not one.entry["newcomer"] or not words:
            continue
        here = one.before.places[one.actor]
        near = [i for i in range(len(members)) if one.before.places[i] == here]
        heard = set(words_in(words))
        named = [i for i in near if set(words_in(members[i])) & heard]
        if near:
            return Talk((named or near)[0], words)
    return None
