"""Graphs behind a LangGraph server, over a real connection."""

import asyncio
from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.pregel.remote import RemoteGraph

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.worlds.asking import Question
from tests.agents import langgraph_custom_state, langgraph_pauses, langgraph_states
from tests.newcomers.langgraph_server import serving
from tests.newcomers.taking_part import take_part


def broken(state: MessagesState) -> dict:
    raise ValueError("no such jar")


@pytest.fixture(scope="module")
def server():
    with serving(
        agent=langgraph_states.typed_dict,
        asks=langgraph_pauses.an_object,
        research=langgraph_custom_state.graph,
        broken=StateGraph(MessagesState).add_node("n", broken).add_edge(START, "n").compile(),
    ) as server:
        yield server
        assert not server.saver.storage, "every thread was given back"


async def said(adapted, observe, turns=2):
    replies = await take_part(adapted, *(observe() for _ in range(turns)))
    return [reply.act.say for reply in replies]


async def test_a_graph_by_its_address(server, observe):
    loaded = load_newcomer(f"langgraph:{server.url}/agent")
    for one in await asyncio.gather(said(loaded, observe), said(loaded, observe)):
        assert one == ["turn 1", "turn 2"]
    loaded.close()


async def test_a_remote_graph(server, observe):
    graph: Any = RemoteGraph("agent", url=server.url)
    adapted = adapt(graph)
    assert adapted.kind == "remote_graph"
    assert await said(adapted, observe) == ["turn 1", "turn 2"]
    await graph.client.aclose()
    graph.sync_client.close()


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ({"rules": [{"answer": {"data": "{observation}"}}]}, ["what now?", "heard You are in the shed."]),
        ({"rules": [{"answer": {"data": "fine"}}]}, ["heard fine", "heard fine"]),
    ],
)
async def test_pauses(server, observe, policy, told):
    loaded = load_newcomer(f"langgraph:{server.url}/asks", on_interrupt=policy)
    assert await said(loaded, observe) == told


async def test_a_mapping(server, observe):
    mapping = "input=research_topic,output=running_summary"
    loaded = load_newcomer(f"langgraph:{server.url}/research", mapping=mapping)
    assert await said(loaded, observe, 3) == ["1 notes"] * 3
    with pytest.raises(BadInput, match="--mapping input=topic,output=KEY"):
        await said(load_newcomer(f"langgraph:{server.url}/research", mapping={"input": "topic"}), observe)


async def test_the_question_is_put_to_a_copy(server, observe):
    newcomer: Any = load_newcomer(f"langgraph:{server.url}/agent").factory(1)
    await newcomer.join("Tam")
    await newcomer.turn(observe())
    question = Question(text="What must one not do?", view=observe().view)
    assert await newcomer.report(question) == "say turn 2"
    assert (await newcomer.turn(observe())).act.say == "turn 2"
    await newcomer.leave()


async def test_a_graph_that_breaks_there(server, observe):
    with pytest.raises(NewcomerError, match="no such jar"):
        await said(load_newcomer(f"langgraph:{server.url}/broken"), observe)


@pytest.mark.parametrize("place", ["http://127.0.0.1:1", "127.0.0.1:1/agent", "ftp://host/agent", ""])
def test_addresses_that_name_no_graph(place):
    with pytest.raises(BadInput, match="names no graph of a server"):
        load_newcomer(f"langgraph:{place}")


async def test_a_server_that_is_not_there(observe):
    with pytest.raises(NewcomerError, match="ConnectError"):
        await said(load_newcomer("langgraph:http://127.0.0.1:9/agent"), observe)
