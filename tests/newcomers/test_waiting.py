"""Whose failure a deadline is: the newcomer's, or that of a model which was asked and does not answer."""

import asyncio

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_openai import ChatOpenAI

from normgym_agents.evaluation.config import Limits
from normgym_agents.evaluation.outcomes import Outcome
from normgym_agents.newcomers import adapt
from normgym_agents.newcomers.contract import waits_for_model
from normgym_agents.testing import CallTool, Fail, Hang, Say, by_turn
from normgym_agents.worlds.conditions import Condition
from tests.community.playing import play, small_world


class Stuck:
    """A tool that never comes back, and tells when it was called."""

    def __init__(self):
        self.called = asyncio.Event()

    async def think(self) -> str:
        """Think."""
        self.called.set()
        await asyncio.Event().wait()
        return "never"


def chat_model(tool):
    return ChatOpenAI(model="gpt-4o", max_retries=0)


def streaming_model(tool):
    return ChatOpenAI(model="gpt-4o", max_retries=0, streaming=True)


def graph(tool):
    return create_agent(chat_model(tool), [tool])


def made_graph(tool):
    return lambda: graph(tool)


def assistant(tool, **options):
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    client = OpenAIChatCompletionClient(model="gpt-4o-2024-08-06", max_retries=0)
    return AssistantAgent("a", client, tools=[tool], **options)


def streaming_assistant(tool):
    return assistant(tool, model_client_stream=True)


def made_assistant(tool):
    return lambda: assistant(tool)


AGENTS = [chat_model, streaming_model, graph, made_graph, assistant, streaming_assistant, made_assistant]
WITH_TOOLS = [graph, made_graph, assistant, streaming_assistant, made_assistant]


async def cancelled(newcomer, observation, when):
    """Begin a turn, and cancel it as a deadline does."""
    await newcomer.join("Tam")
    turn = asyncio.create_task(newcomer.turn(observation))
    waiting = asyncio.ensure_future(when())
    await asyncio.wait([waiting, turn], return_when=asyncio.FIRST_COMPLETED)
    assert not turn.done(), await turn
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    said = waits_for_model(newcomer)
    await newcomer.leave()
    return said


@pytest.mark.parametrize("make", AGENTS)
async def test_a_model_that_does_not_answer(scripted_endpoint, observe, make):
    endpoint = scripted_endpoint(Hang(60))

    async def asked():
        while not endpoint.requests:  # noqa: ASYNC110 # another thread's, which sets no event of this loop
            await asyncio.sleep(0.01)

    newcomer = adapt(make(Stuck().think)).factory(0)
    assert await cancelled(newcomer, observe(), asked)


@pytest.mark.parametrize("make", WITH_TOOLS)
async def test_a_tool_that_does_not_come_back(scripted_endpoint, observe, make):
    scripted_endpoint(by_turn(CallTool("think", {})))
    tool = Stuck()
    newcomer = adapt(make(tool.think)).factory(0)
    assert not await cancelled(newcomer, observe(), tool.called.wait)


@pytest.mark.parametrize("make", AGENTS)
@pytest.mark.parametrize("answer", [Say("wait"), Fail(500, "Out of clay")])
async def test_nothing_is_owed_after_an_answer(scripted_endpoint, observe, make, answer):
    scripted_endpoint(answer)
    newcomer = adapt(make(Stuck().think)).factory(0)
    await newcomer.join("Tam")
    await asyncio.gather(newcomer.turn(observe()), return_exceptions=True)
    assert not waits_for_model(newcomer)
    await newcomer.leave()


class Slow(FakeListChatModel):
    """Never answers, without a network."""

    async def _agenerate(self, *args, **options):
        await asyncio.Event().wait()


async def idle(text):
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("agent", "outcome", "told"),
    [
        (Slow(responses=["wait"]), Outcome.MODEL_FAILED, "no answer from the model within 0.5 s"),
        (idle, Outcome.NEWCOMER_FAILED, "no reply within 0.5 s"),
    ],
)
async def test_the_outcome_of_an_episode(agent, outcome, told):
    factory = adapt(agent).factory
    record = await play(small_world(), Condition.NONE, factory, limits=Limits(deadline=0.5))
    assert (record.outcome, record.error) == (outcome, told)
    assert (record.scores is None) == (outcome is Outcome.MODEL_FAILED)


def test_what_a_newcomer_says_of_itself_is_only_taken_if_it_says_so_plainly():
    class Broken:
        @property
        def waiting_for_model(self):
            raise ZeroDivisionError

    class Vague:
        waiting_for_model = "perhaps"

    assert not any(waits_for_model(newcomer) for newcomer in (Broken(), Vague(), object()))


@pytest.mark.parametrize("make", WITH_TOOLS)
async def test_after_a_call_that_is_never_answered_the_next_turn_works(scripted_endpoint, observe, make):
    """A provider refuses a conversation with an open call, as the endpoint does."""
    endpoint = scripted_endpoint(by_turn(CallTool("think", {}), Say("wait")))
    tool = Stuck()
    newcomer = adapt(make(tool.think)).factory(0)
    await newcomer.join("Tam")
    turn = asyncio.create_task(newcomer.turn(observe()))
    await asyncio.wait_for(tool.called.wait(), 20)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    reply = await newcomer.turn(observe("Later."))
    await newcomer.leave()
    assert reply.act is not None and reply.act.verb == "wait"
    assert not endpoint.rejected and endpoint.requests[-1].last_text == "Later."
    assert "cut off" in str(endpoint.requests[-1].messages)
