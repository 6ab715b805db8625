"""AutoGen's client and AssistantAgent against the scripted endpoint."""

import contextlib
from collections.abc import AsyncIterator
from typing import Literal

import openai
import pytest
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_core.models import CreateResult, ModelFamily, ModelInfo, SystemMessage, UserMessage
from autogen_core.tools import FunctionTool
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel

from normgym_agents.testing import CallTool, CallTools, Drop, Fail, Say, Structured, by_turn, fail_first

INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=True,
    family=ModelFamily.UNKNOWN,
    structured_output=True,
)
USER = UserMessage(content="Take the ash jar", source="yard")


class Act(BaseModel):
    verb: Literal["take", "wait"]


async def take(thing: str) -> str:
    """Take a thing."""
    return f"You hold the {thing}."


@contextlib.asynccontextmanager
async def client(**settings) -> AsyncIterator[OpenAIChatCompletionClient]:
    made = OpenAIChatCompletionClient(model="scripted-model", model_info=INFO, **settings)
    try:
        yield made
    finally:
        await made.close()


async def test_words_and_usage(scripted_endpoint):
    scripted_endpoint(Say("Taken."))
    async with client() as model:
        got = await model.create([SystemMessage(content="You are Tam."), USER])
    # "You are Tam." is 12 bytes: 3 tokens; "Take the ash jar" 4.
    assert (got.content, got.usage.prompt_tokens, got.usage.completion_tokens) == ("Taken.", 7, 2)


@pytest.mark.parametrize("include_usage", [None, True])
async def test_a_stream_of_words(scripted_endpoint, include_usage):
    scripted_endpoint(Say("I took it."))
    async with client() as model:
        got = [part async for part in model.create_stream([USER], include_usage=include_usage)]
    *parts, result = got
    assert parts == ["I ", "took ", "it."]
    assert (
        isinstance(result, CreateResult) and result.content == "I took it." and result.finish_reason == "stop"
    )
    assert result.usage.completion_tokens == (3 if include_usage else 0)


async def test_a_stream_of_calls(scripted_endpoint):
    scripted_endpoint(
        CallTools(CallTool("take", {"thing": "jar of ash glaze"}), CallTool("take", {"thing": "lid"}))
    )
    async with client() as model:
        tools = [FunctionTool(take, description="Take a thing.")]
        got = [part async for part in model.create_stream([USER], tools=tools)]
    result = got[-1]
    assert isinstance(result, CreateResult) and result.finish_reason == "function_calls"
    assert not isinstance(result.content, str)
    assert [(c.name, c.arguments) for c in result.content] == [
        ("take", '{"thing": "jar of ash glaze"}'),
        ("take", '{"thing": "lid"}'),
    ]


# AutoGen logs the SDK's parsed answer by dumping it, which pydantic comments on.
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings:UserWarning")
@pytest.mark.parametrize("stream", [False, True])
async def test_structured_output(scripted_endpoint, stream):
    endpoint = scripted_endpoint(Structured({"verb": "take"}))
    async with client() as model:
        if stream:
            got = [part async for part in model.create_stream([USER], json_output=Act)][-1]
        else:
            got = await model.create([USER], json_output=Act)
    assert isinstance(got, CreateResult) and isinstance(got.content, str)
    assert Act.model_validate_json(got.content) == Act(verb="take")
    assert endpoint.requests[0].response_format == "json_schema"


@pytest.mark.parametrize("stream", [False, True])
async def test_an_assistant_speaks(scripted_endpoint, stream):
    scripted_endpoint(by_turn(Say("Good day."), Say("Taken.")))
    async with client() as model:
        agent = AssistantAgent("tam", model, system_message="You are Tam.", model_client_stream=stream)
        said = []
        for task in ("Greet Mira", "Take the jar"):
            message = (await agent.run(task=task)).messages[-1]
            assert isinstance(message, TextMessage)
            said.append(message.content)
    assert said == ["Good day.", "Taken."]


@pytest.mark.parametrize("stream", [False, True])
async def test_an_assistant_uses_its_tool_and_reflects(scripted_endpoint, stream):
    endpoint = scripted_endpoint(by_turn(CallTool("take", {"thing": "ash jar"}), Say("Done.")))
    async with client() as model:
        agent = AssistantAgent(
            "tam", model, tools=[take], reflect_on_tool_use=True, model_client_stream=stream
        )
        got = await agent.run(task="Take the ash jar")
    assert got.messages[-1].to_text() == "Done."
    assert endpoint.requests[1].last_text == "You hold the ash jar."
    assert [list(r.tools) for r in endpoint.requests] == [["take"], []]


async def test_a_rate_limit_is_outlived(scripted_endpoint):
    endpoint = scripted_endpoint(fail_first(1, 429, Say("Taken."), retry_after=0.01))
    async with client() as model:
        assert (await model.create([USER])).content == "Taken."
    assert len(endpoint.requests) == 2


async def test_failures_are_the_sdks_own(scripted_endpoint):
    scripted_endpoint(Fail(500, "Out of clay"))
    async with client(max_retries=0) as model:
        with pytest.raises(openai.InternalServerError, match="Out of clay"):
            await AssistantAgent("tam", model).run(task="Take it")
    scripted_endpoint(Drop())
    async with client(max_retries=0) as model:
        with pytest.raises(openai.APIConnectionError):
            await model.create([USER])
