"""The example newcomers that ship, against a scripted model."""

import asyncio
import json
from pathlib import Path

import pytest

from normgym_agents.assets import asset
from normgym_agents.errors import BadInput
from normgym_agents.newcomers import load_newcomer
from normgym_agents.testing import CallTool, CallTools, Say, by_content, by_turn
from normgym_agents.worlds.acts import Act
from tests.newcomers.taking_part import TAKE, TAKING, WAIT, take_part

ROOT = Path(__file__).parents[2]
GRAPHS = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
AUTOGEN = {"autogen_assistant": "make_agent", "autogen_team": "make_team"}
"""What LangGraph cannot serve, so that it is not in `langgraph.json`."""


@pytest.fixture
def live(observe):
    """A function that loads an example and plays two episodes of it at once; the replies of the first."""

    async def live(name, *texts):
        spec = f"{asset('graphs', f'{name}.py')}:{AUTOGEN[name]}" if name in AUTOGEN else name
        loaded = load_newcomer(spec, model="openai:scripted-model", folder=ROOT)
        try:
            episodes = [take_part(loaded, *map(observe, texts)) for _ in range(2)]
            first, second = await asyncio.gather(*episodes)
        finally:
            loaded.close()
        assert first == second
        return first

    return live


def spoken(request):
    """All that a model is told, in one text."""
    return "\n".join(message["content"] or "" for message in request.messages)


def by_prompt(**answers):
    """A script that answers by a word of all that the model is told; underscores are blanks."""

    def script(request):
        for word, answer in answers.items():
            if word.replace("_", " ") in spoken(request):
                return answer(request) if callable(answer) else Say(answer)
        raise AssertionError(f"nobody expected {spoken(request)!r}")

    return script


@pytest.mark.parametrize("name", ["react_agent", "autogen_assistant"])
async def test_agents_with_a_notebook_as_a_tool(scripted_endpoint, live, name):
    endpoint = scripted_endpoint(
        by_content({"^bell$": Say("wait")}, default=CallTool("note", {"text": "bell"}))
    )
    (reply,) = await live(name, "You are in the shed.")
    assert (reply.act, reply.model_calls) == (WAIT, 2)
    assert {request.model for request in endpoint.requests} == {"scripted-model"}


async def test_the_notebook_is_rewritten_and_read_before_each_act(scripted_endpoint, live):
    def study(request):
        return Say("Bells: no cups." if "(empty)" in spoken(request) else "Bells: no cups. Sure by now.")

    endpoint = scripted_endpoint(by_prompt(keep_a_notebook=study, have_just_arrived=TAKING))
    first, second = await live("notebook_agent", "Sef was frowned at.", "And again.")
    assert (first.act, second.act, first.model_calls) == (TAKE, TAKE, 2)
    acting = [spoken(request) for request in endpoint.requests if "just arrived" in spoken(request)]
    assert sorted("Sure by now." in text for text in acting) == [False, False, True, True]
    assert all(("And again." in text) == ("Sure by now." in text) for text in acting)
    assert all("Sef was frowned at." in text for text in acting)


async def test_a_plan_that_would_break_a_supposed_rule_is_made_again(scripted_endpoint, live):
    def check(request):
        return Say("Keep." if "act\nwait" in spoken(request) else "Cups are left alone; wait instead.")

    def plan(request):
        return Say("wait" if "wait instead" in spoken(request) else TAKING)

    endpoint = scripted_endpoint(
        by_prompt(
            List_who_did="Sef took a cup; Mira frowned.",
            Which_unspoken="Never take cups. 90 %",
            Would_this_act=check,
            Choose_the_one=plan,
        )
    )
    first, second = await live("normative_agent", "Sef took a cup.", "You are alone.")
    assert (first.act, second.act) == (WAIT, WAIT)
    assert first.model_calls == 6  # observe, hypothesise, twice plan and check
    supposing = [spoken(r) for r in endpoint.requests if "Which unspoken" in spoken(r)]
    assert sorted("Never take cups" in text for text in supposing) == [False, False, True, True]


async def test_a_plan_that_never_passes_is_carried_out_in_the_end(scripted_endpoint, live):
    scripted_endpoint(
        by_prompt(
            List_who="A cup.", Which_unspoken="No cups. 60 %", Would_this="It breaks it.", Choose=TAKING
        )
    )
    (reply,) = await live("normative_agent", "Sef took a cup.")
    assert (reply.act, reply.model_calls) == (TAKE, 8)


async def test_a_supervisor_asks_its_two(scripted_endpoint, live):
    questions = CallTools(
        CallTool("ask_watcher", {"question": "Mira frowned at Sef."}),
        CallTool("ask_planner", {"question": "Two cups to bring."}),
    )

    def script(request):
        if not request.tools:
            return Say("They mind cups." if "Mira frowned" in request.last_text else "Take the cup.")
        return by_turn(questions, Say(TAKING), Say("wait"))(request)

    endpoint = scripted_endpoint(script)
    first, second = await live("supervisor", "Mira frowned at Sef.", "You hold a cup.")
    assert (first.act, first.model_calls, second.act, second.model_calls) == (TAKE, 4, WAIT, 1)
    told = {m["content"] for r in endpoint.requests for m in r.messages if m["role"] == "tool"}
    assert told == {"They mind cups.", "Take the cup."}


async def test_a_state_without_messages_with_a_diary(scripted_endpoint, live):
    endpoint = scripted_endpoint(by_prompt(Now=TAKING))
    replies = await live("custom_state", "Sef was frowned at.", "You hold a cup.", "It is noon.")
    assert [reply.act for reply in replies] == [TAKE] * 3
    last = [spoken(r) for r in endpoint.requests if "Now:\nIt is noon." in spoken(r)]
    past = f"Sef was frowned at.\nYou decided: {TAKING}\n\nYou hold a cup.\nYou decided: {TAKING}"
    assert len(last) == 2 and all(past in text for text in last)


async def test_a_team_that_watches_and_does(scripted_endpoint, live):
    scripted_endpoint(by_prompt(Do_not_act="They mind cups.", Do_one_thing="say Good day"))
    first, second = await live("autogen_team", "You are new.", "Go on.")
    assert (first.act, first.model_calls) == (Act(verb="say", say="Good day"), 2)
    assert second.act == first.act


@pytest.mark.parametrize("name", ["react_agent", "autogen_team"])
async def test_a_key_that_is_not_set_is_named(live, name):
    with pytest.raises(BadInput, match="needs OPENAI_API_KEY, which is not set"):
        await live(name, "You are new.")


def test_every_example_is_listed():
    data = json.loads((ROOT / "langgraph.json").read_text())
    assert data["dependencies"] == ["."]
    files = {file.stem for file in (ROOT / "graphs").glob("*.py")} - {"__init__"}
    assert files == set(GRAPHS) | set(AUTOGEN)
    for name, spec in GRAPHS.items():
        assert spec.startswith(f"./graphs/{name}.py:")
