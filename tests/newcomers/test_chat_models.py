"""Chat models as newcomers, and providers that fail."""

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from normgym_agents.errors import ModelError
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
