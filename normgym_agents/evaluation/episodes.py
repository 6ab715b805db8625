"""One episode: a newcomer in a world under a condition, from joining to the record.

Whatever ends an episode becomes its outcome here, by the class of the error alone: this holds the only
table from errors to outcomes. Being cancelled is no outcome; it is passed on.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage, Json
from normgym_agents.community.log import EVENTS, Event
from normgym_agents.community.loop import play_loop
from normgym_agents.community.personas import AuthoredMember, read_community
from normgym_agents.errors import CommunityError, ModelError, NewcomerError
from normgym_agents.evaluation.config import Driver, Limits
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Clock, Record
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Observation, Reply

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

OUTCOMES: tuple[tuple[type[Exception], Outcome], ...] = (
    (ModelError, Outcome.MODEL_FAILED),
    (NewcomerError, Outcome.NEWCOMER_FAILED),
    (CommunityError, Outcome.COMMUNITY_FAILED),
)
"""Which error ends an episode how."""

LEAVING = 10.0
"""Seconds a newcomer has to give back what it holds."""


@cache
def people(setting: str) -> dict[str, AuthoredMember]:
    """The authored members of a setting's community, by persona id."""
    _, members = read_community(setting)
    return {member.key: member for member in members}


async def play_episode(
    world: World,
    condition: Condition,
    trial: int,
    factory: NewcomerFactory,
    *,
    driver: Driver,
    spans: EpisodeSpans = NO_SPANS,
    limits: Limits,
    seed: int = 0,
) -> Record:
    """Play one episode and return its record.

    Args:
        world: The world.
        condition: Which evidence the newcomer gets.
        trial: Which trial, from 0.
        factory: Makes the newcomer of this episode.
        driver: How rounds are driven; both give the same log.
        spans: Where spans go.
        limits: What the newcomer is allowed.
        seed: Seeds what the newcomer draws.

    Raises:
        BadInput: A factory made something that is no newcomer.
    """
    started, begun = datetime.now(UTC), time.monotonic()
    table = _Table(factory, seed, limits, spans)
    backstage = Backstage(
        world=world,
        condition=condition,
        trial=trial,
        cards=deal_cards(world, people(world.setting.name)),
        ask=table.ask,
        spans=spans,
    )
    with spans.episode(world=world.id, condition=condition.value, trial=trial, newcomer=world.cast.newcomer):
        try:
            log = await _play(backstage, driver, table)
        finally:
            await table.clear()
        outcome, error = table.outcome()
        record = Record.of(
            world,
            condition,
            trial,
            outcome=outcome,
            events=_checked(log),
            error=error,
            clock=Clock(
                started=started.isoformat(),
                seconds=round(time.monotonic() - begun, 6),
                trace_id=spans.trace_id,
                model_calls=table.usage.model_calls,
                input_tokens=table.usage.input_tokens,
                output_tokens=table.usage.output_tokens,
            ),
        )
        _report(spans, record)
    return record


async def _play(backstage: Backstage, driver: Driver, table: _Table) -> list[Json]:
    if not await table.seat(backstage.world.cast.newcomer):
        return []
    if driver == "loop":
        return await play_loop(backstage)
    from normgym_agents.community.graph import play_graph

    return await play_graph(backstage)


def _checked(log: list[Json]) -> list[Event]:
    return EVENTS.validate_python(log)


def _report(spans: EpisodeSpans, record: Record) -> None:
    spans.outcome(record.outcome.value)
    scores = record.scores
    if scores is None:
        return
    spans.evaluation_result("joint_success", float(scores.joint), "pass" if scores.joint else "fail")
    spans.evaluation_result("task_success", float(scores.task))
    if scores.opportunities:
        spans.evaluation_result("violation_rate", scores.violations / scores.opportunities)


@dataclass
class _Usage:
    """What an episode cost at a model provider, as far as it can be seen."""

    model_calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None

    def add(self, reply: Reply) -> None:
        for name in ("model_calls", "input_tokens", "output_tokens"):
            spent = getattr(reply, name)
            if spent is not None:
                setattr(self, name, (getattr(self, name) or 0) + spent)


class _Table:
    """Where the newcomer sits: every call to it passes here, under its deadline."""

    def __init__(self, factory: NewcomerFactory, seed: int, limits: Limits, spans: EpisodeSpans) -> None:
        self._factory, self._seed, self._limits, self._spans = factory, seed, limits, spans
        self._newcomer: Newcomer | None = None
        self._name = ""
        self._failure: Exception | None = None
        self.usage = _Usage()

    async def seat(self, name: str) -> bool:
        """Make the newcomer and let it join; False if it broke."""
        self._name = name
        try:
            async with asyncio.timeout(self._limits.deadline):
                self._newcomer = self._factory(self._seed)
                await self._newcomer.join(name)
        except TimeoutError:
            self._failure = NewcomerError(f"did not join within {self._limits.deadline:g} s")
        except (NewcomerError, ModelError) as failure:
            self._failure = failure
        return self._failure is None

    async def ask(self, observation: Observation) -> Asked:
        """One turn, with one re-ask if no act could be read from the reply."""
        try:
            reply = await self._turn(observation)
            if reply.fault is None:
                return Asked(reply, 1)
            again = Observation.model_construct(text=reply.fault, view=observation.view, retry=reply.fault)
            return Asked(await self._turn(again), 2)
        except (NewcomerError, ModelError) as failure:
            self._failure = failure
            return Asked(None, 1)

    async def _turn(self, observation: Observation) -> Reply:
        if self._newcomer is None:
            raise CommunityError("nobody has joined")
        with self._spans.turn(self._name, observation.text) as turn:
            try:
                async with asyncio.timeout(self._limits.deadline):
                    reply = await self._newcomer.turn(observation)
            except TimeoutError:
                raise NewcomerError(f"no reply within {self._limits.deadline:g} s") from None
            turn.reply(reply.words)
        self.usage.add(reply)
        return _possible(reply, observation)

    async def clear(self) -> None:
        """Let the newcomer leave; that it does so badly changes nothing that was measured."""
        if self._newcomer is None:
            return
        with suppress(NewcomerError, ModelError, TimeoutError):
            async with asyncio.timeout(LEAVING):
                await self._newcomer.leave()

    def outcome(self) -> tuple[Outcome, str | None]:
        """How the episode ended, and what went wrong."""
        if self._failure is None:
            return Outcome.COMPLETED, None
        for kind, outcome in OUTCOMES:
            if isinstance(self._failure, kind):
                return outcome, str(self._failure)
        raise self._failure


def _possible(reply: Reply, observation: Observation) -> Reply:
    """The reply, unless its act cannot be done now: then a fault in plain words."""
    if reply.act is None or reply.act.model_copy(update={"say": None}) in observation.view.available:
        return reply
    menu = " · ".join(observation.view.menu)
    return reply.model_copy(update={"act": None, "fault": f"That cannot be done now. You can: {menu}"})
