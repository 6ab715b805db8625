"""Real LangGraph graphs as newcomers, and the ways in which they may fail."""

import asyncio
import operator
import threading
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pydantic import BaseModel

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.testing import CallTool, Say, Structured, by_turn
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import NewcomerView
from tests.newcomers.taking_part import TAKE, TAKING, WAIT, say, take_part


async def test_a_plain_agent_with_its_own_tool(scripted_endpoint, observe, agents):
    script = by_turn(CallTool("remember", {"note": "bell"}), Say(TAKING), Say("wait"))
    endpoint = scripted_endpoint(script)
    adapted = load_newcomer(str(agents / "langchain_agent.py") + ":graph", model="openai:x")
    first, second = await take_part(adapted, observe("You are new."), observe("You hold a cup."))
    assert (first.act, first.channel, first.model_calls) == (TAKE, "text", 2)
    assert first.input_tokens and first.output_tokens
    assert (second.act, second.model_calls) == (WAIT, 1)
    # The whole conversation went on, each message sent once.
    said = [m["content"] for m in endpoint.requests[-1].messages if m["role"] == "user"]
    assert said == ["You are new.", "You hold a cup."]
    assert endpoint.requests[0].system.startswith("You are a careful newcomer")
    adapted.close()


@pytest.mark.parametrize(
    "build", [lambda g: g, lambda g: g.compile(), lambda g: g.compile(checkpointer=InMemorySaver())]
)
async def test_graphs_compiled_or_not(observe, build):
    built = build(say("wait"))
    assert [r.act for r in await take_part(adapt(built), observe(), observe())] == [WAIT, WAIT]
    if getattr(built, "checkpointer", None):
        assert not built.checkpointer.storage


async def test_async_nodes(observe):
    async def node(state: MessagesState) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"messages": [("ai", "wait")]}

    graph = StateGraph(MessagesState).add_node(node).add_edge(START, "node")
    assert (await take_part(adapt(graph), observe()))[0].act == WAIT


async def test_each_episode_has_its_own_thread(observe):
    adapted = adapt(say(lambda state: f"say {len(state['messages'])}"))
    episodes = [take_part(adapted, observe(), observe(), observe()) for _ in range(2)]
    for replies in await asyncio.gather(*episodes):
        assert [r.act.say for r in replies] == ["1", "3", "5"]


async def test_only_what_is_new_is_read(observe):
    adapted = adapt(say(lambda state: "wait" if len(state["messages"]) == 1 else ""))
    first, second = await take_part(adapted, observe(), observe())
    assert first.act == WAIT and second.act is None and "Nothing came" in second.fault


async def test_an_act_tool_that_nobody_runs(scripted_endpoint, observe):
    def act(verb: str, thing: str = "") -> None:
        """Do something."""

    endpoint = scripted_endpoint(CallTool("act", {"verb": "take", "thing": "sarn ringed cup"}))
    model = ChatOpenAI(model="m").bind_tools([act])
    node = StateGraph(MessagesState).add_node("n", lambda s: {"messages": [model.invoke(s["messages"])]})
    node.add_edge(START, "n")
    replies = await take_part(adapt(node), observe(), observe())
    assert [(r.act, r.channel) for r in replies] == [(TAKE, "tool")] * 2
    assert [m["role"] for m in endpoint.requests[1].messages] == ["user", "assistant", "tool", "user"]


async def test_structured_responses(scripted_endpoint, observe, caplog):
    from langchain.agents.structured_output import ProviderStrategy

    class Choice(BaseModel):
        """A choice."""

        verb: str
        thing: str | None = None

    endpoint = scripted_endpoint(
        by_turn(
            Structured({"verb": "take", "thing": "sarn ringed cup"}),
            Structured({"verb": "wait", "thing": None}),
        )
    )
    graph = create_agent(ChatOpenAI(model="m"), response_format=ProviderStrategy(Choice))
    first, second = await take_part(adapt(graph), observe(), observe())
    assert (first.act, first.channel, second.act) == (TAKE, "structured", WAIT)
    assert len(endpoint.requests) == 2
    assert not caplog.records


class Acting(TypedDict, total=False):
    view: dict
    act: dict
    kept: Annotated[list, operator.add]


async def test_a_graph_that_reads_the_view_and_writes_the_act(observe):
    def choose(state: Acting) -> Acting:
        view = NewcomerView.model_validate(state["view"])
        kept = state.get("kept") or []
        if len(kept) == 1:
            return {"kept": [0]}
        return {"act": view.available[0].model_dump(), "kept": [0]}

    graph = StateGraph(Acting).add_node(choose).add_edge(START, "choose")
    first, second, third = await take_part(adapt(graph), observe(), observe(), observe())
    assert (first.act, first.channel) == (observe().view.available[0], "structured")
    assert second.act is None, "an act of an earlier turn is no act"
    assert third.act == first.act


