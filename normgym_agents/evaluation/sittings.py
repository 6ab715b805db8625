"""A person's episodes: one at a sitting, kept as a run like any other.

A run of an agent plays all that is owed at once. A person comes again and again, so a sitting plays one episode of
the plan, and the folder is a run that is on its way. Two things differ for a person's sake: no world is played
twice by the same person, also where they got up in the middle, since it cannot be new to them again; and nothing is
kept that tells when somebody sat there: no spans, and of dates the month.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import RunConfig
from normgym_agents.evaluation.episodes import play_episode
from normgym_agents.evaluation.manifest import MANIFEST_FILE, read_manifest, write_manifest
from normgym_agents.evaluation.plan import Episode, Plan, make_plan
from normgym_agents.evaluation.records import Record
from normgym_agents.evaluation.report import write_report
from normgym_agents.evaluation.results import RunResult
from normgym_agents.evaluation.runner import open_folder
from normgym_agents.evaluation.summary import SUMMARY_FILE, summarise
from normgym_agents.files import write_atomic
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.person import PERSON
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.draws import Draws

if TYPE_CHECKING:
    from normgym_agents.worlds.suites import Suite
    from normgym_agents.worlds.world import World

DEADLINE: Final = 86_400.0
"""Seconds for a turn, a day: nobody is hurried, and a terminal that was forgotten is let go of in the end."""

TOLD_BETWEEN: Final = "the person was told after each world what had been going on there"
"""What a reader must know of such a run: its later worlds are not comparable with those of others."""

_MONTH: Final = len("2000-01")


@dataclass(frozen=True, kw_only=True)
class _Person:
    """A person as a plan knows its newcomer."""

    name: str
    factory: NewcomerFactory
    kind: str = PERSON
    fingerprint: str = PERSON


@dataclass(frozen=True, kw_only=True)
class Sitting:
    """What came of a sitting.

    Attributes:
        episode: The episode that was played.
        record: Its record.
        left: How many worlds are still to come.
    """

    episode: Episode
    record: Record
    left: int


def order_of(worlds: Sequence[World], seed: int, name: str) -> list[World]:
    """The order in which one person meets the worlds.

    Twins look the same but for the evidence. So one of each pair comes in the first half, in an order and by a coin
    of the person's own, and the other as many worlds later as there are pairs.

    Args:
        worlds: Each once.
        seed: The run's seed.
        name: What the person is known by.
    """
    pairs: dict[str, list[World]] = {}
    for world in worlds:
        pairs.setdefault(world.pair, []).append(world)
    draws = Draws("sittings", seed, name)
    drawn = [draws.shuffled(pairs[pair]) for pair in draws.shuffled(list(pairs))]
    return [pair[place] for place in range(2) for pair in drawn if place < len(pair)]


def sitting_plan(
    config: RunConfig, suite: Suite, factory: NewcomerFactory, *, world: str | None = None, alone: bool
) -> Plan:
    """The episodes that a person is to play, in the order in which they come.

    Args:
        config: What is asked for: one condition, and the person's name as the newcomer.
        suite: The suite that `config.suite` names.
        factory: Makes the newcomer that is the person.
        world: The id of the world to play, or the end of it; None for the first in their order.
        alone: Whether one episode is all that they are to play.

    Raises:
        BadInput: There is no such world, or it is not certified for the condition; or the condition needs an
            earlier episode.
    """
    if Condition.YOKED in config.conditions:
        raise BadInput(
            "'yoked' shows what the same person did under 'own'", field="--condition", expected="another one"
        )
    plan = make_plan(config, _Person(name=config.newcomer, factory=factory), suite)
    by_world = {episode.world.id: episode for episode in plan.episodes}
    played = [episode.world for episode in plan.episodes]
    if world is not None:
        played = [_find(world, suite, by_world, config.conditions[0])]
    ordered = order_of(played, config.seed, config.newcomer)
    return replace(plan, episodes=tuple(by_world[one.id] for one in (ordered[:1] if alone else ordered)))


def _find(name: str, suite: Suite, playable: Mapping[str, Episode], condition: Condition) -> World:
    for world in suite.worlds:
        if world.id == name or world.id.endswith(f"-{name}"):
            if world.id not in playable:
                raise BadInput(f"{world.id} is not certified for {condition.value!r}", field="--world")
            return world
    some = [world.id for world in suite.worlds[:4]]
    raise BadInput(
        f"suite {suite.name!r} has no world {name!r}", field="--world", expected=" | ".join([*some, "…"])
    )


async def sit(plan: Plan, folder: Path, *, resume: bool) -> Sitting:
    """Play the first episode of a plan that the folder has no record of, and keep it.

    Args:
        plan: What the person is to play.
        folder: Where it is kept: missing or empty, or holding the same person's earlier episodes.
        resume: Whether it holds these.

    Raises:
        BadInput: There is none left; or the folder holds something else, or cannot be written.
        CancelledError: The caller was cancelled; nothing of the episode is kept.
    """
    with ExitStack() as stack:
        if resume and read_manifest(folder).notes != plan.notes:
            raise BadInput(
                "begun with the other choice about telling what was going on",
                file=folder / MANIFEST_FILE,
                field="--reveal",
                expected="the same as in the person's first sitting",
            )
        writer, records = open_folder(plan, folder, stack, resume=resume)
        manifest = read_manifest(folder)
        if not resume:
            write_manifest(folder, manifest.model_copy(update={"created": manifest.created[:_MONTH]}))
        owed = [episode for episode in plan.episodes if episode.key not in records]
        if not owed:
            raise BadInput(f"{plan.newcomer.name} has played every world of this run", file=folder)
        record = await _played(plan, owed[0])
        await writer.write(record)
        records[record.key] = record
        await asyncio.to_thread(_finish, plan, folder, records)
    return Sitting(episode=owed[0], record=record, left=len(owed) - 1)


async def _played(plan: Plan, episode: Episode) -> Record:
    config = plan.config
    record = await play_episode(
        episode.world,
        episode.condition,
        episode.trial,
        plan.newcomer.factory,
        driver=config.driver,
        limits=config.limits,
        seed=episode.seed,
        name=plan.newcomer.name,
        report=config.report,
    )
    clock = record.clock.model_copy(
        update={"started": record.clock.started[:_MONTH], "seconds": float(round(record.clock.seconds))}
    )
    stamped = record.stamped(key=episode.key, newcomer=plan.newcomer.name)
    return stamped.model_copy(update={"clock": clock})


def _finish(plan: Plan, folder: Path, records: Mapping[str, Record]) -> None:
    """The summary and the report of what there is by now."""
    ordered = tuple(records[key] for key in sorted(records))
    summary = summarise(
        ordered,
        newcomer=plan.newcomer.name,
        suite=plan.suite,
        seed=plan.config.seed,
        asked=len(plan.episodes),
        notes=plan.notes,
    )
    write_atomic(folder / SUMMARY_FILE, summary.to_json())
    result = RunResult(**dict(summary), records=ordered, folder=folder, warnings=plan.notes)
    write_report(folder, result, {episode.world.id: episode.world for episode in plan.episodes})
