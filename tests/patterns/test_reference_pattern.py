"""What the reference newcomers must show, over at least 40 worlds where a suite has them.

Ignoring, copying and memorising get nowhere; knowing and inferring get there. If this pattern breaks, the
worlds measure something else than they say.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from functools import cache

import pytest

from normgym_agents.evaluation.records import Record
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.reference import POLICIES, PolicyNewcomer
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import BASE, Condition
from normgym_agents.worlds.draws import uniform
from normgym_agents.worlds.policies import UNINFERRING, ToldOracle
from normgym_agents.worlds.public import NewcomerView
from normgym_agents.worlds.suites import available_suites, load_suite
from normgym_agents.worlds.world import World
from tests.community.playing import named, play

LIVE, NONE, TOLD, OTHERS = Condition.LIVE, Condition.NONE, Condition.TOLD, Condition.OTHERS


@cache
def worlds() -> tuple[World, ...]:
    """The first 40 worlds (20 twin pairs) of `core`."""
    suite = load_suite("core" if "core" in available_suites() else "quick")
    return suite.first(40).worlds


def pairs() -> list[tuple[World, World]]:
    listed = list(zip(worlds()[::2], worlds()[1::2], strict=True))
    assert all(one.twin == other.id and other.twin == one.id for one, other in listed)
    return listed


@cache
def every_record() -> dict[tuple[str, Condition], dict[str, Record]]:
    """A record of every reference newcomer under every condition, by world; seeds of their own, as in a run."""
    found: dict[tuple[str, Condition], dict[str, Record]] = defaultdict(dict)

    async def visit(world: World) -> None:
        seed = int(uniform("seed", world.id) * 2**32)
        for name in POLICIES:
            for condition in BASE:
                record = await play(world, condition, named(name), seed=seed)
                found[name, condition][world.id] = record

    async def visit_all() -> None:
        # World by world, and twins together: planners are laid out once for all who plan the same day.
        for one, other in pairs():
            await asyncio.gather(visit(one), visit(other))

    asyncio.run(visit_all())
    return found


def played(name: str, condition: Condition) -> dict[str, Record]:
    """A record of every world, by id."""
    return every_record()[name, condition]


def joint(name: str, condition: Condition) -> float:
    records = played(name, condition)
    return sum(r.scores is not None and r.scores.joint for r in records.values()) / len(records)


def twin_success(name: str, condition: Condition) -> float:
    records = played(name, condition)
    both = [all(records[w.id].scores.joint for w in pair) for pair in pairs()]  # type: ignore[union-attr]  # all scored
    return sum(both) / len(both)


def test_no_episode_is_vacuous_or_unscored():
    """A world in which nothing could be broken would make any rate below look better than it is."""
    for condition in BASE:
        for record in played("norm-blind", condition).values():
            assert record.scores is not None
            assert not record.scores.vacuous
            assert record.scores.task


@pytest.mark.parametrize(
    ("name", "condition"),
    [("told-oracle", TOLD), ("ideal-observer", TOLD), ("ideal-observer", LIVE), ("ideal-observer", OTHERS)],
)
def test_knowing_or_inferring_succeeds(name, condition):
    assert joint(name, condition) >= 0.95
    assert twin_success(name, condition) >= 0.9


@pytest.mark.parametrize("condition", BASE)
@pytest.mark.parametrize("name", UNINFERRING)
def test_neither_chance_nor_copying_nor_remembering_succeeds(name, condition):
    assert joint(name, condition) <= 0.05
    assert twin_success(name, condition) == 0


def test_those_who_could_break_do():
    """What fails, fails by breaking norms, except who never acts: that one fails at its task."""
    for name in ("norm-blind", "memorise-own", "copy-majority"):
        for record in played(name, OTHERS).values():
            assert record.scores is not None
            assert record.scores.violations > 0 or not record.scores.task
    assert sum(r.scores.violations > 0 for r in played("norm-blind", NONE).values() if r.scores) == len(
        worlds()
    )
    for record in played("always-abstain", NONE).values():
        assert record.scores is not None
        assert (record.scores.task, record.scores.violations) == (False, 0)
        # It leaves undone what was permitted and needed: over-compliance is seen.
        assert record.scores.near_abstained == record.scores.near_met


@pytest.mark.parametrize("name", [name for name in POLICIES if name != "random"])
def test_without_evidence_no_policy_passes_both_twins(name):
    """Without evidence twins show the same bytes, so a deterministic policy does the same in both; and no plan
    within the budget keeps both norm sets (the certificate's sixth point). So the bound is 0, exactly."""
    acts = {
        record.world: [(e.act, e.round) for e in record.events if e.kind == "act"]
        for record in played(name, NONE).values()
    }
    for one, other in pairs():
        shorter = min(len(acts[one.id]), len(acts[other.id]))
        assert acts[one.id][:shorter] == acts[other.id][:shorter]
    assert twin_success(name, NONE) == 0


def test_without_evidence_twins_show_the_same_words():
    """The premise of the bound above, down to the text: a reader of both could not tell which it is in."""
    texts: dict[str, list[str]] = defaultdict(list)

    def reading(world: World) -> NewcomerFactory:
        mind = named("norm-blind")(0)

        class Reading(PolicyNewcomer):
            async def turn(self, observation):
                texts[world.id].append(observation.text + observation.view.model_dump_json())
                return await mind.turn(observation)

        return lambda _: Reading(POLICIES["norm-blind"](0))

    async def every() -> None:
        for world in worlds():
            await play(world, NONE, reading(world))

    asyncio.run(every())
    for one, other in pairs():
        assert texts[one.id] == texts[other.id]


class _Believing(ToldOracle):
    """Acts on norms that it takes for granted, told or not."""

    def __init__(self, norms: tuple[str, ...]) -> None:
        super().__init__()
        self._norms = norms

    def choose(self, view: NewcomerView) -> Act:
        return super().choose(view.model_copy(update={"told": self._norms}))


def test_chance_on_twins_is_one_in_four():
    """The best guesser knows both norm sets and tosses a coin in each world.

    A policy that passes one twin with probability p passes the other with at most 1 - p, as no plan keeps both; with independent coins both pass with p(1 - p) <= 1/4 at most. Here every pair reaches the bound: a guess
    passes where it is right and nowhere else, so of the four pairs of guesses exactly one passes both.
    """

    async def passes(world: World, believed: World) -> bool:
        record = await play(world, NONE, lambda _: PolicyNewcomer(_Believing(believed.norms)))
        assert record.scores is not None
        # Opportunities aside: the bound is about plans, and a careful plan may meet none.
        return record.scores.task and record.scores.violations == 0

    async def check() -> None:
        for one, other in pairs():
            assert [await passes(one, one), await passes(other, other)] == [True, True]
            assert [await passes(one, other), await passes(other, one)] == [False, False]

    asyncio.run(check())


def test_random_newcomers_differ_between_worlds():
    """A seed of their own each: else `random` on twins would be no chance at all."""
    first = {tuple(_acts(record.events)[:4]) for record in played("random", NONE).values()}
    assert len(first) > len(worlds()) // 2


def _acts(events):
    return [event.act for event in events if event.kind == "act"]