def test_other_states_are_refused():
    class Other(TypedDict):
        question: str
        answer: str

    graph = StateGraph(Other).add_node("n", lambda s: s).add_edge(START, "n")
    with pytest.raises(
        BadInput, match=r"has no `messages`.*answer, question.*--mapping input=question,output=answer"
    ):
        adapt(graph, "my graph")


async def test_the_recursion_limit_is_the_newcomers(observe):
    graph = StateGraph(MessagesState).add_node("n", lambda s: {}).add_edge(START, "n").add_edge("n", "n")
    with pytest.raises(NewcomerError, match="more steps than the limit"):
        await take_part(adapt(graph, wiring=Wiring(recursion_limit=5)), observe())


async def test_an_interrupt_pauses_nobody_but_the_graph(observe):
    def ask(state: MessagesState) -> dict[str, Any]:
        heard = interrupt("take the sarn ringed cup")
        return {"messages": [("ai", "wait" if heard == "Go on." else heard)]}

    adapted = adapt(StateGraph(MessagesState).add_node(ask).add_edge(START, "ask"))
    got: list[Any] = []

    async def community(state: MessagesState) -> dict[str, Any]:
        got.extend(await take_part(adapted, observe(), observe("Go on.")))
        return {}

    outer = StateGraph(MessagesState).add_node(community).add_edge(START, "community")
    result = await outer.compile(checkpointer=InMemorySaver()).ainvoke(
        {"messages": []}, {"configurable": {"thread_id": "outer"}}
    )
    assert "__interrupt__" not in result
    assert [reply.act for reply in got] == [TAKE, WAIT]


async def test_the_ambient_configuration_does_not_reach_the_agent(observe):
    seen: list[Any] = []

    def node(state: MessagesState) -> dict[str, Any]:
        config = var_child_runnable_config.get() or {}
        seen.append((config.get("tags"), config.get("metadata", {}).get("card")))
        return {"messages": [("ai", "wait")]}

    adapted = adapt(StateGraph(MessagesState).add_node(node).add_edge(START, "node"))

    async def outer(_: Any) -> str:
        await take_part(adapted, observe())
        return "done"

    await RunnableLambda(outer).ainvoke(0, {"tags": ["ours"], "metadata": {"card": "canary"}})
    assert seen == [([], None)] or seen == [(None, None)]


async def test_spans_of_the_agent_hang_off_the_current_one(observe):
    tracer = TracerProvider().get_tracer("t")
    seen: list[int] = []

    def node(text: str) -> str:
        seen.append(trace.get_current_span().get_span_context().span_id)
        return "wait"

    with tracer.start_as_current_span("turn") as span:
        await take_part(adapt(say(lambda state: node(""))), observe())
        await take_part(adapt(node), observe())
    assert seen == [span.get_span_context().span_id] * 2


async def test_a_cancelled_turn_leaves_the_next_episode_alone(observe):
    slow = True

    async def node(state: MessagesState) -> dict[str, Any]:
        if slow:
            await asyncio.sleep(60)
        return {"messages": [("ai", "wait")]}

    adapted = adapt(StateGraph(MessagesState).add_node(node).add_edge(START, "node"))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(take_part(adapted, observe()), 0.05)
    slow = False
    assert (await take_part(adapted, observe()))[0].act == WAIT


@pytest.mark.parametrize("error", [ValueError("no such jar\nsecond line"), asyncio.CancelledError()])
async def test_exceptions_are_the_newcomers(observe, error):
    def broken(state):
        raise error

    with pytest.raises(NewcomerError) as caught:
        await take_part(adapt(say(broken)), observe())
    assert "\n" not in str(caught.value)
    if isinstance(error, ValueError):
        assert str(caught.value) == "ValueError: no such jar"


async def test_the_model_is_put_where_graphs_look(observe):
    def node(state: MessagesState, config) -> dict[str, Any]:
        return {"messages": [("ai", f"say {config['configurable']['model']}")]}

    from langchain_core.runnables import RunnableConfig

    node.__annotations__["config"] = RunnableConfig
    graph = StateGraph(MessagesState).add_node(node).add_edge(START, "node")
    (reply,) = await take_part(adapt(graph, wiring=Wiring(model="openai:m")), observe())
    assert reply.act == Act(verb="say", say="openai:m")


async def test_unusual_state_is_kept_as_it_is(observe):
    class Kept(MessagesState, total=False):
        lock: Any
        seen: list

    def node(state: Kept) -> dict[str, Any]:
        lock = state.get("lock") or threading.Lock()
        return {
            "messages": [("ai", f"say {'again' if state.get('seen') else 'first'}")],
            "lock": lock,
            "seen": [lock],
        }

    graph = StateGraph(Kept).add_node(node).add_edge(START, "node")
    first, second = await take_part(adapt(graph), observe(), observe())
    assert (first.act.say, second.act.say) == ("first", "again")
