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
    barred: Callable[[Moment], bool] = lambda _: False,
) -> Outlook:
    """What a member can do in a round without saying anything in words of its own, and in the next.

    Args:
        yard: The day's transition model.
        state: How things stand.
        member: Index of who acts.
        round_number: The round, from 1.
        last: The last round of the day, after which nothing follows.
        over: Whether the day ends where things stand so; without it, it never does before its last round.
        barred: What may not be done, neither now nor then.
    """
    open_now = _open(yard, state, member, round_number, barred)
    following: list[list[Moment]] = []
    for ground, _ in open_now:
        after = yard.step(state, member, ground)
        ended = round_number >= last or (over is not None and over(after))
        then = [] if ended else _open(yard, after, member, round_number + 1, barred)
        following.append([moment for _, moment in then])
    return Outlook([ground for ground, _ in open_now], [moment for _, moment in open_now], following)


def _open(
    yard: Yard, state: State, member: int, round_number: int, barred: Callable[[Moment], bool]
) -> list[tuple[Ground, Moment]]:
    """The acts without words of one's own that are possible and not barred."""
    wordless = [ground for ground in yard.available(state, member) if Slot.WORDS not in ground.verb.slots]
    moments = yard.moments(state, member, wordless, round_number)
    return [(ground, moment) for ground, moment in zip(wordless, moments, strict=True) if not barred(moment)]
