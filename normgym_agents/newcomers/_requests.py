"""The forms in which agents of the wild ask a person: LangChain's middleware, LangGraph's older requests, words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

_ASKING: Final = (
    "question",
    "query",
    "prompt",
    "message",
    "text",
    "content",
    "instruction",
    "description",
    "ask",
)
"""The key under which an object holds what is asked, the likeliest first."""


def is_review(value: object) -> bool:
    """Whether LangChain's middleware asks to review calls."""
    return isinstance(value, Mapping) and isinstance(value.get("action_requests"), Sequence)


def is_approval(value: object) -> bool:
    """Whether it asks about one call."""
    return isinstance(value, Mapping) and value.get("type") == "tool_approval"


def is_request(value: object) -> bool:
    """Whether LangGraph's earlier form of a request is asked, `HumanInterrupt`."""
    return isinstance(value, Mapping) and isinstance(value.get("action_request"), Mapping)


def is_requests(value: object) -> bool:
    """Whether several of these are."""
    return isinstance(value, list | tuple) and bool(value) and all(is_request(one) for one in value)


def requests(value: Any) -> Sequence[Mapping[str, Any]]:
    """The requests of that form that are asked."""
    return value if is_requests(value) else [value]


def allowed(value: Mapping[str, Any]) -> list[Sequence[object]]:
    """For each call to review, the kinds of decision that may be taken."""
    configs = {
        config.get("action_name"): config.get("allowed_decisions") or ()
        for config in value.get("review_configs") or ()
        if isinstance(config, Mapping)
    }
    return [configs.get(one.get("name"), ()) for one in actions(value)]


def actions(value: Any) -> list[Mapping[str, Any]]:
    """The acts that are asked about."""
    if is_review(value):
        return [one if isinstance(one, Mapping) else {} for one in value["action_requests"]]
    if is_approval(value):
        return [value]
    if is_request(value) or is_requests(value):
        return [one["action_request"] for one in requests(value)]
    return []


def in_words(value: Any) -> str:
    """What is asked, in words where there are any, else as it is."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if is_requests(value) or (isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)):
        return "\n".join(in_words(one) for one in value)
    if isinstance(value, Mapping):
        if is_review(value):
            return "\n".join(in_words(one) for one in value["action_requests"])
        said = next((value[key] for key in _ASKING if isinstance(value.get(key), str)), None)
        if said is not None:
            return str(said)
    return json.dumps(value, default=str, ensure_ascii=False)
