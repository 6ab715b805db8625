"""One episode: a newcomer in a world under a condition, from joining to the record.

Whatever ends an episode becomes its outcome here, by the class of the error alone: this holds the only
table from errors to outcomes. Whatever a newcomer raises is its own failure, and whatever else is raised is
the community's, so that a bad episode is data and never ends a run. Being cancelled is no outcome; it is
passed on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Asked, Backstage, Interrupted, Json
from normgym_agents.community.log import EVENTS
from normgym_agents.community.loop import play_loop
from normgym_agents.community.personas import AuthoredMember, read_community
from normgym_agents.community.question import question_for
from normgym_agents.errors import CommunityError, ModelError, NewcomerError, NormgymError
from normgym_agents.evaluation.config import Driver, Limits
from normgym_agents.evaluation.interview import NOT_ASKED, interviewed
from normgym_agents.evaluation.knowledge import Interview
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Clock, Record
from normgym_agents.newcomers.callables import reply_from
from normgym_agents.newcomers.containment import contained
from normgym_agents.newcomers.contract import Newcomer, NewcomerFactory, waits_for_model
from normgym_agents.newcomers.offering import shown
from normgym_agents.newcomers.reporting import Told, ask_for_norms
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.programme import Transcript
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

if TYPE_CHECKING:
    from normgym_agents.worlds.world import World

_LOG = logging.getLogger(__name__)

T = TypeVar("T")

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
    name: str | None = None,
    transcript: Transcript | None = None,
    report: bool = False,
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
        name: What spans call the newcomer, its spec for one; None for its name in the world.
        transcript: What the same newcomer did under `own` in the same trial; for `yoked` alone.
        report: Whether the newcomer is asked for the norms at the end.

    Raises:
        BadInput: A factory made something that is no newcomer.
    """
    started, begun = datetime.now(UTC), time.monotonic()
    known = world.cast.newcomer if name is None else name
    table = _Table(factory, seed, limits, spans, known)
    arrangement = arrange(world, condition, trial, transcript=transcript)
    backstage = Backstage(
        arrangement=arrangement,
        cards=deal_cards(arrangement, people(world.setting.name)),
        ask=table.ask,
        spans=spans,
    )
    interview: Interview | None = None
    with spans.episode(world=world.id, condition=condition.value, trial=trial, newcomer=known):
        try:
            log = await _play(backstage, driver, table)
            over = time.monotonic()
            if report:
                interview = await interviewed(lambda: table.report(world.setting.title), world, condition)
            begun += time.monotonic() - over  # the time that an episode takes is that of the acting
        except Interrupted as failure:
            # The only trace of a fault of ours, beside the record: here is where it stops.
            _LOG.error("%s under %s: the community failed", world.id, condition, exc_info=failure)
            log = table.end(failure, failure.log)
        finally:
            await table.clear()
        outcome, error = table.outcome()
        record = Record.of(
            world,
            condition,
            trial,
            outcome=outcome,
            events=EVENTS.validate_python(log),
            error=error,
            interview=interview if interview is not None or not report else NOT_ASKED,
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
    """Where the newcomer sits: every call to it passes here, contained and under a deadline."""

    def __init__(
        self, factory: NewcomerFactory, seed: int, limits: Limits, spans: EpisodeSpans, known: str
    ) -> None:
        self._factory, self._seed, self._limits, self._spans = factory, seed, limits, spans
        self._newcomer: Newcomer | None = None
        self._known = known
        self._failure: NormgymError | None = None
        self._left_badly: str | None = None
        self._seen: NewcomerView | None = None
        self.usage = _Usage()

    async def seat(self, name: str) -> bool:
        """Make the newcomer and let it join; False if it broke.

        Raises:
            BadInput: A factory made something that is no newcomer.
        """

        async def join() -> None:
            self._newcomer = self._factory(self._seed)
            await self._newcomer.join(name)

        try:
            await self._within(self._limits.deadline, "did not join", join)
        except (NewcomerError, ModelError) as failure:
            self._failure = failure
        return self._failure is None

    async def ask(self, observation: Observation) -> Asked:
        """One turn, with one re-ask if no act could be read from the reply."""
        times = 1
        self._seen = observation.view
        try:
            reply = await self._turn(observation)
            if reply.fault is not None:
                times = 2
                again = Observation.model_construct(
                    text=reply.fault, view=observation.view, retry=reply.fault
                )
                with shown(observation):
                    reply = await self._turn(again)
        except (NewcomerError, ModelError) as failure:
            self._failure = failure
            return Asked(None, times)
        return Asked(reply, times)

    async def _turn(self, observation: Observation) -> Reply:
        newcomer = self._newcomer
        if newcomer is None:
            raise CommunityError("nobody has joined")

        async def turn() -> Reply:
            reply = await newcomer.turn(observation)
            if not isinstance(reply, Reply):
                raise NewcomerError(f"the agent returned {type(reply).__name__}, and not a Reply")
            fit = _fit(reply, observation)
            self.usage.add(fit)
            return fit

        with self._spans.turn(self._known, observation.text) as span:
            try:
                reply = await self._within(self._limits.deadline, "no reply", turn)
            except (NewcomerError, ModelError):
                raise
            except NormgymError as error:  # of our classes, raised by the agent: its failure all the same
                raise NewcomerError(str(error)) from error
            span.reply(reply.words)
        return reply

    async def report(self, title: str) -> Told | None:
        """What the newcomer says of the norms; None if it cannot be asked, having broken or never acted.

        Args:
            title: How the setting is called.

        Raises:
            NormgymError: Nothing came of asking.
        """
        newcomer = self._newcomer
        if newcomer is None or self._seen is None or self._failure is not None:
            return None
        question = question_for(self._seen, title)
        with self._spans.report(self._known, question.text) as span:
            told = await self._within(
                self._limits.deadline, "no report", lambda: ask_for_norms(newcomer, question)
            )
            span.reply(told if isinstance(told, str) else "\n".join(norm.norm for norm in told))
        return told

    async def clear(self) -> None:
        """Let the newcomer leave. That it does so badly is noted, and changes nothing that was measured."""
        if self._newcomer is None:
            return
        try:
            await self._within(LEAVING, "did not leave", self._newcomer.leave)
        except NormgymError as failure:
            self._left_badly = f"on leaving: {failure}"

    async def _within(self, seconds: float, late: str, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await contained(call, by_contract=True)
        except TimeoutError:
            if waits_for_model(self._newcomer):
                raise ModelError(f"no answer from the model within {seconds:g} s") from None
            raise NewcomerError(f"{late} within {seconds:g} s") from None

    def end(self, failure: CommunityError, log: list[Json]) -> list[Json]:
        """End the episode by a failure that is not the newcomer's; gives back the log."""
        self._failure = failure
        return log

    def outcome(self) -> tuple[Outcome, str | None]:
        """How the episode ended, and what went wrong."""
        if self._failure is None:
            return Outcome.COMPLETED, self._left_badly
        outcome = next(outcome for kind, outcome in OUTCOMES if isinstance(self._failure, kind))
        return outcome, str(self._failure)


def _fit(reply: Reply, observation: Observation) -> Reply:
    """The reply, fit for the log: its act can be done now, its words hold nothing that a reader trips over."""
    view, act = observation.view, reply.act
    counted = (reply.model_calls, reply.input_tokens, reply.output_tokens)
    if act in view.available and not reply.words and reply.fault is None and counted == (None, None, None):
        return reply  # what a policy gives, thousands of times
    return reply_from(reply, view)
