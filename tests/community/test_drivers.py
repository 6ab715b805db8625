"""Two drivers, one log: byte for byte, one episode at a time or many, with spans or without."""

from __future__ import annotations

import asyncio

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from normgym_agents.community.steps import STEP_NAMES
from normgym_agents.errors import ModelError, NewcomerError
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.newcomers.contract import NewcomerFactory
from normgym_agents.newcomers.reference import POLICIES
from normgym_agents.telemetry import EpisodeSpans
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.conditions import BASE, Condition, Phase
from normgym_agents.worlds.public import Observation, Reply
from normgym_agents.worlds.world import World
from tests.community.playing import first_possible, motley, named, play, quick, scripted, small_world
from tests.worlds.furnishing import furnished


def _failing(after: int, error: Exception) -> NewcomerFactory:
    def reply(turn: int, observation: Observation) -> Reply | Act:
        if turn == after:
            raise error
        return first_possible(turn, observation)

    return scripted(reply)


SOME = quick().worlds[::6]
ODD: dict[str, NewcomerFactory] = {
    "breaks": _failing(4, NewcomerError("broke")),
    "breaks at once": _failing(1, NewcomerError("broke")),
    "breaks unnamed": _failing(9, ZeroDivisionError("division")),
    "model breaks": _failing(3, ModelError("429")),
    "never valid": scripted(lambda *_: Reply(fault="Nothing came.")),
}


def test_the_steps_have_one_order():
    assert STEP_NAMES == (
        "open_round", "member", "newcomer", "resolve", "referee", "sanction", "close_round",
    )  # fmt: skip


@pytest.mark.parametrize("condition", BASE)
async def test_all_of_quick_gives_equal_records_from_both_drivers_with_many_episodes_at_once(condition):
    # All episodes of the graph run at once through the one compiled graph, each waiting at every turn, so a
    # state that was shared between two of them would show.
    plan = [(world, motley(i)) for i, world in enumerate(quick().worlds)]
    together = await asyncio.gather(*(play(w, condition, f, driver="graph") for w, f in plan))
    for (world, factory), record in zip(plan, together, strict=True):
        alone = await play(world, condition, factory)
        assert alone.timeless() == record.timeless()
        assert alone.events


@pytest.mark.parametrize("condition", [c for c in Condition if c not in BASE])
async def test_both_drivers_give_equal_records_in_every_other_condition(condition):
    plan = [(furnished(name), motley(i)) for i, name in enumerate(("001a", "004b"))]
    together = await asyncio.gather(*(play(w, condition, f, driver="graph") for w, f in plan))
    for (world, factory), record in zip(plan, together, strict=True):
        assert (await play(world, condition, factory)).timeless() == record.timeless()
        assert record.outcome is Outcome.COMPLETED and record.events


@pytest.mark.parametrize("condition", BASE)
@pytest.mark.parametrize(("number", "name"), list(enumerate([*POLICIES, *ODD])))
async def test_every_sort_of_newcomer_gives_equal_records(number, name, condition):
    factory = ODD.get(name) or named(name)
    world = quick().worlds[number % len(quick().worlds)]
    loop, graph = [await play(world, condition, factory, driver=d) for d in ("loop", "graph")]
    assert loop.timeless() == graph.timeless()


@pytest.mark.parametrize("trial", [0, 1])
async def test_spans_change_nothing(trial):
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")

    async def traced(world: World, driver):
        return await play(
            world, Condition.LIVE, motley(7), driver=driver, trial=trial, spans=EpisodeSpans(tracer)
        )

    plain = [await play(w, Condition.LIVE, motley(7), trial=trial) for w in SOME]
    loop = [await traced(w, "loop") for w in SOME]
    in_loop = [(s.name, s.attributes) for s in exporter.get_finished_spans() if s.name == "adjudication"]
    exporter.clear()
    graph = await asyncio.gather(*(traced(w, "graph") for w in SOME))
    in_graph = [(s.name, s.attributes) for s in exporter.get_finished_spans() if s.name == "adjudication"]
    provider.shutdown()
    assert [r.timeless() for r in plain] == [r.timeless() for r in loop] == [r.timeless() for r in graph]
    assert len(in_loop) == len(in_graph) > 0
    assert len({r.clock.trace_id for r in [*loop, *graph]}) == 2 * len(SOME)


def test_the_compiled_graph_serves_one_event_loop_after_the_other():
    records = [
        asyncio.run(play(small_world(), Condition.LIVE, named("norm-blind"), driver="graph"))
        for _ in range(2)
    ]
    assert records[0].timeless() == records[1].timeless()


async def test_trials_toss_other_coins_in_practice_only():
    logs = []
    for trial in range(3):
        records = [await play(w, Condition.LIVE, named("norm-blind"), trial=trial) for w in quick().worlds]
        events = [[e.model_dump() for e in record.events] for record in records]
        logs.append([[[e for e in log if (e["phase"] == phase)] for phase in Phase] for log in events])
    for log in logs[1:]:
        for (watch, _, probe), (first_watch, _, first_probe) in zip(log, logs[0], strict=True):
            assert (watch, probe) == (first_watch, first_probe)
        assert [practise for _, practise, _ in log] != [practise for _, practise, _ in logs[0]]
