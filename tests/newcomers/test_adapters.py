"""Real agents against a scripted model behind HTTP, and the ways in which they may fail."""

import asyncio
import logging
import operator
import sys
import threading
import time
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from pydantic import BaseModel

from normgym_agents.errors import BadInput, ModelError, NewcomerError
from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.newcomers.wiring import Wiring
from normgym_agents.testing import Answer, CallTool, Fail, Say, Structured, by_content, by_turn
from normgym_agents.worlds.acts import Act
from normgym_agents.worlds.public import NewcomerView, Observation, Reply

TAKE = Act(verb="take", thing="t1")
WAIT = Act(verb="wait")
TAKING = "I'll take the sarn ringed cup."


async def take_part(adapted, *observations):
    """One episode; the replies."""
    newcomer = adapted.factory(7)
    await newcomer.join("Tam")
    try:
        return [await newcomer.turn(observation) for observation in observations]
    finally:
        await newcomer.leave()


def say(text):
    """A graph of one node that says something, or what a function of the state says."""

    def node(state: MessagesState) -> dict[str, Any]:
        said = text(state) if callable(text) else text
        return {"messages": [("ai", said)]}

    return StateGraph(MessagesState).add_node("say", node).add_edge(START, "say").add_edge("say", END)


# --- LangGraph ---------------------------------------------------------------------------------------------


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
    with pytest.raises(BadInput, match=r"my graph has no `messages`.*answer, question.*add_messages"):
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


# --- Providers ---------------------------------------------------------------------------------------------


async def test_a_providers_failure_is_the_models(scripted_endpoint, observe):
    scripted_endpoint(Fail(500, "Out of clay"))
    model = ChatOpenAI(model="m", max_retries=0)
    for agent in (create_agent(model), model):
        with pytest.raises(ModelError, match="Out of clay"):
            await take_part(adapt(agent), observe())


# --- Chat models -------------------------------------------------------------------------------------------


async def test_a_chat_model_acts_with_tools(scripted_endpoint, observe):
    endpoint = scripted_endpoint(by_turn(CallTool("take", {"thing": "sarn ringed cup"}), Say("Wait.")))
    loaded = load_newcomer("openai:scripted-model")
    first, second = await take_part(loaded, observe("You are new."), observe("More."))
    assert (loaded.kind, first.act, first.channel) == ("chat_model", TAKE, "tool")
    assert (second.act, second.channel, second.model_calls) == (WAIT, "text", 1)
    one, two = endpoint.requests
    assert "You are Tam." in one.system and list(one.tools) == list(observe().view.verbs)
    assert [m["role"] for m in two.messages] == ["system", "user", "assistant", "tool", "user"]
    for word in ("norm", "rule", "sanction", "test"):
        assert word not in one.system.casefold()


async def test_a_chat_model_without_tools(observe):
    replies = await take_part(adapt(FakeListChatModel(responses=["wait", TAKING])), observe(), observe())
    assert [reply.act for reply in replies] == [WAIT, TAKE]


# --- Functions ---------------------------------------------------------------------------------------------


async def awaited(text: str) -> str:
    return "wait"


class Shouting:
    def __call__(self, text: str) -> str:
        return "WAIT!"


def whole(observation: Observation) -> Act:
    return observation.view.available[0]


@pytest.mark.parametrize(
    "function",
    [
        lambda text: "wait",
        awaited,
        Shouting(),
        lambda text: WAIT,
        lambda text: {"verb": "wait"},
        lambda text: Reply(act=WAIT),
    ],
)
async def test_functions(observe, function):
    adapted = adapt(function)
    assert adapted.kind == "callable"
    assert (await take_part(adapted, observe()))[0].act == WAIT


async def test_functions_of_the_observation(observe):
    (reply,) = await take_part(adapt(whole), observe())
    assert (reply.act, reply.channel) == (observe().view.available[0], "policy")


async def test_odd_results_of_functions(observe):
    silent, impossible = lambda text: None, lambda text: Reply(act=Act(verb="take", thing="t4"))
    assert "Nothing came" in ((await take_part(adapt(silent), observe()))[0].fault or "")
    assert "cannot be done now" in ((await take_part(adapt(impossible), observe()))[0].fault or "")
    for wrong in (lambda text: 3, lambda text: Reply(), lambda text: 1 / 0, lambda text: sys.exit(3)):
        with pytest.raises(NewcomerError):
            await take_part(adapt(wrong), observe())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_calls", -5),
        ("input_tokens", 10**40),
        ("output_tokens", "many"),
        ("channel", "<b>"),
        ("words", None),
        ("act", "wait"),
    ],
)
@pytest.mark.parametrize("make", [Reply, Reply.model_construct])
async def test_a_reply_that_will_not_do(observe, make, field, value):
    with pytest.raises(NewcomerError, match=rf"Reply\.{field}: "):
        await take_part(adapt(lambda text: make(**{"act": WAIT, field: value})), observe())


