"""The conformance check, on agents that can take part and on agents that something is wrong with."""

import asyncio
import json
import os
import textwrap
from pathlib import Path

import pytest

from normgym_agents import assert_conforms, check_newcomer, check_newcomer_sync
from normgym_agents.errors import BadInput
from normgym_agents.evaluation.config import Limits, parse_config
from normgym_agents.evaluation.conformance import DoesNotConform, Status, prepared
from normgym_agents.evaluation.conformance.estimating import Measured
from normgym_agents.evaluation.conformance.standing_in import StandIn
from normgym_agents.testing import CallTool, ChatRequest, Say, Structured

AGENTS = Path(__file__).parents[1] / "agents"

NAMES = [
    "loads",
    "joins",
    "acts in two worlds",
    "two episodes at once",
    "memory within an episode",
    "none across episodes",
    "pauses",
    "deadline",
    "model",
    "leaves",
    "cost",
]


def statuses(found):
    return {one.name: one.status.value for one in found.findings}


@pytest.fixture
def agent(tmp_path):
    """A spec of an agent that is written here."""

    def write(text, name="graph"):
        file = tmp_path / "mine.py"
        file.write_text(textwrap.dedent(text), encoding="utf-8")
        return f"{file}:{name}"

    return write


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("langchain_agent.py:graph", "langgraph"),
        ("tools_factory.py:make_graph", "factory"),
        ("autogen_agent.py:make_agent", "factory"),
    ],
)
def test_an_agent_with_a_model_passes_all_without_a_key(spec, kind):
    before = dict(os.environ)
    found = assert_conforms(f"{AGENTS}/{spec}")
    assert [one.name for one in found.findings] == NAMES
    assert set(statuses(found).values()) == {"passed"}
    assert (found.kind, found.live) == (kind, False)
    assert all(one.fix is None for one in found.findings)
    assert dict(os.environ) == before
    assert found["deadline"].found.endswith("it can be cut off, and goes on after that")


def test_a_bare_model_is_scripted():
    found = check_newcomer_sync("openai:gpt-4o-mini")
    assert found.passed and found["model"].found.startswith("the scripted one")
    assert found["acts in two worlds"].found == "an act in 6 of 6 turns, as tool"


def test_an_agent_without_a_model():
    found = check_newcomer_sync(lambda text: "wait")
    assert found.passed
    seen = statuses(found)
    assert seen["none across episodes"] == "passed"
    assert {name for name, status in seen.items() if status == "unseen"} == {
        "memory within an episode",
        "model",
        "cost",
    }


def test_what_it_says_again_was_remembered():
    def make():
        heard = []

        def agent(text: str) -> str:
            heard.append(text)
            return f"say {heard[0].splitlines()[0]}"

        return agent

    found = check_newcomer_sync(make)
    assert statuses(found)["memory within an episode"] == "passed"
    assert statuses(found)["none across episodes"] == statuses(found)["two episodes at once"] == "passed"


def test_memory_that_outlives_an_episode(agent):
    spec = agent("""
        from langchain_openai import ChatOpenAI

        model = ChatOpenAI(model="gpt-4o-mini")
        everything = []

        async def graph(text: str) -> str:
            everything.append(("user", text))
            return (await model.ainvoke(everything)).content
    """)
    found = check_newcomer_sync(spec)
    assert statuses(found)["memory within an episode"] == "passed"
    assert statuses(found)["none across episodes"] == statuses(found)["two episodes at once"] == "failed"
    with pytest.raises(DoesNotConform, match=r"none across episodes: .* — Make what it remembers anew"):
        found.assert_passed()


def test_an_agent_that_forgets_is_told_so_and_may_come(agent):
    spec = agent("""
        from langchain_openai import ChatOpenAI

        async def graph(text: str) -> str:
            return (await ChatOpenAI(model="gpt-4o-mini").ainvoke(text)).content
    """)
    found = check_newcomer_sync(spec)
    assert found.passed and statuses(found)["memory within an episode"] == "noted"
    assert statuses(found)["none across episodes"] == "passed"


def test_a_model_elsewhere_is_not_reached(agent):
    spec = agent("""
        from langchain.agents import create_agent
        from langchain_openai import ChatOpenAI

        model = ChatOpenAI(
            model="m", base_url="https://models.example.org/v1", api_key="theirs", max_retries=0
        )
        graph = create_agent(model, tools=[])
    """)
    found = check_newcomer_sync(spec)
    assert found["acts in two worlds"].status is Status.FAILED
    assert "models.example.org" in (found["acts in two worlds"].fix or "")
    assert "--live" in (found["acts in two worlds"].fix or "")
    assert statuses(found)["two episodes at once"] == "skipped"


def test_a_key_of_its_own_will_do(agent):
    spec = agent("""
        from langchain.agents import create_agent
        from langchain_openai import ChatOpenAI

        graph = create_agent(ChatOpenAI(model="m", api_key="theirs"), tools=[])
    """)
    assert check_newcomer_sync(spec).passed


