"""The example newcomers that ship, against a scripted model."""

import asyncio
import json
from pathlib import Path

from normgym_agents.assets import asset
from normgym_agents.newcomers import load_newcomer
from normgym_agents.testing import CallTool, Say, by_content
from normgym_agents.worlds.acts import Act

ROOT = Path(__file__).parents[2]


async def one_turn(loaded, observation):
    newcomer = loaded.factory(1)
    await newcomer.join("Tam")
    try:
        return await newcomer.turn(observation)
    finally:
        await newcomer.leave()


async def check(loaded, endpoint, observation):
    for reply in await asyncio.gather(*(one_turn(loaded, observation) for _ in range(2))):
        assert (reply.act, reply.model_calls) == (Act(verb="wait"), 2)
    assert {request.model for request in endpoint.requests} == {"scripted-model"}
    loaded.close()


SCRIPT = by_content({"^bell$": Say("wait")}, default=CallTool("note", {"text": "bell"}))


async def test_the_langchain_agent(scripted_endpoint, observe):
    endpoint = scripted_endpoint(SCRIPT)
    loaded = load_newcomer("react_agent", model="openai:scripted-model", folder=ROOT)
    await check(loaded, endpoint, observe())


async def test_the_autogen_agent(scripted_endpoint, observe):
    endpoint = scripted_endpoint(SCRIPT)
    spec = f"{asset('graphs', 'autogen_assistant.py')}:make_agent"
    await check(load_newcomer(spec, model="openai:scripted-model"), endpoint, observe())


def test_the_graphs_of_langgraph_json_are_there():
    data = json.loads((ROOT / "langgraph.json").read_text())
    assert data["dependencies"] == ["."]
    for spec in data["graphs"].values():
        assert (ROOT / spec.rpartition(":")[0]).is_file()
