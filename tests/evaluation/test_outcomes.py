"""How episodes end whose newcomer misbehaves, and that the others beside them do not notice."""

import asyncio
import importlib
import time

import pytest
from langchain_openai import ChatOpenAI

from normgym_agents import load_newcomer
from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.evaluation.pulse import Pulse
from normgym_agents.newcomers import adapt
from normgym_agents.newcomers._messages import Meter
from normgym_agents.newcomers.models import make_chat_model
from normgym_agents.testing import CallTool, Drop, Fail, Garbage, Hang, Say, fail_first
from normgym_agents.worlds.conditions import Condition
from normgym_agents.worlds.public import Reply
from tests.community.playing import play, small_world

AGENTS = "tests/agents"


@pytest.fixture(scope="module", autouse=True)
def imported():
    """What is imported at the first use holds up the loop, which is not what is looked at here."""
    for part in ("langchain.agents", "langchain_openai", "langgraph.graph", "autogen_ext.models.openai"):
        importlib.import_module(part)


@pytest.fixture
def load(request):
    """A function that loads an agent of `tests/agents`, for as long as the test runs."""

    def load(spec):
        loaded = load_newcomer(str(request.config.rootpath / AGENTS / spec))
        request.addfinalizer(loaded.close)
        return loaded.factory

    return load


async def patient(text: str) -> str:
    """A newcomer that takes its time, and leaves the loop to others."""
    await asyncio.sleep(0.15)
    return "wait"


async def beside(factory, limits):
    """The record of one episode, after two of well-behaved newcomers ran beside it and came to their end."""
    others = [play(small_world(), Condition.NONE, adapt(patient).factory, limits=limits) for _ in range(2)]
    one, *rest = await asyncio.gather(play(small_world(), Condition.NONE, factory, limits=limits), *others)
    assert [record.outcome for record in rest] == [Outcome.COMPLETED] * 2
    assert not any(event.kind == "act" and event.fault for record in rest for event in record.events)
    return one


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("failing", "ValueError: I dropped it"),
        ("circling", "the agent took more steps than the limit"),
        ("sleeping", "no reply within 1.5 s"),
        ("hanging", "no reply within 1.5 s"),
        ("blocking", "its asynchronous code blocked the event loop for more than 1.5 s"),
        ("spinning", "its asynchronous code blocked the event loop for more than 1.5 s"),
    ],
)
async def test_a_node_that_goes_wrong(load, name, told):
    began = time.monotonic()
    with Pulse.kept() as pulse:
        record = await beside(
            load(f"broken_nodes.py:{name}"), Limits(deadline=20 if name == "circling" else 1.5)
        )
    assert record.outcome is Outcome.NEWCOMER_FAILED and record.error is not None
    assert record.error.startswith(told)
    assert record.scores is not None and not record.scores.task
    assert time.monotonic() - began < 15
    assert not pulse.warnings()


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({}, "the agent took more steps than the limit"),
        ({"turn_calls": 3}, "it took more model calls than the turn may have"),
        ({"episode_calls": 3}, "it took more model calls than the episode may have"),
        ({"turn_tokens": 200}, "it took more tokens than the turn may have"),
        ({"episode_tokens": 200}, "it took more tokens than the episode may have"),
    ],
)
async def test_an_endless_loop_of_tools(scripted_endpoint, load, limits, told):
    endpoint = scripted_endpoint(CallTool("ponder", {"thought": "hm " * 10}))
    record = await beside(load("endless_loop.py:graph"), Limits(deadline=20, **limits))
    assert record.outcome is Outcome.NEWCOMER_FAILED and record.error is not None
    assert record.error.startswith(told)
    if "calls" in str(limits):
        assert len(endpoint.requests) in (3, 4)


