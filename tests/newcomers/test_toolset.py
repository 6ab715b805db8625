"""Acting by tools of ours, inside of an agent's own loop."""

import asyncio

import pytest
from langchain_core.messages import AIMessage, ToolCall
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from normgym_agents import acting_functions, acting_tools, load_newcomer
from normgym_agents.newcomers import adapt
from normgym_agents.newcomers.acting import Answer
from normgym_agents.newcomers.models import make_chat_model
from normgym_agents.newcomers.offering import DONE, NOBODY_WAITS, offered, shown
from normgym_agents.newcomers.toolset import tools_for
from normgym_agents.testing import CallTool, CallTools, Say, by_turn
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import Observation

TAKE = Act(verb="take", thing="t1")
CUP = "sarn ringed cup"
ACT = CallTool("act", {"verb": "take", "thing": CUP})
FILES = ["acting_tools_agent.py:graph", "tools_factory.py:make_graph", "autogen_tools_factory.py:make_agent"]


@pytest.fixture
def turned(observe, agents):
    """A function that lets an agent of a file live some turns, and gives back the replies."""

    async def turned(spec, *texts):
        loaded = load_newcomer(str(agents / spec))
        try:
            newcomer = loaded.factory(0)
            await newcomer.join("Tam")
            replies = [await newcomer.turn(observe(text)) for text in texts or ("You are in the shed.",)]
            await newcomer.leave()
        finally:
            loaded.close()
        return replies

    return turned


@pytest.mark.parametrize("spec", FILES)
async def test_a_tool_in_the_agents_own_loop_is_the_act_of_its_turn(scripted_endpoint, turned, spec):
    endpoint = scripted_endpoint(
        by_turn(CallTool("look"), ACT, then=CallTool("say", {"words": "Good day"}))
        if "acting" in spec
        else by_turn(ACT, then=Say("I took it."))
    )
    reply = (await turned(spec))[0]
    assert (reply.act, reply.fault, reply.channel) == (TAKE, None, "tool")
    assert not endpoint.errors


async def test_looking_shows_the_same_again_and_is_no_act(scripted_endpoint, turned):
    endpoint = scripted_endpoint(by_turn(CallTool("look"), Say("I'll think.\nAnd think.")))
    (reply,) = await turned(FILES[0], "You are in the shed.")
    assert reply.act is None
    assert endpoint.requests[-1].last_text == "You are in the shed."


async def test_the_loop_ends_with_the_act(scripted_endpoint, turned):
    endpoint = scripted_endpoint(by_turn(ACT, CallTool("wait")))
    first, second = await turned(FILES[0], "Morning.", "Noon.")
    assert (first.act, second.act) == (TAKE, Act(verb="wait"))
    assert (first.words, first.model_calls, len(endpoint.requests)) == ("", 1, 2)


@pytest.mark.parametrize(
    ("calls", "act"),
    [
        ((ACT, CallTool("wait")), None),
        ((ACT, ACT), TAKE),
        ((CallTool("say", {"words": "Good day"}),), Act(verb="say", say="Good day")),
        ((CallTool("act", {"verb": "take the sarn ringed cup"}),), TAKE),
        ((CallTool("act", {"verb": "dance"}),), None),
        ((CallTool("act", {"verb": "take", "thing": "moon"}),), None),
        ((CallTool("act", {"thing": CUP}),), None),
    ],
)
@pytest.mark.parametrize("spec", [FILES[0], FILES[2]])
async def test_what_calls_come_to(scripted_endpoint, turned, spec, calls, act):
    scripted_endpoint(by_turn(CallTools(*calls), then=Say("Done.\nReally.")))
    (reply,) = await turned(spec)
    assert reply.act == act
    assert (reply.fault is None) == (act is not None)


async def test_a_chat_model_has_them_too(scripted_endpoint, observe):
    endpoint = scripted_endpoint(by_turn(CallTool("look"), ACT, CallTool("take", {"thing": CUP})))
    newcomer = adapt(make_chat_model("openai:gpt-4o-mini")).factory(0)
    await newcomer.join("Tam")
    first, second = [await newcomer.turn(observe("You are in the shed.")) for _ in range(2)]
    await newcomer.leave()
    assert (first.act, second.act, first.model_calls) == (TAKE, TAKE, 2)
    assert endpoint.requests[1].last_text == "You are in the shed."
    offered_names = list(endpoint.requests[0].tools)
    assert len(offered_names) == len(set(offered_names))
    assert {"act", "say", "wait", "look", "take", "go"} <= set(offered_names)


