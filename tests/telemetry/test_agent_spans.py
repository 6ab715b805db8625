"""An agent's own spans: in their place, wherever it runs, and only while it is in an episode."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import StateGraph
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NoOpTracer

from normgym_agents.telemetry.export import open_spans
from tests.telemetry.episodes import SHAPE, Agent, episode, thinking
from tests.telemetry.receiver import Trees

pytestmark = pytest.mark.usefixtures("no_global_provider")


async def test_an_agent_keeps_the_provider_it_has(tmp_path: Path, trees_in: Trees) -> None:
    theirs = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(theirs))
    trace.set_tracer_provider(provider)
    for number in (1, 2):  # the second run must not add a second processor
        path = tmp_path / f"{number}.jsonl"
        with open_spans(path) as run:
            await episode(run, thinking)
        (root,) = trees_in(path)
        assert root.shape() == SHAPE
    assert [span.name for span in theirs.get_finished_spans()] == ["call model tam", "think tam"] * 2
    assert trace.get_tracer_provider() is provider


async def test_a_provider_made_with_the_agent_is_respected(tmp_path: Path, trees_in: Trees) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    path = tmp_path / "spans.jsonl"
    with open_spans(path) as run:
        spans = run.episode_spans()
        with spans.episode(world="w", condition="live", trial=0, newcomer="tam"):
            trace.set_tracer_provider(provider)  # what a factory does while the agent is made
            with spans.round("practise", 1), spans.turn("tam", "go"):
                await thinking("tam")
    (root,) = trees_in(path)
    assert root.child("round").child("invoke_agent tam").child("think tam").children


async def test_a_provider_that_takes_no_processors_is_told_of_once(tmp_path: Path, trees_in: Trees) -> None:
    class Foreign(trace.TracerProvider):
        def get_tracer(self, *args: Any, **kwargs: Any) -> trace.Tracer:
            return NoOpTracer()

    trace.set_tracer_provider(Foreign())
    path = tmp_path / "spans.jsonl"
    with open_spans(path) as run:
        await episode(run, thinking, rounds=3)
        (warning,) = run.close().warnings
    assert "Foreign takes no span processors" in warning
    (root,) = trees_in(path)
    assert root.shape() == ("episode", [("round", [("invoke_agent tam", []), ("adjudication", [])])] * 3)


async def test_only_what_happens_in_an_episode_is_written(tmp_path: Path, trees_in: Trees) -> None:
    trace.set_tracer_provider(TracerProvider(shutdown_on_exit=False))
    path = tmp_path / "spans.jsonl"
    with open_spans(path) as run:
        await thinking("before")
        await episode(run, thinking)
        await thinking("between")
        await episode(run, thinking)
        await thinking("after")
    await thinking("later")
    assert [root.shape() for root in trees_in(path)] == [SHAPE, SHAPE]


async def test_our_global_provider_records_nothing_outside_a_turn(tmp_path: Path) -> None:
    with open_spans(tmp_path / "spans.jsonl") as run:
        await episode(run, thinking)
        assert isinstance(trace.get_tracer_provider(), TracerProvider)
        with trace.get_tracer("user").start_as_current_span("elsewhere") as span:
            assert not span.is_recording()
    with trace.get_tracer("user").start_as_current_span("later") as span:
        assert not span.is_recording()


async def test_concurrent_episodes_do_not_cross(tmp_path: Path, trees_in: Trees) -> None:
    path = tmp_path / "spans.jsonl"
    with open_spans(path) as run:
        ids = await asyncio.gather(*(episode(run, thinking, f"agent-{i}", rounds=3) for i in range(8)))
    roots = trees_in(path)
    assert len(roots) == len({root.trace_id for root in roots}) == 8
    assert {root.trace_id for root in roots} == set(ids)
    for root in roots:
        name = root.attributes["normgym.newcomer"]
        turns: Any = [("think " + name, [("call model " + name, [])])]
        assert root.shape() == (
            "episode",
            [("round", [("invoke_agent " + name, turns), ("adjudication", [])])] * 3,
        )


async def test_concurrent_runs_keep_their_agents_apart(tmp_path: Path, trees_in: Trees) -> None:
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    with open_spans(paths[0]) as first, open_spans(paths[1]) as second:
        ids = await asyncio.gather(episode(first, thinking), episode(second, thinking))
    for path, trace_id in zip(paths, ids, strict=True):
        (root,) = trees_in(path)
        assert (root.trace_id, root.shape()) == (trace_id, SHAPE)


async def in_tasks(name: str) -> None:
    await asyncio.gather(asyncio.create_task(thinking(name)))


async def in_a_thread(name: str) -> None:
    await asyncio.to_thread(asyncio.run, thinking(name))


class State(TypedDict):
    name: str


async def in_a_sync_graph_node(name: str) -> None:
    def node(state: State) -> State:
        with trace.get_tracer("agent").start_as_current_span(f"think {name}"):
            with trace.get_tracer("agent").start_as_current_span(f"call model {name}"):
                return state

    graph = StateGraph(State).add_node("node", node).set_entry_point("node").set_finish_point("node")
    await graph.compile().ainvoke({"name": name})


@pytest.mark.parametrize("agent", [in_tasks, in_a_thread, in_a_sync_graph_node])
async def test_an_agents_spans_nest_wherever_it_runs(tmp_path: Path, trees_in: Trees, agent: Agent) -> None:
    path = tmp_path / "spans.jsonl"
    with open_spans(path) as run:
        await episode(run, agent)
    (root,) = trees_in(path)
    assert root.shape() == SHAPE


async def test_a_seeding_agent_shares_no_ids_and_loses_no_draws(tmp_path: Path, trees_in: Trees) -> None:
    expected = random.Random(7).random()

    async def seeding(name: str) -> None:
        state = random.getstate()
        random.setstate(random.Random(7).getstate())
        await thinking(name)
        assert random.random() == expected
        random.setstate(state)

    ids = []
    for number in (1, 2):
        with open_spans(tmp_path / f"{number}.jsonl") as run:
            ids.append(await episode(run, seeding))
    assert len(set(ids)) == 2


async def test_a_straggler_after_the_run_is_ignored(tmp_path: Path, trees_in: Trees) -> None:
    late: list[trace.Span] = []

    async def leaving_one_open(name: str) -> None:
        late.append(trace.get_tracer("agent").start_span("late"))

    with open_spans(tmp_path / "spans.jsonl") as run:
        await episode(run, leaving_one_open)
    late[0].end()
    (root,) = trees_in(tmp_path / "spans.jsonl")
    assert root.shape()[1] == [("round", [("invoke_agent tam", []), ("adjudication", [])])]
