"""What a scripted model answers in a check, so that agents of most forms come to the end of a turn.

It waits, in the form that the request wants: by a tool of ours, in a schema, in plain words. Tools of the agent's own
are called only where the request demands a call, because they may do something.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from normgym_agents.testing import Answer, CallTool, ChatRequest, Hang, Say, Structured

_WAIT: Final = "wait"
_ACTING: Final = frozenset({"act", "say", _WAIT, "look"})
_AN_END: Final = re.compile(r"finish|end|done|stop|final|respond|answer|submit|yes|true", re.IGNORECASE)
"""What the choice is often called that ends an agent's loop."""
_MARK: Final = re.compile(r"\b(TERMINATE|APPROVED?|FINISH(?:ED)?)\b")
"""Words that an agent's own prompt may want at the end."""
_FINAL_ANSWER: Final = re.compile(r"^\s*Final Answer:", re.MULTILINE)
_SPEAKERS: Final = re.compile(r"from (\[[^\]]+\]) to play")
"""How AutoGen asks who speaks next."""
_DEEPEST: Final = 8


class StandIn:
    """A script for an endpoint.

    Attributes:
        silence: Seconds for which it says nothing before it answers.
    """

    def __init__(self) -> None:
        self.silence = 0.0

    def __call__(self, request: ChatRequest) -> Answer:
        """Answer a request."""
        answer = _answer(request)
        return Hang(self.silence, then=answer) if self.silence else answer


def _answer(request: ChatRequest) -> CallTool | Say | Structured:
    tools = request.tools
    if request.tool_choice == "required":
        name = request.must_call or _chosen(sorted(tools), request.turn)
        return CallTool(name, _filled(tools[name].get("parameters") or {}))
    if set(tools) >= _ACTING:
        acted = request.messages[-1]["role"] == "tool"
        return Say("That was it.") if acted else CallTool(_WAIT)
    if request.schema is not None:
        return Structured(_filled(request.schema))
    if request.response_format == "json_object":
        return Structured({"verb": _WAIT})
    return Say(_words(request))


def _words(request: ChatRequest) -> str:
    asked = _SPEAKERS.search(request.last_text)
    if asked is not None:
        return asked.group(1).strip("[]").split(",")[0].strip(" '\"")
    if _FINAL_ANSWER.search(request.system + request.last_text):
        return f"Thought: I now know what to do.\nFinal Answer: {_WAIT}"
    mark = _MARK.search(request.system)
    return _WAIT if mark is None else f"{_WAIT}\n{mark.group()}"


def _chosen(names: Sequence[str], turn: int) -> str:
    """What ends a loop, or each in its turn, so that no agent goes on with one of them for ever."""
    ends = [name for name in names if _AN_END.search(name)]
    return ends[0] if ends else names[turn % len(names)]


def _filled(schema: Mapping[str, Any]) -> dict[str, Any]:
    value = _value(schema, schema, 0)
    return value if isinstance(value, dict) else {}


def _value(schema: Mapping[str, Any], whole: Mapping[str, Any], depth: int) -> Any:
    """The least value that fits a schema."""
    if depth > _DEEPEST:
        return None
    if "$ref" in schema:
        found: Any = whole
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            found = found.get(part, {})
        return _value(found, whole, depth + 1)
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return _value(schema[several][0], whole, depth + 1)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return next((one for one in schema["enum"] if _AN_END.search(str(one))), schema["enum"][0])
    return _of_type(schema, whole, depth)


def _of_type(schema: Mapping[str, Any], whole: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        parts = schema.get("properties") or {}
        wanted = schema.get("required") or parts
        return {name: _value(parts.get(name) or {}, whole, depth + 1) for name in wanted}
    if kind == "array":
        least = int(schema.get("minItems") or 0)
        return [_value(schema.get("items") or {}, whole, depth + 1) for _ in range(least)]
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return {"boolean": True, "null": None}.get(kind, _WAIT)
