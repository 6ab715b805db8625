"""The HTTP dialect itself, byte by byte, through nothing but `http.client`."""

import http.client
import json

import pytest

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
    by_turn,
)
from tests.testing.wiring import GREET, SCHEMA, TAKE, USER, ask, body, call, events


def test_words_and_usage_by_hand():
    status, got = ask(Say("The ash jar."), body())
    assert status == 200
    assert got["object"] == "chat.completion" and got["model"] == "m"
    assert got["choices"][0]["message"] == {"role": "assistant", "content": "The ash jar.", "refusal": None}
    assert got["choices"][0]["finish_reason"] == "stop"
    # "Take the ash jar" is 16 bytes: 4 tokens. "The ash jar." is 12 bytes: 3 tokens.
    usage = got["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (4, 3, 7)


def test_usage_counts_calls_in_both_directions():
    history = [
        USER,  # 4
        {
            "role": "assistant",
            "content": None,
            # "take" 1, '{"thing": "ash"}' is 16 bytes: 4
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "take", "arguments": '{"thing": "ash"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c", "content": "Taken"},  # 5 bytes: 2
    ]
    _, got = ask(CallTool("take", '{"a":1}'), body(messages=history, tools=[TAKE]))
    # The answer: "take" 1, '{"a":1}' is 7 bytes: 2.
    assert (got["usage"]["prompt_tokens"], got["usage"]["completion_tokens"]) == (11, 3)


def test_several_calls_in_one_answer():
    answer = CallTools(CallTool("take", {"thing": "ash"}, text="Both."), CallTool("greet"))
    _, got = ask(answer, body(tools=[TAKE, GREET]))
    choice = got["choices"][0]
    assert choice["finish_reason"] == "tool_calls" and choice["message"]["content"] == "Both."
    calls = choice["message"]["tool_calls"]
    assert [(c["type"], c["function"]["name"], c["function"]["arguments"]) for c in calls] == [
        ("function", "take", '{"thing": "ash"}'),
        ("function", "greet", "{}"),
    ]
    assert calls[0]["id"] != calls[1]["id"]


@pytest.mark.parametrize("include_usage", [True, False])
@pytest.mark.parametrize(
    "answer",
    [
        Say("One word,  then\nanother. "),
        Say(""),
        Say("cut", finish_reason="length"),
        CallTools(CallTool("take", {"thing": "the ash jar"}), CallTool("greet", "{broken")),
        CallTool("take", {"thing": "ash"}, text="I take it."),
    ],
    ids=["words", "nothing", "cut", "calls", "both"],
)
def test_a_stream_adds_up_to_the_whole_answer(answer, include_usage):
    asked = body(tools=[TAKE, GREET])
    streamed = {**asked, "stream": True, "stream_options": {"include_usage": include_usage}}
    with ScriptedEndpoint(answer) as endpoint:
        whole = json.loads(call(endpoint, asked)[2])
        status, headers, raw = call(endpoint, streamed)
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    *chunks, done = events(raw)
    assert done == "[DONE]"
    assert {c["object"] for c in chunks} == {"chat.completion.chunk"}
    assert len({c["id"] for c in chunks}) == 1
    if include_usage:
        last = chunks.pop()
        assert last["choices"] == [] and last["usage"] == whole["usage"]
        assert {c["usage"] for c in chunks} == {None}
    else:
        assert all("usage" not in c for c in chunks)
    deltas = [c["choices"][0]["delta"] for c in chunks]
    message, finish = whole["choices"][0]["message"], whole["choices"][0]["finish_reason"]
    assert deltas[0]["role"] == "assistant"
    assert "".join(d.get("content") or "" for d in deltas) == (message["content"] or "")
    calls: dict[int, dict[str, str]] = {}
    for delta in deltas:
        for part in delta.get("tool_calls", ()):
            kept = calls.setdefault(
                part["index"], {"name": part["function"].get("name", ""), "arguments": ""}
            )
            kept["arguments"] += part["function"]["arguments"]
    assert [calls[n] for n in sorted(calls)] == [c["function"] for c in message.get("tool_calls", ())]
    assert [c["choices"][0]["finish_reason"] for c in chunks] == [None] * (len(chunks) - 1) + [finish]


def test_long_texts_come_in_several_chunks():
    with ScriptedEndpoint(Say("one two three")) as endpoint:
        *chunks, _ = events(call(endpoint, body(stream=True))[2])
    assert [c["choices"][0]["delta"].get("content") for c in chunks] == ["", "one ", "two ", "three", None]


def test_a_lone_surrogate_and_escapes_survive():
    text = "\ud800 \x1b[31m red \u2028 </script>"
    _, got = ask(Say(text), body())
    assert got["choices"][0]["message"]["content"] == text


@pytest.mark.parametrize("wanted", [{"type": "json_object"}, SCHEMA], ids=["json_object", "json_schema"])
def test_an_object_is_sent_as_json_text(wanted):
    asked = body(messages=[{"role": "user", "content": "Answer in JSON"}], response_format=wanted)
    _, got = ask(Structured({"verb": "töpfern"}), asked)
    assert json.loads(got["choices"][0]["message"]["content"]) == {"verb": "töpfern"}


def test_equal_runs_give_equal_bytes_in_any_order_of_arrival():
    asked = [body(), body(seed=1), body(), body(stream=True), body(tools=[TAKE])]

    def run(order: list[int]) -> dict[str, list[tuple[dict[str, str], bytes]]]:
        got: dict[str, list[tuple[dict[str, str], bytes]]] = {}
        with ScriptedEndpoint(lambda r: CallTool("take") if r.tools else Say("yes")) as endpoint:
            for n in order:
                _, headers, raw = call(endpoint, asked[n])
                got.setdefault(json.dumps(asked[n]), []).append((headers, raw))
        return got

    assert run([0, 1, 2, 3, 4]) == run([4, 0, 3, 2, 1])


def test_every_answer_has_its_own_id():
    with ScriptedEndpoint(Say("yes")) as endpoint:
        ids = [json.loads(call(endpoint, payload)[2])["id"] for payload in (body(), body(), body(seed=1))]
    assert len(set(ids)) == 3 and all(i.startswith("chatcmpl-") for i in ids)


def test_requests_are_recorded_without_the_key():
    with ScriptedEndpoint(Say("yes")) as endpoint:
        call(endpoint, body(seed=7), traceparent="00-1-2-01")
        call(endpoint, body())
    first, second = endpoint.requests
    assert (first.index, second.index, first.body["seed"]) == (0, 1, 7)
    assert first.headers["traceparent"] == "00-1-2-01"
    assert endpoint.api_key not in json.dumps(dict(first.headers))


def test_models_are_listed():
    with ScriptedEndpoint(Say("yes")) as endpoint:
        listed = json.loads(call(endpoint, b"", "/models", "GET")[2])
        one = json.loads(call(endpoint, b"", f"/models/{endpoint.model}", "GET")[2])
    assert listed["object"] == "list" and listed["data"] == [one] and one["id"] == endpoint.model


def test_failures_have_the_apis_shape():
    with ScriptedEndpoint(Fail(429, "Slow down", retry_after=1.25)) as endpoint:
        status, headers, raw = call(endpoint, body(stream=True))
    assert status == 429
    assert (headers["retry-after"], headers["retry-after-ms"]) == ("2", "1250")
    assert json.loads(raw) == {
        "error": {
            "message": "Slow down",
            "type": "rate_limit_error",
            "param": None,
            "code": "rate_limit_exceeded",
        }
    }
    status, got = ask(Fail(400, "Too long", code="context_length_exceeded"), body())
    assert (status, got["error"]["type"], got["error"]["code"]) == (
        400,
        "invalid_request_error",
        "context_length_exceeded",
    )


def test_garbage_is_sent_as_it_is():
    with ScriptedEndpoint(Garbage(b"<html>", content_type="text/html", status=502)) as endpoint:
        status, headers, raw = call(endpoint, body())
    assert (status, headers["content-type"], raw) == (502, "text/html", b"<html>")


def test_a_dropped_connection_ends_before_its_announced_length():
    with ScriptedEndpoint(Drop()) as endpoint, pytest.raises(http.client.IncompleteRead):
        call(endpoint, body())
    with ScriptedEndpoint(Drop()) as endpoint, pytest.raises(http.client.IncompleteRead):
        call(endpoint, body(stream=True))
    with ScriptedEndpoint(Drop(None)) as endpoint, pytest.raises(http.client.RemoteDisconnected):
        call(endpoint, body())


def test_a_hang_can_end_in_an_answer_or_in_nothing():
    assert ask(Hang(0.01, then=Say("late")), body())[1]["choices"][0]["message"]["content"] == "late"
    with ScriptedEndpoint(Hang(0.01)) as endpoint, pytest.raises(http.client.RemoteDisconnected):
        call(endpoint, body())


@pytest.mark.parametrize(
    ("path", "method", "headers", "status", "code"),
    [
        ("/responses", "POST", {}, 404, "unknown_url"),
        ("/chat/completions", "GET", {}, 405, "method_not_supported"),
        ("/models", "DELETE", {}, 405, "method_not_supported"),
        ("/chat/completions", "POST", {"Authorization": "Bearer other"}, 401, "invalid_api_key"),
        ("/chat/completions", "POST", {"Authorization": ""}, 401, "invalid_api_key"),
    ],
)
def test_wrong_paths_methods_and_keys(path, method, headers, status, code):
    with ScriptedEndpoint(Say("yes")) as endpoint:
        got, _, raw = call(endpoint, body(), path, method, **headers)
    assert (got, json.loads(raw)["error"]["code"]) == (status, code)
    assert not endpoint.requests and not endpoint.errors
    assert endpoint.rejected[0].startswith(str(status))


def test_any_key_will_do_where_it_is_said():
    with ScriptedEndpoint(Say("yes"), any_key=True) as endpoint:
        assert call(endpoint, body(), Authorization="Bearer their own")[0] == 200
    assert not endpoint.rejected


def test_turns_over_real_http():
    with ScriptedEndpoint(by_turn(Say("one"), Say("two"))) as endpoint:
        history = [USER]
        said = []
        for _ in range(2):
            message = json.loads(call(endpoint, body(messages=history))[2])["choices"][0]["message"]
            said.append(message["content"])
            history += [message, USER]
    assert said == ["one", "two"]