async def test_a_chat_model_that_only_looks(scripted_endpoint, observe):
    endpoint = scripted_endpoint(CallTool("look"))
    newcomer = adapt(make_chat_model("openai:gpt-4o-mini")).factory(0)
    await newcomer.join("Tam")
    reply = await newcomer.turn(observe())
    await newcomer.leave()
    assert reply.fault is not None and reply.fault.startswith("Nothing came")
    assert len(endpoint.requests) == 4


async def test_turns_side_by_side_do_not_mix(make_view, observe):
    """One graph, synchronous nodes in threads, and each turn with an act of its own."""

    def choose(state: MessagesState) -> dict:
        word = state["messages"][-1].text
        return {"messages": [AIMessage("", tool_calls=[ToolCall(name="say", args={"words": word}, id="1")])]}

    builder = StateGraph(MessagesState)
    builder.add_node("choose", choose)
    builder.add_node("tools", ToolNode(acting_tools()))
    builder.add_edge(START, "choose")
    builder.add_edge("choose", "tools")
    factory = adapt(builder).factory
    replies = await asyncio.gather(*(factory(i).turn(observe(f"word {i}")) for i in range(8)))
    assert [reply.act and reply.act.say for reply in replies] == [f"word {i}" for i in range(8)]


async def test_a_function_may_use_them(observe):
    act = acting_functions()[0]

    async def agent(text: str) -> str:
        await act(verb="take", thing=CUP)
        return "I go to the loft."

    reply = await adapt(agent).factory(0).turn(observe())
    assert (reply.act, reply.channel, reply.words) == (TAKE, "tool", "I go to the loft.")


async def test_nobody_waits_outside_of_a_turn(observe):
    act, say, wait, look = acting_functions()
    assert await act(verb="wait") == await look() == NOBODY_WAITS
    with offered(observe()):
        assert (await wait(), await look()) == (DONE, "You are in the shed.")
    assert await say(words="late") == NOBODY_WAITS


async def test_after_a_re_ask_looking_shows_the_whole(observe, view):
    look = acting_functions()[-1]
    again = Observation(text="Nothing came.", view=view, retry="Nothing came.")
    with shown(observe("You are in the shed.")), offered(again):
        assert await look() == "You are in the shed."


def test_a_setting_may_call_saying_and_waiting_otherwise(observe, view):
    verbs = {"tell" if key == "say" else "rest" if key == "wait" else key: v for key, v in view.verbs.items()}
    names = {"say": "tell", "wait": "rest"}
    available = tuple(a.model_copy(update={"verb": names.get(a.verb, a.verb)}) for a in view.available)
    changed = view.model_copy(update={"verbs": verbs, "available": available})
    for tool, data, act in (
        ("say", {"say": "hello"}, Act(verb="tell", say="hello")),
        ("wait", {}, Act(verb="rest")),
    ):
        with offered(observe(view=changed)) as offer:
            offer.take(tool, data)
        assert offer.read(Answer()).act == act


def test_which_kind_a_factory_gets():
    def langchain(tools):
        return tools

    def autogen(tools):
        from autogen_agentchat.agents import AssistantAgent

        return AssistantAgent("a", tools, tools=tools)

    assert [type(tool).__name__ for tool in tools_for(langchain)] == ["StructuredTool"] * 4
    assert [tool.__name__ for tool in tools_for(autogen)] == ["act", "say", "wait", "look"]


@pytest.mark.parametrize(("default", "given"), [(None, True), ((), True), (("own",), False)])
async def test_an_owners_own_tools_stay(observe, default, given):
    seen = []

    def make(tools=default):
        seen.append(tools)
        return lambda text: "wait"

    newcomer = adapt(make).factory(0)
    await newcomer.join("Tam")
    await newcomer.leave()
    assert (seen[0] != default) == given
