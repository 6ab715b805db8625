"""What the scripted endpoint refuses, of clients and of scripts, as the real interface would."""

import json

import pytest

from normgym_agents.testing import (
    CallTool,
    CallTools,
    Hang,
    Say,
    ScriptedEndpoint,
    Structured,
)
from tests.testing.wiring import GREET, SCHEMA, TAKE, USER, ask, body, call

CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "take", "arguments": "{}"}}],
}


RESULT = {"role": "tool", "tool_call_id": "c", "content": "Taken"}


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (b"{", "could not parse the JSON"),
        (b"\xff", "could not parse the JSON"),
        ([], "must be an object"),
        ({"messages": [USER]}, "model"),
        (body(messages=[]), "non-empty array"),
        (body(messages=[{"role": "boss", "content": "x"}]), "'boss'"),
        (body(messages=["x"]), "role"),
        (body(messages=[{"role": "user", "content": None}]), "content"),
        (body(messages=[USER, RESULT]), "must be a response to a preceding"),
        (body(messages=[USER, CALLED]), "Without a response: c"),
        (body(messages=[USER, CALLED, USER]), "Without a response: c"),
        (body(messages=[USER, CALLED, RESULT, RESULT]), "must be a response to a preceding"),
        (body(messages=[USER, {**CALLED, "tool_calls": [{"id": 1}]}]), "'id' and 'function'"),
        (
            body(messages=[USER, {**CALLED, "tool_calls": [{"id": "c", "function": {"name": "take"}}]}]),
            "strings",
        ),
        (body(tools=[{"type": "function", "function": {"name": "a b"}}]), "'a b'"),
        (body(tool_choice="auto"), "only allowed when 'tools'"),
        (body(parallel_tool_calls=False), "only allowed when 'tools'"),
        (
            body(tools=[TAKE], tool_choice={"type": "function", "function": {"name": "greet"}}),
            "'greet' not found",
        ),
        (body(tools=[TAKE], tool_choice="sometimes"), "'sometimes'"),
        (body(response_format={"type": "xml"}), "'xml'"),
        (body(response_format={"type": "json_object"}), "must contain the word 'json'"),
        (body(response_format={"type": "json_schema"}), "json_schema"),
        (body(stream_options={"include_usage": True}), "only allowed when 'stream'"),
        (body(n=2), "'n' must be 1"),
    ],
)
def test_requests_the_api_refuses_are_refused(payload, says):
    with ScriptedEndpoint(Say("yes")) as endpoint:
        status, _, raw = call(endpoint, payload)
    error = json.loads(raw)["error"]
    assert status == 400 and error["type"] == "invalid_request_error" and says in error["message"]
    assert not endpoint.requests and not endpoint.errors


def test_a_whole_tool_exchange_is_accepted():
    status, _ = ask(Say("done"), body(messages=[USER, CALLED, RESULT], tools=[TAKE]))
    assert status == 200


JSON = [{"role": "user", "content": "Answer in JSON"}]


@pytest.mark.parametrize(
    ("answer", "payload", "says"),
    [
        (
            CallTool("fly"),
            body(tools=[TAKE, GREET]),
            "calls 'fly', which was not offered (offered: greet, take)",
        ),
        (CallTool("take"), body(), "not offered (offered: none)"),
        (CallTool("take"), body(tools=[TAKE], tool_choice="none"), "where tool_choice is none"),
        (
            CallTool("greet"),
            body(tools=[TAKE, GREET], tool_choice={"type": "function", "function": {"name": "take"}}),
            "where tool_choice demands take",
        ),
        (
            Say("no"),
            body(tools=[TAKE], tool_choice="required"),
            "calls no tool where tool_choice demands one",
        ),
        (
            CallTools(CallTool("take"), CallTool("take")),
            body(tools=[TAKE], parallel_tool_calls=False),
            "2 calls where parallel_tool_calls is false",
        ),
        (Structured({"verb": "take"}), body(), "no JSON response_format"),
        (Structured({}), body(messages=JSON, response_format=SCHEMA), "lacks verb"),
        (Structured({"verb": "a", "x": 1}), body(messages=JSON, response_format=SCHEMA), "has x, unknown"),
        (Say("prose"), body(messages=JSON, response_format=SCHEMA), "says 'prose' where json_schema"),
        (Hang(0, then=CallTool("fly")), body(), "calls 'fly'"),
    ],
)
def test_an_answer_no_provider_could_give_is_the_scripts_fault(answer, payload, says):
    with ScriptedEndpoint(answer) as endpoint:
        status, headers, raw = call(endpoint, payload)
    assert status == 500 and headers["x-should-retry"] == "false"
    assert says in json.loads(raw)["error"]["message"]
    assert len(endpoint.errors) == 1 and says in endpoint.errors[0]


@pytest.mark.parametrize(
    ("answer", "payload"),
    [
        (CallTool("fly"), body(tools=[TAKE])),
        (Say("no"), body(tools=[TAKE], tool_choice="required")),
        (Say("prose"), body(messages=JSON, response_format=SCHEMA)),
    ],
    ids=["tool", "words", "prose"],
)
def test_a_weak_provider_can_be_played_without_strictness(answer, payload):
    assert ask(answer, payload, strict=False)[0] == 200


def test_a_script_that_raises_or_answers_nonsense_is_reported():
    def broken(request):
        raise KeyError("no such jar")

    with ScriptedEndpoint(broken) as endpoint:
        assert call(endpoint, body())[0] == 500
    assert endpoint.errors == ("KeyError: 'no such jar'",)
    with ScriptedEndpoint(lambda request: "yes") as endpoint:  # type: ignore[arg-type,return-value]  # on purpose
        assert call(endpoint, body())[0] == 500
    assert endpoint.errors == ("ScriptError: the script answered 'yes', which is no answer",)
