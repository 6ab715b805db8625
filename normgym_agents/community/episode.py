"""The state of an episode, and the log's projection onto how things stand.

The state is plain JSON, so that LangGraph can stream and checkpoint it, and holds nothing that is secret:
personas, cards and norms stay in the `Backstage`, which no channel ever sees. How things stand is not
kept beside the log but read off it, so the two can never disagree.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypedDict

from normgym_agents.community.personas import NormCard
from normgym_agents.norms.moments import Moment
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import Condition, Phase
from normgym_agents.worlds.public import Answer, Observation, PublicEvent, PublicSanction, Reply
from normgym_agents.worlds.stage import Stage, State
from normgym_agents.worlds.transition import Ground, Yard
from normgym_agents.worlds.views import public_event
from normgym_agents.worlds.world import World

Json = dict[str, Any]


class EpisodeState(TypedDict):
    """What the community's channels hold.

    Attributes:
        phase: The phase, by name; empty before the first round.
        day: The day, from 1.
        round: The round of the day, from 1; 0 in the morning.
        log: The events so far, as plain JSON (`log.Event`).
        intents: What the members mean to do in this round, in any order.
        reply: What came back from the newcomer in this round.
        ended: Whether the episode is over.
    """

    phase: str
    day: int
    round: int
    log: list[Json]
    intents: list[Json]
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
        world: The world.
        condition: Which evidence the newcomer gets.
        trial: Which trial, from 0: practice tosses other coins in each.
        cards: Per member (in the world's order) its private card.
        ask: How the newcomer is reached.
        spans: Where spans go.
    """

    world: World
    condition: Condition
    trial: int
    cards: tuple[NormCard, ...]
    ask: Ask
    spans: EpisodeSpans = NO_SPANS
    memory: _Memory = field(default_factory=lambda: _Memory())

    @cached_property
    def days(self) -> tuple[tuple[Phase, int], ...]:
        """Phase and index of each day of the episode, in order."""
        return tuple(
            (phase, i)
            for phase in self.condition.phases
            for i in range(len(self.world.watch) if phase is Phase.WATCH else 1)
        )

    def stage(self, day: int) -> Stage:
        """The set-up of a day, from 1."""
        phase, index = self.days[day - 1]
        return self.world.watch[index].stage if phase is Phase.WATCH else self.world.day(phase).stage

    def read(self, log: Sequence[Json]) -> Projection:
        """How things stand after the log; only what is new in it is worked through."""
        return self.memory.read(self, log)


def opening() -> EpisodeState:
    """The state before the first round."""
    return EpisodeState(phase="", day=0, round=0, log=[], intents=[], reply=None, ended=False)


class Done(NamedTuple):
    """An act that took place, with what it is judged by."""

    entry: Mapping[str, Any]
    yard: Yard
    before: State
    actor: int
    ground: Ground
    moment: Moment


@dataclass
class Projection:
    """What follows from a log.

    Attributes:
        day: The day that the last event stands in.
        yard: Its transition model.
        state: How things stand.
        events: What everybody saw, answers included.
        done: Acts of the latest round that had any, with what they are judged by.
        answered: How often each member has answered each person, by (member, whom).
    """

    day: int = 0
    yard: Yard | None = None
    state: State | None = None
    events: list[PublicEvent] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    answered: dict[tuple[str, str], int] = field(default_factory=dict)


class _Memory:
    """Remembers the projection of the longest log seen; a log that is no continuation starts anew."""

    def __init__(self) -> None:
        self._taken: list[Json] = []
        self._projection = Projection()

    def read(self, backstage: Backstage, log: Sequence[Json]) -> Projection:
        known = len(self._taken)
        if known > len(log) or (known and self._taken[-1] != log[known - 1]):
            self._taken, self._projection, known = [], Projection(), 0
        for entry in log[known:]:
            self._take_in(backstage, entry)
            self._taken.append(entry)
        return self._projection

    def open_day(self, backstage: Backstage, day: int) -> Projection:
        """Set the stage of a day that has no events yet."""
        projection = self._projection
        if projection.day != day:
            yard = backstage.world.yard(*backstage.days[day - 1])
            projection.day, projection.yard, projection.state = day, yard, yard.stage.morning()
            projection.done = []
        return projection

    def _take_in(self, backstage: Backstage, entry: Json) -> None:
        projection = self.open_day(backstage, entry["day"])
        if entry["kind"] == "act" and entry["act"] is not None:
            self._act(backstage, projection, entry)
        elif entry["kind"] == "sanction":
            self._sanction(projection, entry)

    def _act(self, backstage: Backstage, projection: Projection, entry: Json) -> None:
        yard, state = projection.yard, projection.state
        if yard is None or state is None:
            raise RuntimeError("an act stands in the log before its day")
        actor = next(i for i, person in enumerate(yard.stage.people) if person.name == entry["actor"])
        ground = yard.ground(Act(**entry["act"]))
        if ground is None or not yard.possible(state, actor, ground):
            raise RuntimeError(f"an impossible act stands in the log: {entry['act']}")
        event = public_event(
            backstage.world.setting, yard, state, actor, ground, day=entry["day"], round_number=entry["round"]
        )
        if projection.done and projection.done[-1].entry["round"] != entry["round"]:
            projection.done = []
        projection.done.append(Done(entry, yard, state, actor, ground, event.moment))
        projection.events.append(event)
        projection.state = yard.step(state, actor, ground)

    def _sanction(self, projection: Projection, entry: Json) -> None:
        pair = (entry["member"], entry["whom"])
        projection.answered[pair] = projection.answered.get(pair, 0) + 1
        sanction = PublicSanction(
            member=entry["member"],
            whom=entry["whom"],
            answer=Answer(entry["answer"]),
            act=None if entry["act"] is None else Act(**entry["act"]),
            context=entry["context"],
        )
        for i in range(len(projection.events) - 1, -1, -1):
            event = projection.events[i]
            if event.actor == entry["whom"] and event.round == entry["round"] and event.day == entry["day"]:
                projection.events[i] = event.model_copy(update={"answers": (*event.answers, sanction)})
                return
        raise RuntimeError("a sanction stands in the log without an act")
