"""What an agent changes for the whole process does not reach its next episode, or is said."""

import asyncio
import logging
import os
import sys

import pytest

from normgym_agents import evaluate
from tests.agents import leaky_process


@pytest.fixture
def seen(monkeypatch):
    monkeypatch.setenv("LEAKY_BEFORE", "1")
    monkeypatch.delenv("LEAKY", raising=False)
    monkeypatch.setattr(leaky_process, "SEEN", [])
    return leaky_process.SEEN


async def run(concurrency):
    return await evaluate(leaky_process.agent, conditions=["none"], worlds=4, concurrency=concurrency)


async def test_one_after_the_other_each_begins_anew(seen):
    await run(1)  # what is imported at the first use may draw, too
    seen.clear()
    before = dict(os.environ), os.getcwd(), list(sys.path), logging.root.level
    result = await run(1)
    assert not result.warnings
    firsts = [one for one in seen if one[0] is None]
    assert len(firsts) == 4 and len(set(firsts)) == 1
    assert before == (dict(os.environ), os.getcwd(), list(sys.path), logging.root.level)


async def test_side_by_side_it_is_said_by_name_and_put_back_in_the_end(seen):
    before = dict(os.environ), os.getcwd(), list(sys.path), logging.root.level
    result = await run(4)
    (said,) = result.warnings
    for part in (
        "variable LEAKY,",
        "variable LEAKY_BEFORE",
        "current folder",
        "sys.path",
        "level of logging",
    ):
        assert part in said
    assert "secret" not in said and "--concurrency 1" in said
    assert before == (dict(os.environ), os.getcwd(), list(sys.path), logging.root.level)


async def test_runs_side_by_side_leave_the_process_as_it_was_whichever_ends_last(seen):
    before = dict(os.environ), os.getcwd(), list(sys.path), logging.root.level
    leaked, entered = asyncio.Event(), asyncio.Event()

    async def leaks(text):
        said = leaky_process.agent(text)
        leaked.set()
        await entered.wait()
        return said

    async def outlasts(text):
        entered.set()
        return "wait"

    async def later():
        await leaked.wait()
        await evaluate(outlasts, conditions=["none"], worlds=4, concurrency=1)

    await asyncio.gather(evaluate(leaks, conditions=["none"], worlds=1, concurrency=1), later())
    assert before == (dict(os.environ), os.getcwd(), list(sys.path), logging.root.level)
