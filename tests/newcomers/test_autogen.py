"""Real AutoGen agents as newcomers, and the ways in which they may fail."""

import asyncio
import logging

import pytest

from normgym_agents.errors import BadInput, ModelError
from normgym_agents.newcomers import adapt, load_newcomer
from normgym_agents.testing import Answer, CallTool, Fail, Say, by_content
from tests.newcomers.taking_part import TAKE, TAKING, WAIT, take_part


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


async def test_other_things_of_autogen_are_refused(scripted_endpoint):
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    scripted_endpoint(Say("wait"))
    client = OpenAIChatCompletionClient(model="gpt-4o")
    with pytest.raises(BadInput, match="OpenAIChatCompletionClient of AutoGen"):
        adapt(client)
    await client.close()
