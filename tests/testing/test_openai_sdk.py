"""The OpenAI SDK, sync and async, against the scripted endpoint: what it sends, parses, retries and raises."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Literal

import openai
import pytest
from pydantic import BaseModel

from normgym_agents.testing import (
    CallTool,
    CallTools,
    Drop,
    Fail,
    Garbage,
    Hang,
    Say,
    ScriptedEndpoint,
    Structured,
    fail_first,
    sequence,
)

MESSAGES: list = [{"role": "user", "content": "Take the ash jar"}]
TOOLS: list = [{"type": "function", "function": {"name": "take", "parameters": {"type": "object"}}}]
MODEL = "scripted-model"


class Act(BaseModel):
    verb: Literal["take", "wait"]


@contextlib.contextmanager
def sync_client(**settings) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(**settings) as client:
        yield client


@contextlib.asynccontextmanager
async def async_client(**settings) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(**settings) as client:
        yield client


def test_words(scripted_endpoint):
    endpoint = scripted_endpoint(Say("Taken."))
    with sync_client() as client:
        got = client.chat.completions.create(model=MODEL, messages=MESSAGES)
        listed = [model.id for model in client.models.list()]
    assert got.choices[0].message.content == "Taken."
    assert got.usage is not None and (got.usage.prompt_tokens, got.usage.completion_tokens) == (4, 2)
    assert listed == [endpoint.model]


async def test_words_async(scripted_endpoint):
    scripted_endpoint(Say("Taken."))
    async with async_client() as client:
        got = await client.chat.completions.create(model=MODEL, messages=MESSAGES)
    assert got.choices[0].message.content == "Taken."


def test_a_stream_of_words_with_usage(scripted_endpoint):
    scripted_endpoint(Say("I took the ash jar."))
    with (
        sync_client() as client,
        client.chat.completions.create(
            model=MODEL, messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        ) as stream,
    ):
        chunks = list(stream)
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "I took the ash jar."
    assert chunks[-1].usage is not None and chunks[-1].usage.completion_tokens == 5  # 19 bytes


async def test_a_stream_of_calls_is_put_together_by_the_sdk(scripted_endpoint):
    scripted_endpoint(
        CallTools(CallTool("take", {"thing": "the ash jar"}), CallTool("take", {"thing": "the lid"}))
    )
    async with async_client() as client:
        async with client.chat.completions.stream(model=MODEL, messages=MESSAGES, tools=TOOLS) as stream:
            got = await stream.get_final_completion()
    calls = got.choices[0].message.tool_calls
    assert calls is not None and got.choices[0].finish_reason == "tool_calls"
    assert [c.function.arguments for c in calls] == ['{"thing": "the ash jar"}', '{"thing": "the lid"}']


def test_structured_output_is_parsed(scripted_endpoint):
    endpoint = scripted_endpoint(Structured({"verb": "take"}))
    with sync_client() as client:
        got = client.chat.completions.parse(model=MODEL, messages=MESSAGES, response_format=Act)
    assert got.choices[0].message.parsed == Act(verb="take")
    assert endpoint.requests[0].schema is not None


def test_a_rate_limit_is_retried_when_the_provider_says(scripted_endpoint):
    endpoint = scripted_endpoint(fail_first(2, 429, Say("Taken."), retry_after=0.01))
    with sync_client() as client:
        got = client.chat.completions.create(model=MODEL, messages=MESSAGES)
    assert got.choices[0].message.content == "Taken."
    counts = [r.headers["x-stainless-retry-count"] for r in endpoint.requests]
    assert counts == ["0", "1", "2"]


async def test_a_rate_limit_that_stays_ends_the_retries(scripted_endpoint):
    endpoint = scripted_endpoint(Fail(429, "Slow down", retry_after=0.01))
    async with async_client(max_retries=1) as client:
        with pytest.raises(openai.RateLimitError, match="Slow down") as caught:
            await client.chat.completions.create(model=MODEL, messages=MESSAGES)
    assert caught.value.code == "rate_limit_exceeded"
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_each_status_has_its_exception(scripted_endpoint, status, error, stream):
    scripted_endpoint(Fail(status, "Out of clay"))
    with sync_client(max_retries=0) as client, pytest.raises(error, match="Out of clay"):
        client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=stream)


@pytest.mark.parametrize("stream", [False, True])
def test_a_hang_meets_the_clients_timeout(scripted_endpoint, stream):
    scripted_endpoint(Hang(60))
    with sync_client(max_retries=0, timeout=0.05) as client, pytest.raises(openai.APITimeoutError):
        client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=stream)


async def test_a_hang_meets_the_async_clients_timeout(scripted_endpoint):
    scripted_endpoint(Hang(60))
    async with async_client(max_retries=0, timeout=0.05) as client:
        with pytest.raises(openai.APITimeoutError):
            await client.chat.completions.create(model=MODEL, messages=MESSAGES)


@pytest.mark.parametrize("drop", [Drop(), Drop(None)], ids=["mid-answer", "before"])
def test_a_dropped_connection_is_a_connection_error(scripted_endpoint, drop):
    scripted_endpoint(drop)
    with sync_client(max_retries=0) as client, pytest.raises(openai.APIConnectionError):
        client.chat.completions.create(model=MODEL, messages=MESSAGES)


@pytest.mark.parametrize("retries", [0, 2])
async def test_a_stream_dropped_midway_keeps_what_was_said_and_is_not_retried(scripted_endpoint, retries):
    endpoint = scripted_endpoint(Drop("I was about to"))
    said = ""
    async with async_client(max_retries=retries) as client:
        stream = await client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True)
        async with stream:
            with pytest.raises(openai.APIConnectionError):
                async for chunk in stream:
                    said += chunk.choices[0].delta.content or ""
    assert said == "I was about to" and len(endpoint.requests) == 1


def test_a_proxys_page_is_an_error_with_its_status(scripted_endpoint):
    scripted_endpoint(Garbage(b"<html>Bad gateway</html>", content_type="text/html", status=502))
    with sync_client(max_retries=0) as client, pytest.raises(openai.InternalServerError) as caught:
        client.chat.completions.create(model=MODEL, messages=MESSAGES)
    assert caught.value.status_code == 502 and caught.value.response.text == "<html>Bad gateway</html>"


def test_half_a_json_document_is_no_completion(scripted_endpoint):
    scripted_endpoint(Garbage(b'{"id": "chatcmpl-1", "choi'))
    with sync_client(max_retries=0) as client, pytest.raises(ValueError):
        client.chat.completions.create(model=MODEL, messages=MESSAGES)


def test_a_scripts_fault_is_not_retried():
    with ScriptedEndpoint(sequence(Say("one"))) as endpoint:
        with sync_client(base_url=endpoint.base_url, api_key=endpoint.api_key) as client:
            client.chat.completions.create(model=MODEL, messages=MESSAGES)
            with pytest.raises(openai.InternalServerError, match="answer 2 was asked for"):
                client.chat.completions.create(model=MODEL, messages=MESSAGES)
    assert len(endpoint.errors) == 1 and len(endpoint.requests) == 2


def test_a_wrong_key_is_turned_away(scripted_endpoint):
    endpoint = scripted_endpoint(Say("yes"))
    with sync_client(api_key="another") as client, pytest.raises(openai.AuthenticationError):
        client.chat.completions.create(model=MODEL, messages=MESSAGES)
    assert endpoint.rejected == ("401 Incorrect API key provided.",)
