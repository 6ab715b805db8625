"""LangChain's ChatOpenAI, and an agent of `create_agent`, against the scripted endpoint."""

from typing import Any, Literal

import openai
import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy
from langchain_core.messages import AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from normgym_agents.testing import (
    CallTool,
    CallTools,
    Fail,
    Hang,
    Say,
    Structured,
    by_content,
    by_turn,
    fail_first,
)

MODEL = "scripted-model"


@tool
def take(thing: str) -> str:
    """Take a thing."""
    return f"You hold the {thing}."


class Act(BaseModel):
    """An act."""

    verb: Literal["take", "wait"]
    thing: str | None = None


def test_words_and_usage(scripted_endpoint):
    scripted_endpoint(Say("Taken."))
    got = ChatOpenAI(model=MODEL).invoke("Take the ash jar")
    assert got.content == "Taken."
    assert got.usage_metadata is not None
    assert (got.usage_metadata["input_tokens"], got.usage_metadata["output_tokens"]) == (4, 2)


async def test_bound_tools(scripted_endpoint):
    endpoint = scripted_endpoint(CallTools(CallTool("take", {"thing": "lid"}), CallTool("take", "{broken")))
    got = await ChatOpenAI(model=MODEL).bind_tools([take], tool_choice="required").ainvoke("Take both")
    assert [(c["name"], c["args"]) for c in got.tool_calls] == [("take", {"thing": "lid"})]
    assert [c["args"] for c in got.invalid_tool_calls] == ["{broken"]
    assert endpoint.requests[0].tool_choice == "required" and list(endpoint.requests[0].tools) == ["take"]


@pytest.mark.parametrize(
    ("method", "answer", "prompt"),
    [
        ("json_schema", Structured({"verb": "take", "thing": "lid"}), "Act"),
        ("function_calling", CallTool("Act", {"verb": "take", "thing": "lid"}), "Act"),
        ("json_mode", Structured({"verb": "take", "thing": "lid"}), "Act, in JSON"),
    ],
)
async def test_structured_output_by_each_method(scripted_endpoint, method, answer, prompt):
    scripted_endpoint(answer)
    model = ChatOpenAI(model=MODEL).with_structured_output(Act, method=method)
    assert await model.ainvoke(prompt) == Act(verb="take", thing="lid")


@pytest.mark.parametrize("stream_usage", [None, True])
async def test_streams_carry_usage_only_when_asked(scripted_endpoint, stream_usage):
    """With another base URL than the provider's own, LangChain does not ask by itself."""
    scripted_endpoint(Say("I took it."))
    chunks = [c async for c in ChatOpenAI(model=MODEL, stream_usage=stream_usage).astream("Take it")]
    assert [c.content for c in chunks if c.content] == ["I ", "took ", "it."]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert isinstance(whole, AIMessageChunk)
    assert (whole.usage_metadata and whole.usage_metadata["output_tokens"]) == (3 if stream_usage else None)


def test_streamed_calls_are_put_together(scripted_endpoint):
    scripted_endpoint(CallTool("take", {"thing": "the jar of ash glaze"}, text="I take it."))
    whole: Any = None
    for chunk in ChatOpenAI(model=MODEL).bind_tools([take]).stream("Take it"):
        whole = chunk if whole is None else whole + chunk
    assert isinstance(whole, AIMessageChunk) and whole.content == "I take it."
    assert [(c["name"], c["args"]) for c in whole.tool_calls] == [("take", {"thing": "the jar of ash glaze"})]


async def test_an_agent_runs_its_tool_loop(scripted_endpoint):
    endpoint = scripted_endpoint(by_turn(CallTool("take", {"thing": "ash jar"}), Say("Done.")))
    agent = create_agent(ChatOpenAI(model=MODEL), [take], system_prompt="You are Tam.")
    got = await agent.ainvoke({"messages": [HumanMessage("Take the ash jar")]})
    assert [m.type for m in got["messages"]] == ["human", "ai", "tool", "ai"]
    assert got["messages"][-1].content == "Done."
    first, second = endpoint.requests
    assert first.system == "You are Tam." and second.last_text == "You hold the ash jar."


def test_an_agent_streams_and_formats_its_response(scripted_endpoint):
    script = by_content(
        {"You hold": Structured({"verb": "wait", "thing": None})}, default=CallTool("take", {"thing": "jar"})
    )
    scripted_endpoint(script)
    agent = create_agent(
        ChatOpenAI(model=MODEL, streaming=True), [take], response_format=ProviderStrategy(Act)
    )
    got = agent.invoke({"messages": [HumanMessage("Take the jar")]})
    assert got["structured_response"] == Act(verb="wait")
    assert any(isinstance(m, ToolMessage) for m in got["messages"])


def test_a_rate_limit_is_outlived(scripted_endpoint):
    endpoint = scripted_endpoint(fail_first(1, 429, Say("Taken."), retry_after=0.01))
    assert ChatOpenAI(model=MODEL).invoke("Take it").content == "Taken."
    assert len(endpoint.requests) == 2


async def test_failures_are_the_sdks_own(scripted_endpoint):
    scripted_endpoint(Fail(500, "Out of clay"))
    with pytest.raises(openai.InternalServerError, match="Out of clay"):
        await ChatOpenAI(model=MODEL, max_retries=0).ainvoke("Take it")
    scripted_endpoint(Hang(60))
    with pytest.raises(openai.APITimeoutError):
        await ChatOpenAI(model=MODEL, max_retries=0, timeout=0.05).ainvoke("Take it")
