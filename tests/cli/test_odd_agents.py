"""Agents that would end, stop or hang the whole run, and may end no more than their own episode."""

import asyncio
import json
import textwrap
from types import SimpleNamespace
from typing import Any

import pytest

from normgym_agents.cli import interrupting
from normgym_agents.cli.interrupting import run_interruptible
from normgym_agents.errors import NewcomerError
from normgym_agents.newcomers import adapt
from normgym_agents.newcomers.containment import contained

AGENTS = """
    import asyncio

    from langgraph.graph import START, MessagesState, StateGraph

    class Odd(BaseException):
        pass

    def graph_of(node):
        return StateGraph(MessagesState).add_node("n", node).add_edge(START, "n")

    def raising(kind):
        def sync(text):
            raise kind

        async def asynchronous(text):
            raise kind

        return sync, asynchronous

    interrupt, ainterrupt = raising(KeyboardInterrupt)
    leave, aleave = raising(SystemExit(3))
    close, aclose = raising(GeneratorExit)
    odd, aodd = raising(Odd)
    cancel, acancel = raising(asyncio.CancelledError)
    interrupt_in_graph, ainterrupt_in_graph = map(graph_of, (interrupt, ainterrupt))
    leave_in_graph, aleave_in_graph = map(graph_of, (leave, aleave))

    async def stop(text):
        asyncio.get_running_loop().stop()
        await asyncio.sleep(0)
        raise ValueError("stopped")
"""


@pytest.fixture(scope="module")
def agents():
    space: dict[str, object] = {"__name__": "odd_agents_of_a_test"}
    exec(textwrap.dedent(AGENTS), space)
    return space


@pytest.mark.parametrize(
    "name",
    [
        f"{a}{name}"
        for name in ("interrupt", "leave", "close", "odd", "cancel", "interrupt_in_graph", "leave_in_graph")
        for a in ("", "a")
    ]
    + ["stop"],
)
def test_only_its_own_turn_ends(agents, name):
    newcomer = adapt(agents[name], name).factory(0)
    observation: Any = SimpleNamespace(text="You are new.", view=None, retry=None)

    async def turns():
        for _ in range(2):
            with pytest.raises(NewcomerError):
                await newcomer.turn(observation)
        return "the run goes on"

    assert run_interruptible(turns()) == "the run goes on"


async def stubborn():
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass


def test_a_task_that_will_not_be_cancelled_is_left(monkeypatch):
    monkeypatch.setattr(interrupting, "GRACE", 0.01)
    left = []

    async def run():
        left.append(asyncio.create_task(stubborn()))
        await asyncio.sleep(0)
        return "done"

    assert run_interruptible(run()) == "done"
    assert not left[0].done()


def test_that_the_run_was_cancelled_from_inside_is_told():
    async def cancel_all():
        for task in asyncio.all_tasks():
            task.cancel()

    with pytest.raises(NewcomerError, match="cancelled the whole run"):
        run_interruptible(contained(cancel_all))


def test_a_run_of_the_command_line(inline, tmp_path):
    (tmp_path / "mine.py").write_text(textwrap.dedent(AGENTS))
    args = "--worlds 2 --conditions none --driver loop --quiet --out out".split()
    done = inline("run", "mine.py:ainterrupt_in_graph", *args)
    records = [json.loads(line) for line in (tmp_path / "out" / "records.jsonl").read_text().splitlines()]
    assert [record["outcome"] for record in records] == ["newcomer_failed"] * 2
    assert "Traceback" not in done.stderr