async def test_the_words_of_a_reply_are_cleaned(observe):
    told = Reply.model_construct(act=WAIT, words="\x1b[31m\udcff" + "so " * 9_000)
    (reply,) = await take_part(adapt(lambda text: told), observe())
    assert reply.act == WAIT
    assert reply.words.startswith("so so") and len(reply.words) <= 2_000


async def test_a_function_that_blocks_can_be_left(observe):
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(take_part(adapt(lambda text: time.sleep(30)), observe()), 0.05)


# --- Factories ---------------------------------------------------------------------------------------------


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


# --- AutoGen -----------------------------------------------------------------------------------------------


@pytest.fixture
def quiet_loggers():
    names = ("autogen_core", "autogen_core.events", "autogen_agentchat", "autogen_agentchat.events")

    def state():
        return [(list(logging.getLogger(n).handlers), logging.getLogger(n).level) for n in (*names, None)]

    before = state()
    yield
    assert state() == before


@pytest.mark.usefixtures("quiet_loggers")
@pytest.mark.parametrize("attribute", ["agent", "make_agent"])
async def test_an_assistant_agent(scripted_endpoint, observe, agents, attribute):
    answers: dict[str, Answer] = {
        "Noted: bell": Say(TAKING),
        "You are new": CallTool("remember", {"note": "bell"}),
    }
    endpoint = scripted_endpoint(by_content(answers, default=Say("wait")))
    loaded = load_newcomer(f"{agents / 'autogen_agent.py'}:{attribute}")
    assert loaded.kind == ("autogen" if attribute == "agent" else "factory")
    episodes = [take_part(loaded, observe("You are new."), observe("You hold a cup.")) for _ in range(2)]
    for first, second in await asyncio.gather(*episodes):
        assert (first.act, first.model_calls, second.act) == (TAKE, 2, WAIT)
        assert first.input_tokens and first.output_tokens
    assert len(endpoint.requests) == 6
    last = [
        [m["content"] for m in r.messages if m["role"] == "user"] for r in endpoint.requests if r.turn == 2
    ]
    assert last == [["You are new.", "You hold a cup."]] * 2
    loaded.close()


def test_a_ready_agent_outlives_its_event_loop(scripted_endpoint, observe, agents):
    scripted_endpoint(Say("wait"))
    loaded = load_newcomer(f"{agents / 'autogen_agent.py'}:agent")
    for _ in range(2):
        assert asyncio.run(take_part(loaded, observe()))[0].act == WAIT


async def test_a_cancelled_assistant_leaves_the_next_episode_alone(scripted_endpoint, observe, agents):
    from normgym_agents.testing import Hang

    scripted_endpoint(by_content({"slow": Hang(60)}, default=Say("wait")))
    loaded = load_newcomer(f"{agents / 'autogen_agent.py'}:agent")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(take_part(loaded, observe("slow")), 0.3)
    assert (await take_part(loaded, observe()))[0].act == WAIT


async def test_an_assistants_provider_fails(scripted_endpoint, observe):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    scripted_endpoint(Fail(500, "Out of clay"))
    agent = AssistantAgent("a", OpenAIChatCompletionClient(model="gpt-4o", max_retries=0))
    with pytest.raises(ModelError, match="Out of clay"):
        await take_part(adapt(agent), observe())


async def test_agents_that_cannot_be_copied_take_turns(observe):
    from autogen_agentchat.agents import BaseChatAgent
    from autogen_agentchat.base import Response
    from autogen_agentchat.messages import TextMessage

    class Counting(BaseChatAgent):
        count = 0

        @property
        def produced_message_types(self):
            return (TextMessage,)

        async def on_messages(self, messages, cancellation_token):
            self.count += 1
            await asyncio.sleep(0)
            return Response(chat_message=TextMessage(content=f"say {self.count}", source="c"))

        async def on_reset(self, cancellation_token):
            self.count = 0

    adapted = adapt(Counting("c", "Counts."))
    episodes = [take_part(adapted, observe(), observe()) for _ in range(3)]
    for replies in await asyncio.gather(*episodes):
        assert [r.act.say for r in replies] == ["1", "2"]


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


async def test_other_things_of_autogen_are_refused(scripted_endpoint):
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    scripted_endpoint(Say("wait"))
    client = OpenAIChatCompletionClient(model="gpt-4o")
    with pytest.raises(BadInput, match="OpenAIChatCompletionClient of AutoGen"):
        adapt(client)
    await client.close()
