"""Graphs of each shape that is found in the wild take part unmodified: exports, states, runtimes."""

import asyncio

import pytest

from normgym_agents.errors import BadInput, NewcomerError
from normgym_agents.newcomers import load_newcomer
from tests.newcomers.taking_part import take_part

TURNS = ["turn 1", "turn 2", "turn 3"]


@pytest.fixture
def play(agents, observe):
    """A function that loads an agent and plays two episodes of it at once; what was said in each."""

    async def play(spec: str, turns: int = 3, **wiring):
        loaded = load_newcomer(f"langgraph_{spec}", folder=agents, **wiring)
        try:
            episodes = [take_part(loaded, *(observe() for _ in range(turns))) for _ in range(2)]
            replies = await asyncio.gather(*episodes)
        finally:
            loaded.close()
        return [[reply.act.say if reply.act else reply.words for reply in one] for one in replies]

    return play


@pytest.mark.parametrize(
    "spec",
    [
        "uncompiled.py:builder",
        "factories.py:make_graph",
        "factories.py:make_graph_async",
        "factories.py:make_graph_with_loop",
        "factories.py:make_graph_from_config",
        "factories.py:make_graph_from_cfg",
        "factories.py:make_graph_from_tools",
        "context_managers.py:make_graph",
        "context_managers.py:make_graph_sync",
        "context_managers.py:make_graph_generator",
        "objects.py:loader",
        "objects.py:provider",
        "objects.py:agent",
        "objects.py:Loader",
        "objects.py:Agent",
        "objects.py:Agent.build",
        "objects.py:Agent.graph",
        "objects.py:Agent.lazy",
        "objects.py:agent.build",
        "objects.py:agent.graph",
        "entrypoint.py:agent",
        "entrypoint.py:without_checkpointer",
        "entrypoint.py:without_memory",
        "entrypoint.py:of_a_dict",
        "entrypoint.py:of_words",
        "states.py:typed_dict",
        "states.py:pydantic",
        "states.py:dataclass_",
        "states.py:one_list",
        "states.py:no_reducer",
        "states.py:only_the_reply",
        "states.py:objects",
        "states.py:in_a_humans_name",
        "runtime.py:defaults",
        "runtime.py:loose",
        "runtime.py:own_store",
        "runtime.py:needs_store",
        "runtime.py:needs_ambient_store",
        "runtime.py:no_store",
    ],
)
async def test_memory_within_an_episode_and_none_across(play, spec):
    assert await play(spec) == [TURNS, TURNS]


@pytest.mark.parametrize(
    ("spec", "mapping", "said"),
    [
        ("custom_state.py:graph", "input=research_topic,output=running_summary", ["1 notes"] * 3),
        (
            "custom_state.py:graph",
            {"input": "research_topic", "output": "notes.0"},
            ["You are in the shed."] * 3,
        ),
        ("mapped.py:graph", None, ["draft 2"] * 3),
        ("mapped.py:graph", "input=request.text,output=drafts.0.answer,state.limit=1", ["first"] * 3),
        ("runtime.py:defaults", "context.greeting=hello", ["hello 1", "hello 2", "hello 3"]),
        ("required.py:typed_dict", "state.user_name=Ann", ["I am Ann"] * 3),
        ("required.py:pydantic", "state.user_name=Ann", ["I am Ann"] * 3),
        ("runtime.py:user", "context.user_id=ann", ["ann 1", "ann 2", "ann 3"]),
        ("runtime.py:loose", "context.greeting=hi", ["hi 1", "hi 2", "hi 3"]),
        ("runtime.py:configured", "configurable.user_id=ann", ["ann 1", "ann 2", "ann 3"]),
        ("factories.py:make_graph_from_config", "configurable.greeting=hey", ["hey 1", "hey 2", "hey 3"]),
    ],
)
async def test_what_a_mapping_says(play, spec, mapping, said):
    assert await play(spec, mapping=mapping) == [said, said]


@pytest.mark.parametrize(
    ("spec", "mapping", "told"),
    [
        (
            "custom_state.py:graph",
            None,
            r"no `messages` \(its keys: notes, research_topic, running_summary\).*"
            r"--mapping input=research_topic,output=running_summary\)$",
        ),
        (
            "custom_state.py:graph",
            "input=topic,output=notes",
            r"mapping.input: .*no key 'topic' \(expected: notes \|",
        ),
        ("custom_state.py:graph", "input=research_topic,output=x", "mapping.output: .*no key 'x'"),
        ("custom_state.py:graph", "input=research_topic", "no `messages` to answer in"),
        (
            "runtime.py:user",
            None,
            r"needs user_id in its context \(expected: --mapping context.user_id=VALUE",
        ),
        ("runtime.py:user", "context.user=1", r"context.user: .*no such field .*\(expected: user_id\)"),
        ("custom_state.py:graph", "input", "cannot be read"),
        ("custom_state.py:graph", "input=,output=x", "mapping: cannot read 'input='"),
        ("custom_state.py:graph", "inputs=a", r"mapping.inputs: is unknown \(expected: input \| output"),
        ("custom_state.py:graph", "input=a,input=b", "mapping: 'input' stands twice"),
    ],
)
def test_what_is_missing_is_named(agents, spec, mapping, told):
    with pytest.raises(BadInput, match=told):
        load_newcomer(f"langgraph_{spec}", folder=agents, mapping=mapping)


