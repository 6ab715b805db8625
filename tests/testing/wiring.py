"""Requests to the scripted endpoint, as plain HTTP."""

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from normgym_agents.testing import (
    Answer,
    Script,
    ScriptedEndpoint,
)

USER = {"role": "user", "content": "Take the ash jar"}


TAKE = {"type": "function", "function": {"name": "take", "parameters": {"type": "object"}}}


GREET = {"type": "function", "function": {"name": "greet", "parameters": {"type": "object"}}}


SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "act",
        "schema": {
            "type": "object",
            "properties": {"verb": {"type": "string"}},
            "required": ["verb"],
            "additionalProperties": False,
        },
    },
}


def body(**more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [USER], **more}


def call(
    endpoint: ScriptedEndpoint,
    payload: object,
    path: str = "/chat/completions",
    method: str = "POST",
    **headers: str,
) -> tuple[int, dict[str, str], bytes]:
    """One request; `payload` is sent as JSON unless it is bytes."""
    url = urlsplit(endpoint.base_url)
    assert url.hostname
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
    try:
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        connection.request(
            method, url.path + path, raw, {"Authorization": f"Bearer {endpoint.api_key}", **headers}
        )
        response = connection.getresponse()
        got = {name.lower(): value for name, value in response.getheaders()}
        return response.status, got, response.read()
    finally:
        connection.close()


def ask(script: Script | Answer, payload: object, *, strict: bool = True) -> tuple[int, Any]:
    with ScriptedEndpoint(script, strict=strict) as endpoint:
        status, _, raw = call(endpoint, payload)
        return status, json.loads(raw)


def events(raw: bytes) -> list[Any]:
    """The data of each server-sent event, `[DONE]` left as text."""
    lines = raw.decode().split("\n\n")
    assert lines.pop() == ""
    data = [line.removeprefix("data: ") for line in lines]
    return [json.loads(d) if d != "[DONE]" else d for d in data]
