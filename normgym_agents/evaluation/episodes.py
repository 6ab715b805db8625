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
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from normgym_agents.community.cards import deal_cards
from normgym_agents.community.episode import Backstage, Interrupted, Json
from normgym_agents.community.log import EVENTS
from normgym_agents.community.loop import play_loop
from normgym_agents.community.personas import AuthoredMember, NormCard, Persona, read_community
from normgym_agents.errors import CommunityError, LeftEarly, ModelError, NewcomerError
from normgym_agents.evaluation.config import Driver, Limits
from normgym_agents.evaluation.hindsight import realised
from normgym_agents.evaluation.interview import NOT_ASKED, interviewed
from normgym_agents.evaluation.knowledge import Interview
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.records import Clock, MembersClock, Record
from normgym_agents.evaluation.table import Table
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.telemetry import NO_SPANS, EpisodeSpans
from normgym_agents.worlds.arrangement import arrange
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.programme import Transcript

if TYPE_CHECKING:
    from normgym_agents.community.minds.ensemble import Ensemble
    from normgym_agents.community.minds.models import MemberModels, MemberUsage
    from normgym_agents.worlds.world import World

_LOG = logging.getLogger(__name__)

OUTCOMES: tuple[tuple[type[Exception], Outcome], ...] = (
    (ModelError, Outcome.MODEL_FAILED),
    (NewcomerError, Outcome.NEWCOMER_FAILED),
    (CommunityError, Outcome.COMMUNITY_FAILED),
    (LeftEarly, Outcome.CANCELLED),
)
"""Which error ends an episode how."""


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
    members: MemberModels | None = None,
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
        members: The models that speak for the members; None where they are scripted.

    Raises:
        BadInput: A factory made something that is no newcomer, or the newcomer runs only with something that
            nobody gave; how an agent is connected is not scored.
    """
    started, begun = datetime.now(UTC), time.monotonic()
    known = world.cast.newcomer if name is None else name
    table = Table(factory, seed, limits, spans, known)
    arrangement = arrange(world, condition, trial, transcript=transcript)
    authored = people(world.setting.name)
    cards = deal_cards(arrangement, authored)
    personas = tuple(authored[member.persona].persona for member in world.cast.members)
    ensemble = None if members is None else _ensemble(members, world, cards, personas)
    backstage = Backstage(
        arrangement=arrangement,
        cards=cards,
        ask=table.ask,
        spans=spans,
        personas=personas,
        ensemble=ensemble,
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
            if not isinstance(failure.__cause__, CommunityError):
                # The only trace of a fault of ours, beside the record: here is where it stops.
                _LOG.error("%s under %s: the community failed", world.id, condition, exc_info=failure)
            log = table.end(failure, failure.log)
        finally:
            await table.clear()
        if table.refused is not None:
            raise table.refused
        outcome, error = _outcome(table)
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
                members=None if ensemble is None else _used(ensemble.usage),
            ),
        )
        if ensemble is not None and not ensemble.voiced:
            record = record.model_copy(update={"evidence": await asyncio.to_thread(realised, record, world)})
        _report(spans, record)
    return record


def _ensemble(
    members: MemberModels, world: World, cards: tuple[NormCard, ...], personas: tuple[Persona, ...]
) -> Ensemble:
    from normgym_agents.community.minds.ensemble import Ensemble

    return Ensemble(members, world, cards, personas)


def _used(usage: MemberUsage) -> MembersClock:
    return MembersClock(
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        prompt_characters=usage.prompt_characters,
        first_characters=usage.first_characters,
        prefix_characters=usage.prefix_characters,
        least_share=None if usage.least_share is None else round(usage.least_share, 6),
    )


async def _play(backstage: Backstage, driver: Driver, table: Table) -> list[Json]:
    if not await table.seat(backstage.world.cast.newcomer):
        return []
    if driver == "loop":
        return await play_loop(backstage)
    from normgym_agents.community.graph import play_graph

    return await play_graph(backstage)


def _outcome(table: Table) -> tuple[Outcome, str | None]:
    """How the episode ended, and what went wrong."""
    if table.failure is None:
        return Outcome.COMPLETED, table.left_badly
    return next(outcome for kind, outcome in OUTCOMES if isinstance(table.failure, kind)), str(table.failure)


def _report(spans: EpisodeSpans, record: Record) -> None:
    spans.outcome(record.outcome.value)
    scores = record.scores
    if scores is None:
        return
    spans.evaluation_result("joint_success", float(scores.joint), "pass" if scores.joint else "fail")
    spans.evaluation_result("task_success", float(scores.task))
    if scores.opportunities:
        spans.evaluation_result("violation_rate", scores.violations / scores.opportunities)