async def test_a_configured_key_that_is_missing_is_named(play):
    with pytest.raises(
        BadInput, match=r"needs 'user_id' in its configurable \(expected: --mapping configurable"
    ):
        await play("runtime.py:configured")


# --- Pauses ------------------------------------------------------------------------------------------------

SHED = "You are in the shed."


@pytest.mark.parametrize(
    ("spec", "policy", "said"),
    [
        ("words", "reply", ["what now?", f"heard {SHED}", "what now?"]),
        ("words", "approve", ["heard yes"] * 3),
        ("words", "reject", ["heard no"] * 3),
        ("an_object", "reply", ["what now?", f"heard {SHED}", "what now?"]),
        ("approval", "reply", ["may I?", f"not {SHED}", "may I?"]),
        ("approval", "approve", ["approved"] * 3),
        ("approval", "reject", ["not False"] * 3),
        ("requests", "reply", ["may I wait?", f"response {SHED}", "may I wait?"]),
        ("requests", "approve", ["accept"] * 3),
        ("requests", "reject", ["ignore"] * 3),
        ("two", "approve", ["right yes"] * 3),
        ("words", {"rules": [{"asks": "what", "answer": "42"}]}, ["heard 42"] * 3),
        (
            "an_object",
            {"rules": [{"answer": {"data": "so: {observation}"}}]},
            ["what now?", f"heard so: {SHED}", "what now?"],
        ),
        ("words", {"rules": [{"asks": "never", "answer": 1}], "otherwise": "reject"}, ["heard no"] * 3),
        ("approval", {"rules": [{"asks": '"draft": "wait"', "do": "approve"}]}, ["approved"] * 3),
    ],
)
async def test_pauses_that_ask(play, spec, policy, said):
    both = await play(f"pauses.py:{spec}", on_interrupt=policy)
    assert both == [[one.strip() for one in said]] * 2


async def test_two_questions_at_once_are_one_reply(play):
    (one, _) = await play("pauses.py:two", turns=2)
    assert one == ["left?", f"right {SHED}"]


@pytest.mark.parametrize("policy", ["approve", "reject"])
async def test_a_graph_that_asks_for_ever_is_stopped(play, policy):
    with pytest.raises(NewcomerError, match="paused more than 10 times in one turn: say are you sure"):
        await play("pauses.py:for_ever", on_interrupt=policy)


async def test_a_graph_that_asks_for_ever_replies_each_time(play):
    assert await play("pauses.py:for_ever") == [["are you sure?"] * 3] * 2


@pytest.mark.parametrize("spec", ["before_tools", "before_human"])
@pytest.mark.parametrize("policy", ["reply", "approve"])
async def test_graphs_that_stand_still(play, spec, policy):
    if (spec, policy) == ("before_human", "approve"):
        with pytest.raises(NewcomerError, match="paused more than 10 times in one turn: before human"):
            await play(f"breakpoints.py:{spec}", on_interrupt=policy)
    else:
        assert await play(f"breakpoints.py:{spec}", on_interrupt=policy) == [TURNS, TURNS]


def test_policies_that_will_not_do(agents, tmp_path):
    def load(policy):
        return load_newcomer("langgraph_pauses.py:words", folder=agents, on_interrupt=policy)

    with pytest.raises(
        BadInput, match=r"on_interrupt: 'maybe' is no answer to a pause \(expected: reply \| approve"
    ):
        load("maybe")
    file = tmp_path / "answers.yaml"
    file.write_text("rules:\n  - asks: what\n    answer: [1, 2]\n  - do: approve\n")
    load(str(file)).close()
    file.write_text("rules:\n  - asks: '('\n    answer: 1\n")
    with pytest.raises(BadInput, match=r"answers\.yaml:2: .*no regular expression"):
        load(file)
    for rules in ([], [{"asks": "x"}], [{"answer": 1, "do": "reject"}]):
        with pytest.raises(BadInput, match=r"on_interrupt\.rules"):
            load({"rules": rules})
