"""The shim before a stock server that misbehaves as llama.cpp's does: what reaches it, and what comes back."""

import json

import httpx
import pytest

from normgym_agents.local_model.mending import MOST_TOKENS, Unmendable, mend_answer, mend_request
from normgym_agents.local_model.shim import mended

SCHEMA = {"type": "object", "properties": {"act": {"type": "string"}}, "required": ["act"]}
TOOL = {"type": "function", "function": {"name": "act", "parameters": SCHEMA}}
OTHER = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
CALL = {"id": "1", "type": "function", "function": {"name": "act", "arguments": "{}"}}


def asked(**more):
    return {"model": "x", "messages": [{"role": "user", "content": "Go."}], **more}


class Stock:
    """A server with the faults of the stock one, as an application."""

    def __init__(self):
        self.seen = []

    async def __call__(self, scope, receive, send):
        body = json.loads((await receive())["body"])
        self.seen.append(body)
        if body.get("response_format", {}).get("type") == "json_schema":
            await self._reply(send, 500, {"error": "json_schema"})
        elif body.get("stream"):
            await self._stream(send)
        else:
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [CALL],
                "function_call": CALL["function"],
            }
            await self._reply(send, 200, {"choices": [{"index": 0, "message": message}]})

    async def _reply(self, send, status, body):
        content = json.dumps(body).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content[:10], "more_body": True})
        await send({"type": "http.response.body", "body": content[10:], "more_body": False})

    async def _stream(self, send):
        delta = {"tool_calls": [CALL], "function_call": CALL["function"]}
        lines = f"data: {json.dumps({'choices': [{'delta': delta}]})}\n\ndata: [DONE]\n\n".encode()
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for i in range(0, len(lines), 7):  # cut where no line ends
            await send({"type": "http.response.body", "body": lines[i : i + 7], "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@pytest.fixture
def stock():
    return Stock()


@pytest.fixture
async def client(stock):
    transport = httpx.ASGITransport(app=mended(stock))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/v1") as client:
        yield client


async def test_a_schema_is_asked_for_as_the_server_knows_it(client, stock):
    form = {"type": "json_schema", "json_schema": {"name": "turn", "schema": SCHEMA, "strict": True}}
    reply = await client.post("/chat/completions", json=asked(response_format=form))
    assert reply.status_code == 200
    assert stock.seen[0]["response_format"] == {"type": "json_object", "schema": SCHEMA}


async def test_a_call_comes_back_once(client):
    message = (await client.post("/chat/completions", json=asked())).json()["choices"][0]["message"]
    assert message["tool_calls"] == [CALL] and "function_call" not in message


async def test_a_call_comes_back_once_in_a_stream_too(client):
    reply = await client.post("/chat/completions", json=asked(stream=True))
    first, done = [line for line in reply.text.splitlines() if line]
    (choice,) = json.loads(first.removeprefix("data: "))["choices"]
    assert choice == {"delta": {"tool_calls": [CALL]}} and done == "data: [DONE]"


async def test_whatever_cannot_be_mended_is_refused_as_openai_would(client, stock):
    for content, why in [
        (json.dumps(asked(tools=[TOOL, OTHER], tool_choice="required")), "one tool only"),
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ("[" * 100_000, "no JSON"),
    ]:
        reply = await client.post("/chat/completions", content=content)
        assert reply.status_code == 400 and why in reply.json()["error"]["message"]
    assert not stock.seen


@pytest.mark.parametrize(
    ("given", "key", "mended_to"),
    [
        ({"max_completion_tokens": 7}, "max_tokens", 7),
        ({"max_tokens": 9}, "max_tokens", 9),
        ({}, "max_tokens", MOST_TOKENS),
        (
            {"tools": [TOOL], "tool_choice": "required"},
            "tool_choice",
            {"type": "function", "function": {"name": "act"}},
        ),
        ({"tools": [TOOL, OTHER], "tool_choice": "auto"}, "tool_choice", "auto"),
        ({"response_format": {"type": "json_object"}}, "response_format", {"type": "json_object"}),
    ],
)
def test_requests(given, key, mended_to):
    body = mend_request(asked(**given))
    assert body[key] == mended_to and "max_completion_tokens" not in body


def test_messages_have_text_and_roles_that_the_template_knows():
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"type": "text", "text": "b"},
    ]
    messages = [
        {"role": "developer", "content": "s"},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
    ]
    mended_ones = mend_request({"messages": messages})["messages"]
    assert [(one["role"], one["content"]) for one in mended_ones] == [
        ("system", "s"),
        ("user", "ab"),
        ("assistant", ""),
    ]


def test_two_tools_cannot_be_required():
    with pytest.raises(Unmendable):
        mend_request(asked(tools=[TOOL, OTHER], tool_choice="required"))


@pytest.mark.parametrize(
    "body", [None, [], {"error": "x"}, {"choices": "x"}, {"choices": [None, {"message": None}]}]
)
def test_what_is_no_answer_passes(body):
    assert mend_answer(body) == body
