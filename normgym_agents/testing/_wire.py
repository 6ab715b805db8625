"""The JSON of the chat-completions API, built from a request and an answer.

Pure and free of clock and randomness: ids come from the request itself, `created` is a constant, tokens
are counted by a fixed rule. Equal runs therefore give equal bytes, also when requests arrive in another
order.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from normgym_agents.testing._checks import tool_calls
from normgym_agents.testing.answers import Completion, Fail, Say, Structured
from normgym_agents.testing.request import ChatRequest, message_text

Json = dict[str, Any]

CREATED = 1_700_000_000
"""The Unix time every answer claims."""

_ERROR_KINDS = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "unsupported_country_region_territory"),
    404: ("invalid_request_error", "unknown_url"),
    405: ("invalid_request_error", "method_not_supported"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
}


def count_tokens(text: str) -> int:
    """The fixed token count: a quarter of the UTF-8 bytes, rounded up (0 for no text)."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def dump(value: object) -> bytes:
    """JSON bytes, ASCII only, so that even a lone surrogate can be sent."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def digest(body: Mapping[str, Any]) -> str:
    """A short name for a request's content, whatever the order of its keys."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")
    return hashlib.sha256(canonical).hexdigest()[:16]


def answer_text(answer: Completion) -> str | None:
    """The words of an answer; None where it has only tool calls."""
    match answer:
        case Say(text=text):
            return text
        case Structured(value=value):
            return json.dumps(value, ensure_ascii=False)
        case _:
            said = [call.text for call in tool_calls(answer) if call.text is not None]
            return " ".join(said) if said else None


def usage(request: ChatRequest, answer: Completion) -> Json:
    """Token counts: `count_tokens` of every text, tool name and argument text, summed one by one.

    Prompt tokens cover the messages only (not the tools' schemas), so that a test can add them up by hand.
    """
    prompt = sum(count_tokens(message_text(message)) for message in request.messages)
    for message in request.messages:
        for call in message.get("tool_calls") or ():
            function = call["function"]
            prompt += count_tokens(function["name"]) + count_tokens(function["arguments"])
    completion = count_tokens(answer_text(answer) or "")
    for call in tool_calls(answer):
        completion += count_tokens(call.name) + count_tokens(_arguments(call.arguments))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def completion_body(request: ChatRequest, answer: Completion, answer_id: str) -> Json:
    """The whole answer as one object."""
    message: Json = {"role": "assistant", "content": answer_text(answer), "refusal": None}
    if calls := _call_objects(answer, answer_id):
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(answer)}
    return {
        **_head(request, answer_id, "chat.completion"),
        "choices": [choice],
        "usage": usage(request, answer),
    }


def completion_chunks(request: ChatRequest, answer: Completion, answer_id: str) -> Iterator[Json]:
    """The answer as the objects of a stream: role, words, calls, finish, and usage where asked for."""
    head = _head(request, answer_id, "chat.completion.chunk")
    if request.include_usage:
        head["usage"] = None

    def chunk(delta: Json, finish: str | None = None) -> Json:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**head, "choices": [choice]}

    text = answer_text(answer)
    yield chunk({"role": "assistant", "content": None if text is None else "", "refusal": None})
    for piece in _pieces(text or ""):
        yield chunk({"content": piece})
    for index, call in enumerate(_call_objects(answer, answer_id)):
        arguments = call["function"]["arguments"]
        opening = {**call, "index": index, "function": {**call["function"], "arguments": ""}}
        yield chunk({"tool_calls": [opening]})
        for start in range(0, len(arguments), 12):
            part = {"index": index, "function": {"arguments": arguments[start : start + 12]}}
            yield chunk({"tool_calls": [part]})
    yield chunk({}, _finish(answer))
    if request.include_usage:
        yield {**head, "choices": [], "usage": usage(request, answer)}


def sse(data: bytes) -> bytes:
    """One server-sent event."""
    return b"data: " + data + b"\n\n"


def error_body(status: int, message: str, param: str | None = None, code: str | None = None) -> Json:
    """An error object with the type and code the API gives for that status."""
    kind, usual = _ERROR_KINDS.get(
        status, ("server_error" if status >= 500 else "invalid_request_error", None)
    )
    return {"error": {"message": message, "type": kind, "param": param, "code": code or usual}}


def retry_headers(failure: Fail) -> Mapping[str, str]:
    """The headers that tell a client when to come back; none where the failure does not say."""
    if failure.retry_after is None:
        return {}
    milliseconds = round(failure.retry_after * 1000)
    return {"retry-after": str(-(-milliseconds // 1000)), "retry-after-ms": str(milliseconds)}


def models_body(names: tuple[str, ...]) -> Json:
    """The list of models."""
    return {"object": "list", "data": [model_body(name) for name in names]}


def model_body(name: str) -> Json:
    """One model."""
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "script"}


def _head(request: ChatRequest, answer_id: str, kind: str) -> Json:
    return {
        "id": f"chatcmpl-{answer_id}",
        "object": kind,
        "created": CREATED,
        "model": request.model,
        "service_tier": "default",
        "system_fingerprint": None,
    }


def _finish(answer: Completion) -> str:
    if tool_calls(answer):
        return "tool_calls"
    return answer.finish_reason if isinstance(answer, Say) else "stop"


def _call_objects(answer: Completion, answer_id: str) -> list[Json]:
    return [
        {
            "id": f"call_{answer_id}{index:02d}",
            "type": "function",
            "function": {"name": call.name, "arguments": _arguments(call.arguments)},
        }
        for index, call in enumerate(tool_calls(answer))
    ]


def _arguments(arguments: Mapping[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _pieces(text: str) -> list[str]:
    """Words with the blanks after them; joined they are the text again."""
    return re.findall(r"\s*\S+\s*|\s+", text)
