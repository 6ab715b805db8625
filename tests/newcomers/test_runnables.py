"""LangChain chains take part: each is sent what it takes, and what it gives is read."""

import asyncio

import pytest
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool

from normgym_agents.errors import BadInput
from normgym_agents.newcomers import load_newcomer
from normgym_agents.newcomers.adapting import adapt
from normgym_agents.newcomers.wiring import StateMapping, Wiring
from normgym_agents.testing import Say, ScriptedEndpoint
from tests.agents import langchain_chains

SPEC = "langchain_chains.py"


@pytest.fixture
def endpoint(monkeypatch):
    with ScriptedEndpoint(lambda request: Say(f"say turn {request.turn}")) as endpoint:
        for name, value in endpoint.env().items():
            monkeypatch.setenv(name, value)
        yield endpoint


@pytest.fixture
def said(observe):
    """A function that plays turns of an episode; what was said in each, or done."""

    async def play(runnable, turns=2, wiring=None):
        newcomer = adapt(runnable, "it", wiring).factory(0)
        await newcomer.join("Tam")
        replies = [await newcomer.turn(observe(f"Look {i}.")) for i in range(turns)]
        await newcomer.leave()
        return [reply.act and (reply.act.say or reply.act.verb) for reply in replies]

    return play


def sent(endpoint, number):
    return [(message["role"], message["content"]) for message in endpoint.requests[number].messages]


async def test_a_prompt_with_one_gap_is_told_the_observation(endpoint, said):
    assert await said(langchain_chains.chain) == ["turn 0", "turn 0"]
    assert sent(endpoint, 1) == [("system", "Answer with one act."), ("user", "Look 1.")]


@pytest.mark.parametrize("name", ["with_history", "of_messages"])
async def test_whatever_takes_a_conversation_is_sent_it(endpoint, name, said):
    assert await said(getattr(langchain_chains, name)) == ["turn 0", "turn 1"]
    assert sent(endpoint, 1) == [("user", "Look 0."), ("assistant", "say turn 0"), ("user", "Look 1.")]


async def test_a_chain_that_begins_with_a_model_is_sent_the_conversation(endpoint, said):
    from langchain_openai import ChatOpenAI

    assert await said(ChatOpenAI(model="gpt-4o-mini") | (lambda message: message.text)) == [
        "turn 0",
        "turn 1",
    ]


async def test_each_episode_has_a_session_of_its_own(said):
    runs = await asyncio.gather(*(said(langchain_chains.in_sessions) for _ in range(2)))
    assert runs == [["turn 0", "turn 1"]] * 2


@pytest.mark.parametrize("name", ["of_words", "of_an_answer", "of_a_message"])
async def test_what_it_gives_is_read(name, said):
    assert await said(getattr(langchain_chains, name), 1) == ["wait"]


async def test_a_chain_of_two_gaps_is_told_where_the_mapping_says(endpoint, said):
    mapping = StateMapping(input="scene", state={"name": "Ann"})
    await said(langchain_chains.of_two, 1, Wiring(mapping=mapping))
    assert sent(endpoint, 0) == [("user", "Ann sees: Look 0.")]


@tool
def look_up(word: str) -> str:
    """Look something up."""
    return word


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (
            langchain_chains.of_two,
            r"it takes name, scene: which of them .* \(expected: --mapping input=name,state.scene=VALUE",
        ),
        (look_up, "it is a tool, which is a part of an agent"),
        (ChatPromptTemplate.from_messages([("human", "{x}")]), "it is a prompt"),
    ],
)
def test_what_cannot_be_told_or_is_a_part_is_refused(what, message):
    with pytest.raises(BadInput, match=message):
        adapt(what, "it")


def test_a_class_that_needs_something_is_no_agent(agents):
    with pytest.raises(BadInput, match=r"Needy is a class needing `name` .*def agent\(\): return Needy\(…\)"):
        load_newcomer(f"{SPEC}:Needy", folder=agents)