def test_what_the_scripted_model_does_not_have_is_named(agent):
    spec = agent("""
        from langchain.agents import create_agent
        from langchain_openai import ChatOpenAI

        graph = create_agent(ChatOpenAI(model="m", use_responses_api=True, max_retries=0), tools=[])
    """)
    fix = check_newcomer_sync(spec)["acts in two worlds"].fix
    assert fix is not None and "POST /v1/responses" in fix and "--live" in fix


@pytest.mark.parametrize(
    ("spec", "name", "says", "fix"),
    [
        ("langgraph_custom_state.py:graph", "loads", "has no `messages`", "--mapping input=research_topic"),
        ("langgraph_runtime.py:user", "loads", "needs user_id", "--mapping context.user_id=VALUE"),
        (
            "langgraph_runtime.py:configured",
            "acts in two worlds",
            "'user_id'",
            "--mapping configurable.user_id",
        ),
        ("broken_nodes.py:failing", "acts in two worlds", "ValueError: I dropped it", "by itself"),
        ("broken_nodes.py:circling", "acts in two worlds", "more steps than the limit", "come to an end"),
        ("broken_nodes.py:hanging", "acts in two worlds", "no reply within 1 s", "--deadline"),
        ("broken_nodes.py:blocking", "acts in two worlds", "blocked the event loop", "Await"),
    ],
)
def test_what_to_fix(spec, name, says, fix):
    # Short where the deadline is what is waited for, and where it is not, long enough for a busy machine.
    deadline = 1.0 if spec.endswith((":hanging", ":blocking")) else 60.0
    found = check_newcomer_sync(f"{AGENTS}/{spec}", limits=Limits(deadline=deadline))
    assert [one.name for one in found.failures] == [name]
    assert says in found[name].found and fix in (found[name].fix or "")
    assert [one.name for one in found.findings] == NAMES
    assert found.estimate is None and found["cost"].status is Status.SKIPPED


def test_a_factory_of_something_else():
    def make_graph() -> object:
        return 42

    found = check_newcomer_sync(make_graph)
    assert [one.name for one in found.failures] == ["joins"]
    assert "int" in found["joins"].found and "a graph" in (found["joins"].fix or "")


def test_nothing_readable_is_told_with_what_it_said():
    found = check_newcomer_sync(lambda text: "As an AI, should I take it, or should I go?")
    acts = found["acts in two worlds"]
    assert acts.status is Status.FAILED and "As an AI" in acts.found and "acting_tools" in (acts.fix or "")


def test_pauses_are_told_and_answered():
    asks = f"{AGENTS}/langgraph_pauses.py"
    found = check_newcomer_sync(f"{asks}:words")
    assert found.passed and found["pauses"].status is Status.NOTED
    assert "say what now?" in found["pauses"].found and "--on-interrupt" in (found["pauses"].fix or "")
    answered = check_newcomer_sync(f"{asks}:words", on_interrupt="approve")
    assert answered["pauses"].status is Status.PASSED
    assert "answered by --on-interrupt: approve" in answered["pauses"].found and not answered["pauses"].fix
    endless = check_newcomer_sync(f"{asks}:for_ever", on_interrupt="approve")
    assert "--on-interrupt" in (endless["acts in two worlds"].fix or "")
    assert not endless["pauses"].fix  # what it says of pauses is not what was done already


def test_questions_to_autogens_user_are_heard():
    found = check_newcomer_sync(f"{AGENTS}/autogen_human.py:team")
    assert found.passed and found["pauses"].status is Status.NOTED
    assert "what is observed next answers it" in found["pauses"].found


def test_what_cannot_be_seen_of_its_own_model_is_said():
    found = check_newcomer_sync(lambda text: "wait", model="openai:gpt-4o-mini")
    assert (
        found["memory within an episode"].found == "cannot be seen from outside: what its own model is sent"
    )


def test_an_agent_that_cannot_be_made_to_forget_is_told_what_to_give():
    found = check_newcomer_sync(f"{AGENTS}/autogen_custom.py:unforgetting")
    assert not found.passed and "its `on_reset` came to NotImplementedError" in found["joins"].found
    assert "a factory: a function that makes a fresh agent" in (found["joins"].fix or "")
    assert check_newcomer_sync(f"{AGENTS}/autogen_custom.py:make_unforgetting").passed


def test_an_agent_that_breaks_only_beside_another():
    busy = []

    async def graph(text: str) -> str:
        busy.append(text)
        try:
            await asyncio.sleep(0.02)
            if len(busy) > 1:
                raise RuntimeError("one at a time")
        finally:
            busy.pop()
        return "wait"

    found = check_newcomer_sync(graph)
    assert [one.name for one in found.failures] == ["two episodes at once"]
    assert "one at a time" in found["two episodes at once"].found


def test_a_turn_that_cannot_be_cut_off(agent):
    spec = agent("""
        import asyncio
        from langchain_openai import ChatOpenAI

        async def graph(text: str) -> str:
            model = ChatOpenAI(model="m", max_retries=0)
            asked = asyncio.ensure_future(model.ainvoke(text))
            while not asked.done():
                try:
                    await asyncio.shield(asked)
                except BaseException:
                    pass
            return asked.result().content
    """)
    found = check_newcomer_sync(spec)
    assert found.passed and found["deadline"].status is Status.NOTED
    assert "CancelledError" in (found["deadline"].fix or "")


