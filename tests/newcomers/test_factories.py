"""Factories: what makes a newcomer for each episode."""

import asyncio

import pytest
from langchain.agents import create_agent

from normgym_agents.errors import BadInput
from normgym_agents.newcomers import adapt
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.testing import Say
from normgym_agents.worlds.acts import Act
from tests.newcomers.taking_part import WAIT, say, take_part


async def test_a_factory_makes_one_agent_per_episode(observe):
    made: list[int] = []

    def make():
        made.append(1)
        return say("wait")

    async def make_async():
        return make().compile()

    for factory in (make, make_async):
        adapted = adapt(factory)
        assert adapted.kind == "factory"
        for _ in range(2):
            assert (await take_part(adapted, observe()))[0].act == WAIT
    assert len(made) == 4


async def test_a_factory_may_open_and_close(observe):
    import contextlib

    log: list[str] = []

    @contextlib.asynccontextmanager
    async def make():
        task = asyncio.current_task()
        log.append("open")
        yield say("wait")
        assert asyncio.current_task() is task, "what opened it must close it"
        log.append("close")

    assert (await take_part(adapt(make), observe()))[0].act == WAIT
    assert log == ["open", "close"]


async def test_factories_get_the_model(observe):
    def by_name(model: str):
        return lambda text: f"say {model}"

    def by_config(config):
        return lambda text: f"say {config['configurable']['model']}"

    for factory in (by_name, by_config):
        (reply,) = await take_part(adapt(factory, wiring=Wiring(model="openai:m")), observe())
        assert reply.act == Act(verb="say", say="openai:m")
    with pytest.raises(BadInput, match="needs a model"):
        adapt(by_name, "mine")


async def test_factories_get_a_chat_model(observe, scripted_endpoint):
    scripted_endpoint(Say("wait"))

    def make(llm):
        return create_agent(llm)

    assert (await take_part(adapt(make, wiring=Wiring(model="openai:m")), observe()))[0].act == WAIT


async def test_what_a_factory_makes_must_be_able_to_take_part(observe):
    with pytest.raises(BadInput, match="made a int"):
        await take_part(adapt(lambda: 3, "mine"), observe())
    with pytest.raises(BadInput, match="cannot take part"):
        adapt(3)
