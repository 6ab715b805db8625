"""A typed view of one chat-completions request, as a script sees it.

Only the view lives here. What makes a request wrong is decided in `_checks`, before a script is asked, so
that no script ever has to defend itself against a malformed body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


def message_text(message: Mapping[str, Any]) -> str:
    """The words of a message: its string content, or its text parts joined without a separator."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(part.get("text", "") for part in content if isinstance(part, Mapping))
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One accepted request.

    Attributes:
        body: The parsed JSON body, all of it.
        headers: Names in lower case, without `authorization`.
        index: How many accepted requests the endpoint had answered or begun before this one, retries
            included. Under concurrency this is order of arrival; `turn` is not.
    """

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    index: int

    @property
    def model(self) -> str:
        """The model's name as the client wrote it; answers repeat it."""
        name: str = self.body["model"]
        return name

    @property
    def messages(self) -> tuple[Mapping[str, Any], ...]:
        """The conversation so far."""
        return tuple(self.body["messages"])

    @property
    def turn(self) -> int:
        """How often the model has spoken in this conversation: 0 for its first answer."""
        return sum(message["role"] == "assistant" for message in self.messages)

    @property
    def system(self) -> str:
        """The system (or developer) messages, one per line."""
        return "\n".join(message_text(m) for m in self.messages if m["role"] in {"system", "developer"})

    @property
    def last_text(self) -> str:
        """The words of the last message, whoever wrote it: a person's, or a tool's result."""
        return message_text(self.messages[-1])

    @property
    def tools(self) -> Mapping[str, Mapping[str, Any]]:
        """The tools offered: name to its `function` object (name, description, parameters)."""
        return {tool["function"]["name"]: tool["function"] for tool in self.body.get("tools") or ()}

    @property
    def tool_choice(self) -> str:
        """`none`, `auto` or `required`; a tool demanded by name is `required`, and `must_call` names it."""
        choice = self.body.get("tool_choice") or ("auto" if self.tools else "none")
        return "required" if isinstance(choice, Mapping) else str(choice)

    @property
    def must_call(self) -> str | None:
        """The one tool the client demands by name, if any."""
        choice = self.body.get("tool_choice")
        return choice["function"]["name"] if isinstance(choice, Mapping) else None

    @property
    def parallel_tool_calls(self) -> bool:
        """Whether several calls in one answer are welcome (the default)."""
        return self.body.get("parallel_tool_calls") is not False

    @property
    def response_format(self) -> str:
        """`text`, `json_object` or `json_schema`."""
        kind: str = (self.body.get("response_format") or {"type": "text"})["type"]
        return kind

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema asked for; None unless `response_format` is `json_schema`."""
        if self.response_format != "json_schema":
            return None
        schema: Mapping[str, Any] = self.body["response_format"]["json_schema"]["schema"]
        return schema

    @property
    def stream(self) -> bool:
        """Whether server-sent events are asked for."""
        return self.body.get("stream") is True

    @property
    def include_usage(self) -> bool:
        """Whether a stream shall end with a usage chunk."""
        return (self.body.get("stream_options") or {}).get("include_usage") is True