def test_an_agent_that_is_of_no_use_after_it_was_cut_off(agent):
    spec = agent("""
        import asyncio
        from langchain_openai import ChatOpenAI

        spoilt = []

        async def graph(text: str) -> str:
            try:
                assert not spoilt, "the line is dead"
                return (await ChatOpenAI(model="m").ainvoke(text)).content
            except asyncio.CancelledError:
                spoilt.append(text)
                raise
    """)
    found = check_newcomer_sync(spec)
    assert [one.name for one in found.failures] == ["deadline"]
    assert "the line is dead" in found["deadline"].found and "factory" in (found["deadline"].fix or "")


def test_a_module_that_raises(agent):
    found = check_newcomer_sync(agent("import os\nos.environ['NOBODYS_API_KEY']"))
    assert found["loads"].status is Status.FAILED and "NOBODYS_API_KEY" in f"{found['loads']}"
    assert found.traceback is not None and "mine.py" in found.traceback


@pytest.mark.parametrize("spec", ["nothing.py:graph", "a:b:c.py:", "reference:nobody"])
def test_what_is_not_there_is_bad_input(spec):
    with pytest.raises(BadInput):
        check_newcomer_sync(spec)


async def test_one_check_at_a_time():
    with (
        prepared(parse_config({"newcomer": "reference:random"})),
        pytest.raises(BadInput, match="under way"),
    ):
        await check_newcomer("reference:random")
    assert (await check_newcomer("reference:random")).passed


def test_live_leaves_the_environment_and_asks_its_own_model(scripted_endpoint):
    endpoint = scripted_endpoint(Say("wait"))
    found = check_newcomer_sync(f"{AGENTS}/langchain_agent.py:graph", live=True)
    assert found.passed and found.live
    assert found["model"].found == f"its own, {len(endpoint.requests)} calls"
    assert len(endpoint.requests) == 10
    assert found.estimate is not None and found.estimate.output_tokens is not None


def test_a_model_for_a_factory_that_takes_one(agent, scripted_endpoint):
    spec = agent(
        """
        from langchain.agents import create_agent

        def make(model):
            return create_agent(model, tools=[])
        """,
        "make",
    )
    assert check_newcomer_sync(spec).passed  # the scripted one
    endpoint = scripted_endpoint(Say("wait"))
    assert check_newcomer_sync(spec, model="openai:gpt-4o-mini").passed
    assert {request.model for request in endpoint.requests} == {"gpt-4o-mini"}


def test_the_estimate_is_of_the_run_that_is_asked_about():
    spec = f"{AGENTS}/langchain_agent.py:graph"
    found = check_newcomer_sync(spec, conditions=["none"], worlds=2, trials=3)
    cost = found.estimate
    assert cost is not None and cost.episodes == 6
    assert cost.turns == 6 * 12 and cost.calls == cost.turns  # 12 acts a day in these worlds
    assert cost.input_tokens is not None and cost.output_tokens is None


def test_prompts_grow_as_measured():
    # Turns of 100, 120 and 140 tokens: two later turns, each 20 more than the one before.
    spent = Measured(calls=1, prompts=(100, 120, 140), first=40)
    assert spent.spent(4, 40) == 100 + 120 + 140 + 160
    # A first observation of 30 more is in every prompt of a conversation that is kept,
    assert spent.spent(4, 70) == 4 * 30 + 520
    # and only in the first where nothing is kept.
    assert Measured(calls=1, prompts=(100, 50, 50), first=40).spent(3, 70) == 130 + 50 + 50


def request(**body):
    messages = [{"role": "user", "content": "You can: wait"}]
    return ChatRequest(body={"model": "m", "messages": messages, **body}, headers={}, index=0)


def tool(name, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def test_the_scripted_model_calls_tools_only_where_it_must():
    stand_in = StandIn()
    mail = tool("send_mail", to={"type": "string"})
    assert stand_in(request(tools=[mail])) == Say("wait")
    assert stand_in(request(tools=[mail], tool_choice="required")) == CallTool("send_mail", {"to": "wait"})
    ours = [tool(name) for name in ("act", "say", "wait", "look")]
    assert stand_in(request(tools=[mail, *ours])) == CallTool("wait")


def test_the_scripted_model_fills_a_schema_and_ends_loops():
    schema = {
        "type": "object",
        "$defs": {"Next": {"enum": ["searcher", "FINISH"]}},
        "properties": {
            "next": {"$ref": "#/$defs/Next"},
            "why": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "sure": {"type": "boolean"},
            "steps": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        },
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    answer = StandIn()(request(response_format=wanted))
    assert answer == Structured({"next": "FINISH", "why": "wait", "sure": True, "steps": [1]})


def test_the_result_is_data():
    found = check_newcomer_sync("reference:random")
    data = json.loads(found.model_dump_json())
    assert [one["name"] for one in data["findings"]] == NAMES
