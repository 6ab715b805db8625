"""Chat models as newcomers, and providers that fail."""

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from normgym_agents.errors import BadInput, ModelError
from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.testing import CallTool, Fail, Say, by_turn
from tests.newcomers.taking_part import TAKE, TAKING, WAIT, take_part


async def test_a_providers_failure_is_the_models(scripted_endpoint, observe):
    scripted_endpoint(Fail(500, "Out of clay"))
    model = ChatOpenAI(model="m", max_retries=0)
    for agent in (create_agent(model), model):
        with pytest.raises(ModelError, match="Out of clay"):
            await take_part(adapt(agent), observe())


async def test_a_chat_model_acts_with_tools(scripted_endpoint, observe):
    endpoint = scripted_endpoint(by_turn(CallTool("take", {"thing": "sarn ringed cup"}), Say("Wait.")))
    loaded = load_newcomer("openai:scripted-model")
    first, second = await take_part(loaded, observe("You are new."), observe("More."))
    assert (loaded.kind, first.act, first.channel) == ("chat_model", TAKE, "tool")
    assert (second.act, second.channel, second.model_calls) == (WAIT, "text", 1)
    one, two = endpoint.requests
    assert "You are Tam." in one.system and list(one.tools) == [*observe().view.verbs, "act", "look"]
    assert [m["role"] for m in two.messages] == ["system", "user", "assistant", "tool", "user"]
    for word in ("norm", "rule", "sanction", "test"):
        assert word not in one.system.casefold()


async def test_a_chat_model_without_tools(observe):
    replies = await take_part(adapt(FakeListChatModel(responses=["wait", TAKING])), observe(), observe())
    assert [reply.act for reply in replies] == [WAIT, TAKE]


async def test_parameters_of_a_model(scripted_endpoint, observe):
    endpoint = scripted_endpoint(Say("Wait."))
    loaded = load_newcomer("openai:scripted-model?temperature=0&max_tokens=200&seed=7&timeout=5")
    (reply,) = await take_part(loaded, observe())
    body = endpoint.requests[0].body
    assert (body["temperature"], body["seed"], body["max_completion_tokens"]) == (0, 7, 200)
    assert (reply.act, loaded.name) == (
        WAIT,
        "openai:scripted-model?temperature=0&max_tokens=200&seed=7&timeout=5",
    )


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("temprature=0", r"no parameter 'temprature'.*temperature \| top_p"),
        ("temperature=hot", "temperature: .*valid number"),
        ("temperature=-1", "temperature: .*greater than or equal to 0"),
        ("temperature=0&temperature=1", "stands twice"),
        ("temperature", "cannot read 'temperature'"),
        ("", "cannot read ''"),
        ("max_tokens=0", "max_tokens"),
        ("base_url=file:///etc", "base_url"),
    ],
)
def test_parameters_that_will_not_do(scripted_endpoint, query, told):
    scripted_endpoint(Say("Wait."))
    with pytest.raises(BadInput, match=told):
        load_newcomer(f"openai:scripted-model?{query}")


def test_a_parameter_that_a_provider_does_not_have(scripted_endpoint, monkeypatch):
    scripted_endpoint(Say("Wait."))
    monkeypatch.setattr(
        "langchain.chat_models.init_chat_model", lambda *_, **__: FakeListChatModel(responses=["wait"])
    )
    with pytest.raises(BadInput, match="models of openai take no parameter 'seed'"):
        load_newcomer("openai:scripted-model?seed=1")
