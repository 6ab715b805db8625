"""An episode: its state, which is public to the machinery, and its backstage, which is not.

The state is plain JSON, so that LangGraph can stream and checkpoint it, and holds nothing that is secret:
personas, cards and norms stay in the `Backstage`, which no channel ever sees.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

# Not typing's: under Python 3.11 pydantic makes no schema of that, and Studio asks for one.
from typing_extensions import TypedDict

from normgym_agents.community.personas import NormCard, Persona
from normgym_agents.community.standing import Memory, Standing
from normgym_agents.errors import CommunityError
from normgym_agents.norms.language import parse_norm
from normgym_agents.norms.norm import Norm
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.arrangement import Arrangement
from normgym_agents.worlds.days import Day
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.world import World

if TYPE_CHECKING:
    from normgym_agents.community.minds.ensemble import Ensemble

Json = dict[str, Any]


class EpisodeState(TypedDict):
    """What the community's channels hold.

    Attributes:
        phase: The phase, by name; empty before the first round.
        day: The day, from 1; 0 before the first round.
        round: The round of the day, from 1; 0 in the morning.
        log: The events so far, as plain JSON (`log.Event`).
        intents: What the members mean to do in this round, in any order.
        spoken: What members with models say with that, in any order.
        plans: What members that decide for themselves mean to do in the next.
        reply: What came back from the newcomer in this round.
        ended: Whether the episode is over.
    """

    phase: str
    day: int
    round: int
    log: list[Json]
    intents: list[Json]
    spoken: list[Json]
    plans: list[Json]
    reply: Json | None
    ended: bool


class Asked(NamedTuple):
    """The end of a newcomer's turn.

    Attributes:
        reply: The last reply; None if the newcomer or its model broke.
        times: How often it was asked.
    """

    reply: Reply | None
    times: int


Ask = Callable[[Observation], Awaitable[Asked]]
"""Puts an observation before the newcomer, and brings back what it does."""


@dataclass(frozen=True, kw_only=True)
class Backstage:
    """Everything an episode needs that no channel may hold.

    Attributes:
        arrangement: The world, as the condition arranges it.
        cards: Per member (in the world's order) its private card.
        ask: How the newcomer is reached.
        spans: Where spans go.
        personas: Per member who it is; only models need to know.
        ensemble: The members that models speak for; None where all are scripted.
    """

    arrangement: Arrangement
    cards: tuple[NormCard, ...]
    ask: Ask
    spans: EpisodeSpans = NO_SPANS
    personas: tuple[Persona, ...] = ()
    ensemble: Ensemble | None = None
    _held_of: dict[tuple[Norm, ...], tuple[tuple[int, ...], ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    @property
    def world(self) -> World:
        """The world."""
        return self.arrangement.world

    @property
    def days(self) -> tuple[Day, ...]:
        """The days of the episode, in order."""
        return self.arrangement.days

    @cached_property
    def held(self) -> tuple[tuple[Norm, ...], ...]:
        """Per member the norms on its card."""
        return tuple(tuple(parse_norm(norm.rule) for norm in card.norms) for card in self.cards)

    def held_on(self, day: Day) -> tuple[tuple[int, ...], ...]:
        """Per member which of a day's norms stand on its card; permits are nothing to answer for."""
        norms = day.in_force.norms
        if norms not in self._held_of:
            self._held_of[norms] = tuple(
                tuple(i for i, norm in enumerate(norms) if norm in card and norm.deontic != "permit")
                for card in self.held
            )
        return self._held_of[norms]

    def today(self, state: EpisodeState) -> Day:
        """The day that the state is at."""
        return self.days[state["day"] - 1]

    def standing(self, state: EpisodeState) -> Standing:
        """How things stand, on the state's day and after its log."""
        return self._memory.after(self.arrangement, state["log"], state["day"])


def opening() -> EpisodeState:
    """The state before the first round."""
    return EpisodeState(
        phase="", day=0, round=0, log=[], intents=[], spoken=[], plans=[], reply=None, ended=False
    )


def where(state: EpisodeState) -> Json:
    """Where in an episode an event of this round stands, as every event of the log says it."""
    return {"phase": state["phase"], "day": state["day"], "round": state["round"]}


class Interrupted(CommunityError):
    """A step of the community failed. The message says how and where.

    Args:
        error: What was raised.
        log: The log up to the step that failed, which left nothing in it.
    """

    def __init__(self, error: Exception, log: list[Json]) -> None:
        self.log = log
        if isinstance(error, CommunityError):  # which says by itself what went wrong
            super().__init__(str(error))
            return
        frames = traceback.extract_tb(error.__traceback__)
        place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        super().__init__(f"{type(error).__name__}: {error}{place}".replace("\n", " "))