async def test_an_agent_that_asks_and_asks_cannot_blame_its_model(scripted_endpoint):
    """At its deadline it is nearly always waiting for an answer."""
    scripted_endpoint(Hang(0.1, then=Say("Hm.")))
    model = make_chat_model("openai:gpt-4o-mini")

    class Thinker:
        """A newcomer that says whether it waits, as the contract has it."""

        waiting_for_model = True

        async def join(self, name):
            pass

        async def leave(self):
            pass

        async def turn(self, observation):
            meter = Meter()
            while True:
                await model.ainvoke("Hm?", {"callbacks": [meter]})

    record = await play(small_world(), Condition.NONE, lambda _: Thinker(), limits=Limits(deadline=1.0))
    assert (record.outcome, record.error) == (Outcome.NEWCOMER_FAILED, "no reply within 1 s")


async def test_the_time_of_all_turns():
    limits = Limits(deadline=5, episode_seconds=0.5)
    record = await play(small_world(), Condition.NONE, adapt(patient).factory, limits=limits)
    assert record.outcome is Outcome.NEWCOMER_FAILED
    assert record.error == "its turns took more than 0.5 s in all"


async def test_what_a_reply_says_it_cost_counts():
    class Costly:
        async def join(self, name):
            pass

        async def leave(self):
            pass

        async def turn(self, observation):
            return Reply(act=observation.view.available[-1], model_calls=1, input_tokens=90, output_tokens=20)

    record = await play(small_world(), Condition.NONE, lambda _: Costly(), limits=Limits(episode_tokens=200))
    assert record.error == "it took more tokens than the episode may have"


@pytest.mark.parametrize("kind", ["chat", "autogen"])
async def test_waiting_for_a_provider_to_come_back_costs_nothing(scripted_endpoint, load, kind):
    """Its client waits for two seconds and tries again; the deadline is one."""
    endpoint = scripted_endpoint(fail_first(1, 429, Say("wait"), retry_after=2.0))
    if kind == "chat":
        factory = adapt(make_chat_model("openai:gpt-4o-mini")).factory
    else:
        factory = load("autogen_agent.py:make_agent")
    record = await play(small_world(), Condition.NONE, factory, limits=Limits(deadline=1.5))
    assert (record.outcome, record.error) == (Outcome.COMPLETED, None)
    assert record.clock.seconds > 2
    assert endpoint.requests


async def test_waiting_to_try_again_costs_nothing_where_langchain_waits(scripted_endpoint):
    scripted_endpoint(fail_first(1, 500, Say("wait")))
    model = ChatOpenAI(model="gpt-4o-mini", max_retries=0)

    class Retrying:
        async def join(self, name):
            pass

        async def leave(self):
            pass

        async def turn(self, observation):
            meter = Meter()
            for _ in range(2):
                try:
                    await model.ainvoke("Hm?", {"callbacks": [meter]})
                except Exception:  # noqa: BLE001 # as people write it
                    await asyncio.sleep(1.5)
            return Reply(act=observation.view.available[-1])

    record = await play(small_world(), Condition.NONE, lambda _: Retrying(), limits=Limits(deadline=1.0))
    assert (record.outcome, record.error) == (Outcome.COMPLETED, None)


@pytest.mark.parametrize(
    "spec", ["langchain_agent.py:graph", "autogen_agent.py:make_agent", "openai:gpt-4o-mini"]
)
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (Fail(401, retry_after=0), Outcome.MODEL_FAILED),
        (Fail(429, retry_after=0), Outcome.MODEL_FAILED),
        (Fail(500, retry_after=0), Outcome.MODEL_FAILED),
        (Drop(None), Outcome.MODEL_FAILED),
        (Drop("take"), Outcome.MODEL_FAILED),
        (Garbage(b"<html>Bad gateway</html>", content_type="text/html", status=502), Outcome.MODEL_FAILED),
        (Garbage(b'{"choices": '), Outcome.MODEL_FAILED),
        (Garbage(b"<html>", content_type="text/html"), Outcome.MODEL_FAILED),
        (Hang(30), Outcome.MODEL_FAILED),
        (Fail(400), Outcome.NEWCOMER_FAILED),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_provider_that_fails(scripted_endpoint, load, spec, answer, outcome):
    scripted_endpoint(answer)
    factory = adapt(make_chat_model(spec)).factory if spec.startswith("openai") else load(spec)
    record = await play(small_world(), Condition.NONE, factory, limits=Limits(deadline=6))
    assert record.outcome is outcome, record.error
