"""One turn of foresight: what somebody can do now, and what each of these acts makes possible next.

Evidence is gathered by whoever does, time after time, what tells most. An act that tells little may lead to one
that tells much, so both count. What a moment tells is for the caller to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.settings import Slot
from normgym_agents.worlds.stage import State
from normgym_agents.worlds.transition import Ground, Yard


class Best(NamedTuple):
    """The act that is worth most.

    Attributes:
        place: Its place among the possible ones.
        worth: What it gains by itself, and by what it makes possible beyond what any other act would.
    """

    place: int
    worth: float


class Outlook(NamedTuple):
    """What can be done now, and then.

    Attributes:
        possible: The acts that are possible now.
        now: Their moments.
        following: For each of them, the moments of the acts that it makes possible next; none where nothing follows.
    """

    possible: list[Ground]
    now: list[Moment]
    following: list[list[Moment]]

    @property
    def moments(self) -> list[Moment]:
        """All of them: those of now, then those that follow, act by act."""
        return [*self.now, *(moment for group in self.following for moment in group)]

    def best(self, gains: NDArray[np.float64], foresight: float) -> Best:
        """The act that gains most by itself and by the best act that it makes possible; the first of equals.

        Args:
            gains: Shape (moments,), in the order of `moments`.
            foresight: How much the best act of the next turn counts beside the act itself.
        """
        count = len(self.possible)
        owner = np.repeat(np.arange(count), [len(group) for group in self.following])
        now, later = gains[:count], np.zeros(count)
        np.maximum.at(later, owner, gains[count:])
        # Rounded so that the choice does not hang on the last bit of a platform's arithmetic.
        place = int(np.argmax(np.round(now + foresight * later, 6)))
        return Best(place, float(now[place] + foresight * (later[place] - later.min())))


def look_ahead(
    yard: Yard,
    state: State,
    member: int,
    round_number: int,
    last: int,
    *,
    over: Callable[[State], bool] | None = None,
) -> Outlook:
    """What a member can do in a round without saying anything in words of its own, and in the next.

    Args:
        yard: The day's transition model.
        state: How things stand.
        member: Index of who acts.
        round_number: The round, from 1.
        last: The last round of the day, after which nothing follows.
        over: Whether the day ends where things stand so; without it, it never does before its last round.
    """
    possible = _wordless(yard, state, member)
    now = yard.moments(state, member, possible, round_number)
    if round_number >= last:
        return Outlook(possible, now, [[] for _ in possible])
    following: list[list[Moment]] = []
    for ground in possible:
        after = yard.step(state, member, ground)
        then = [] if over is not None and over(after) else _wordless(yard, after, member)
        following.append(yard.moments(after, member, then, round_number + 1))
    return Outlook(possible, now, following)


def _wordless(yard: Yard, state: State, member: int) -> list[Ground]:
    return [ground for ground in yard.available(state, member) if Slot.WORDS not in ground.verb.slots]
