"""What the stock server does not understand of requests, and what clients do not understand of its answers.

Pure functions of JSON. Each says which client or server wants it so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

MOST_TOKENS: Final = 256
"""Tokens of an answer where a request does not say: the server would go on to the end of its context."""

_ROLES: Final = {"developer": "system"}


class Unmendable(Exception):
    """A request that the server cannot be made to serve; the message says what could be asked instead."""


def mend_request(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request as the stock server serves it.

    Raises:
        Unmendable: A call is required of it, and several tools are offered.
    """
    mended = dict(body)
    most = mended.pop("max_completion_tokens", None) or mended.get("max_tokens")
    mended["max_tokens"] = MOST_TOKENS if most is None else most
    form = mended.get("response_format")
    if isinstance(form, Mapping) and form.get("type") == "json_schema":
        schema = form.get("json_schema")
        given = schema.get("schema") if isinstance(schema, Mapping) else None
        mended["response_format"] = {"type": "json_object", **({"schema": given} if given else {})}
    if mended.get("tool_choice") == "required":
        mended["tool_choice"] = _only(mended.get("tools"))
    if isinstance(messages := mended.get("messages"), Sequence) and not isinstance(messages, str):
        mended["messages"] = [_message(one) if isinstance(one, Mapping) else one for one in messages]
    return mended


def _only(tools: object) -> dict[str, Any]:
    """The one tool that is offered, by its name: which the server takes for `required`."""
    names = [
        tool["function"]["name"]
        for tool in (tools if isinstance(tools, Sequence) else ())
        if isinstance(tool, Mapping)
        and isinstance(tool.get("function"), Mapping)
        and "name" in tool["function"]
    ]
    if len(names) != 1:
        raise Unmendable(
            "this model can be required to call one tool only: offer one, or name it in tool_choice, or ask for JSON"
        )
    return {"type": "function", "function": {"name": names[0]}}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message whose content is text, as the model's chat template wants it."""
    mended = dict(message)
    mended["role"] = _ROLES.get(str(mended.get("role")), mended.get("role"))
    content = mended.get("content")
    if content is None:
        mended["content"] = ""
    elif isinstance(content, list):
        parts = [
            part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text"
        ]
        mended["content"] = "".join(part for part in parts if isinstance(part, str))
    return mended


def mend_answer(body: Any) -> Any:
    """An answer without the `function_call` that repeats `tool_calls`: AutoGen's client refuses both together."""
    if not isinstance(body, Mapping) or not isinstance(body.get("choices"), list):
        return body
    return {**body, "choices": [_choice(choice) for choice in body["choices"]]}


def _choice(choice: Any) -> Any:
    if not isinstance(choice, Mapping):
        return choice
    return {
        key: {name: inner for name, inner in value.items() if name != "function_call"}
        if key in ("message", "delta") and isinstance(value, Mapping)
        else value
        for key, value in choice.items()
    }


def mend_line(line: bytes) -> bytes:
    """A line of an answer that comes piece by piece."""
    data = line.removeprefix(b"data: ")
    if data == line or data.strip() == b"[DONE]":
        return line
    try:
        body = json.loads(data)
    except ValueError:
        return line
    return b"data: " + json.dumps(mend_answer(body)).encode()
