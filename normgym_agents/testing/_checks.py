"""What a request must be, and what an answer must be for that request.

The rules for requests are the ones the OpenAI API enforces and that a client breaks without noticing
against a lenient double: dangling tool calls, a `tool_choice` without tools, `json_object` without the
word. The rules for answers keep a test from passing on what a conforming provider could never send.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from normgym_agents.testing.answers import CallTool, CallTools, Completion, Say, Structured
from normgym_agents.testing.request import ChatRequest, message_text
from normgym_agents.testing.script import ScriptError

_ROLES = {"system", "developer", "user", "assistant", "tool"}
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class BadRequest(Exception):
    """The client is at fault; carries the fields of the API's error body."""

    def __init__(self, message: str, param: str | None = None) -> None:
        self.message, self.param = message, param
        super().__init__(message)


def parse_body(raw: bytes) -> Mapping[str, Any]:
    """Parse and check a request body.

    Raises:
        BadRequest: It is not JSON, or not what the API takes.
    """
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise BadRequest(f"We could not parse the JSON body of your request: {error}") from error
    if not isinstance(body, dict):
        raise BadRequest("The JSON body of your request must be an object.")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise BadRequest("you must provide a model parameter", "model")
    _check_messages(body.get("messages"))
    _check_tools(body)
    _check_format(body)
    _check_rest(body)
    return body


def _check_messages(messages: object) -> None:
    if not isinstance(messages, list) or not messages:
        raise BadRequest("Invalid 'messages': expected a non-empty array of messages.", "messages")
    open_calls: set[str] = set()
    for place, message in enumerate(messages):
        param = f"messages.[{place}]"
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(message, dict) or role not in _ROLES:
            raise BadRequest(f"Invalid value for '{param}.role': {role!r}.", f"{param}.role")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise BadRequest(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding "
                    "message with 'tool_calls'.",
                    f"{param}.role",
                )
            open_calls.discard(message["tool_call_id"])
            continue
        _check_answered(open_calls, param)
        if message.get("tool_calls") and role == "assistant":
            open_calls = _call_ids(message["tool_calls"], f"{param}.tool_calls")
        elif not isinstance(message.get("content"), str | list):
            raise BadRequest(f"Invalid value for '{param}.content': expected a string.", f"{param}.content")
    _check_answered(open_calls, "messages")


def _call_ids(calls: object, param: str) -> set[str]:
    ids: set[str] = set()
    for call in calls if isinstance(calls, list) else [calls]:
        function = call.get("function") if isinstance(call, dict) else None
        if (
            not isinstance(call, dict)
            or not isinstance(function, dict)
            or not isinstance(call.get("id"), str)
        ):
            raise BadRequest(f"Invalid value for '{param}': expected calls with 'id' and 'function'.", param)
        if not isinstance(function.get("name"), str) or not isinstance(function.get("arguments"), str):
            raise BadRequest(f"Invalid value for '{param}': 'name' and 'arguments' must be strings.", param)
        ids.add(call["id"])
    return ids


def _check_answered(open_calls: set[str], param: str) -> None:
    if open_calls:
        raise BadRequest(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. Without a response: {', '.join(sorted(open_calls))}.",
            param,
        )


def _check_tools(body: Mapping[str, Any]) -> None:
    names: list[object] = []
    for place, tool in enumerate(body.get("tools") or ()):
        function = tool.get("function") if isinstance(tool, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
            raise BadRequest(f"Invalid 'tools[{place}].function.name': {name!r}.", f"tools[{place}]")
        names.append(name)
    for key in ("tool_choice", "parallel_tool_calls"):
        if not names and body.get(key) not in (None, "none"):
            raise BadRequest(f"'{key}' is only allowed when 'tools' are specified.", key)
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        choice = (choice.get("function") or {}).get("name")
        if choice not in names:
            raise BadRequest(f"Tool choice {choice!r} not found in 'tools' parameter.", "tool_choice")
    elif choice not in (None, "none", "auto", "required"):
        raise BadRequest(f"Invalid value: {choice!r}.", "tool_choice")


def _check_format(body: Mapping[str, Any]) -> None:
    wanted = body.get("response_format")
    if wanted is None:
        return
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    if kind not in ("text", "json_object", "json_schema"):
        raise BadRequest(f"Invalid value: {kind!r}.", "response_format.type")
    if kind == "json_object" and not any("json" in message_text(m).lower() for m in body["messages"]):
        raise BadRequest(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type "
            "'json_object'.",
            "messages",
        )
    if kind == "json_schema":
        schema = wanted.get("json_schema")
        if (
            not isinstance(schema, dict)
            or not schema.get("name")
            or not isinstance(schema.get("schema"), dict)
        ):
            raise BadRequest(
                "Missing required parameter: 'response_format.json_schema' with 'name' and 'schema'.",
                "response_format.json_schema",
            )


def _check_rest(body: Mapping[str, Any]) -> None:
    if body.get("stream_options") is not None and body.get("stream") is not True:
        raise BadRequest(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options"
        )
    if body.get("n") not in (None, 1):
        raise BadRequest("This endpoint gives one choice per request: 'n' must be 1.", "n")


def check_answer(request: ChatRequest, answer: Completion) -> None:
    """Check that a conforming provider could give this answer to this request.

    Raises:
        ScriptError: It could not; the message says why.
    """
    calls = tool_calls(answer)
    if calls:
        _check_calls(request, calls)
    elif request.tool_choice == "required":
        wanted = request.must_call or "one"
        raise ScriptError(f"the script calls no tool where tool_choice demands {wanted}")
    elif isinstance(answer, Structured):
        _check_structured(request, answer)
    elif isinstance(answer, Say) and request.response_format != "text" and answer.finish_reason == "stop":
        _check_json(request, answer.text)


def tool_calls(answer: Completion) -> tuple[CallTool, ...]:
    """The calls of an answer, in order; empty for words."""
    match answer:
        case CallTool():
            return (answer,)
        case CallTools(calls=calls):
            return calls
        case _:
            return ()


def _check_calls(request: ChatRequest, calls: tuple[CallTool, ...]) -> None:
    for call in calls:
        if call.name not in request.tools:
            offered = ", ".join(sorted(request.tools)) or "none"
            raise ScriptError(f"the script calls {call.name!r}, which was not offered (offered: {offered})")
        if request.must_call not in (None, call.name):
            raise ScriptError(f"the script calls {call.name!r} where tool_choice demands {request.must_call}")
    if request.tool_choice == "none":
        raise ScriptError(f"the script calls {calls[0].name!r} where tool_choice is none")
    if len(calls) > 1 and not request.parallel_tool_calls:
        raise ScriptError(f"the script makes {len(calls)} calls where parallel_tool_calls is false")


def _check_json(request: ChatRequest, text: str) -> None:
    try:
        json.loads(text)
    except ValueError as error:
        raise ScriptError(
            f"the script says {text!r} where {request.response_format} was asked for"
        ) from error


def _check_structured(request: ChatRequest, answer: Structured) -> None:
    if request.response_format == "text":
        raise ScriptError("the script answers Structured, and the request has no JSON response_format")
    if request.schema is None:
        return
    # The top level only: enough to catch a script that answers another question than was asked.
    known = request.schema.get("properties")
    missing = sorted(set(request.schema.get("required", ())) - set(answer.value))
    unknown = [] if known is None else sorted(set(answer.value) - set(known))
    if missing:
        raise ScriptError(f"the script's object lacks {', '.join(missing)}, required by the schema")
    if unknown and request.schema.get("additionalProperties") is False:
        raise ScriptError(f"the script's object has {', '.join(unknown)}, unknown to the schema")
