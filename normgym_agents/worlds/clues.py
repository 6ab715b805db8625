"""What an event tells of the norms in force, and how beliefs take it in.

Every mind that learns reads events here, so that none overlooks what another learns from.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from normgym_agents.norms.hypotheses import HypothesisSpace, Table
from normgym_agents.norms.moments import Moment
from normgym_agents.worlds.public import PublicEvent


class Clue(NamedTuple):
    """An event, without what says nothing of norms: who answered how, and when.

    Attributes:
        moment: What was done, as norms see it.
        answered: Whether somebody answered it.
        passed: What was as open to the actor and passed over, where everybody could see that.
        easier: Whether that was the easier one.
    """

    moment: Moment
    answered: bool
    passed: Moment | None
    easier: bool


def clues_of(events: Iterable[PublicEvent]) -> tuple[Clue, ...]:
    """What the events tell, one after the other."""
    return tuple(Clue(event.moment, bool(event.answers), event.passed, event.easier) for event in events)


class Observer(Protocol):
    """Beliefs about the norms in force, updated event by event."""

    def restart(self) -> None:
        """Forget all evidence: it was announced that other norms hold from now on."""

    def observe(self, broken: NDArray[np.bool_], *, sanctioned: bool) -> None:
        """Take in an act that was answered, or was not."""

    def observe_choice(self, taken: NDArray[np.bool_], passed: NDArray[np.bool_], *, easier: bool) -> None:
        """Take in an act for which another was visibly passed over."""

    def violation_probability(self, table: Table, *, negligible: float = 0.0) -> NDArray[np.float64]:
        """P(the act breaks a norm) per moment."""


def take_in(observer: Observer, space: HypothesisSpace, clues: Iterable[Clue]) -> None:
    """Update beliefs by what was seen: by choices where something was visibly passed over, else by answers."""
    clues = tuple(clues)
    taken = space.table([clue.moment for clue in clues]).T
    passed = space.table([clue.passed or clue.moment for clue in clues]).T
    for broken, other, clue in zip(taken, passed, clues, strict=True):
        if clue.passed is not None:
            observer.observe_choice(broken, other, easier=clue.easier)
        else:
            observer.observe(broken, sanctioned=clue.answered)
