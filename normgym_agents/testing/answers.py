"""What a scripted model can answer, and what can go wrong instead.

Plain frozen data without behaviour, so that a script is readable as the list of what happens and can be
compared, printed and reused. How an answer becomes bytes is the business of `_wire` and `_server` alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Say:
    """Words.

    Attributes:
        text: What the model says; may be empty.
        finish_reason: Why it stopped; `length` is how a provider tells that the words were cut off.
    """

    text: str
    finish_reason: Literal["stop", "length", "content_filter"] = field(default="stop", kw_only=True)


@dataclass(frozen=True, slots=True)
class CallTool:
    """One tool call.

    Attributes:
        name: The tool.
        arguments: A mapping, sent as its JSON text; or the raw text itself, which need not be JSON (models
            do write broken arguments).
        text: Words said beside the call; None for none.
    """

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    text: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class CallTools:
    """Several tool calls in one answer.

    Attributes:
        calls: The calls, in order; their own `text` is joined in front.
    """

    calls: tuple[CallTool, ...]

    def __init__(self, *calls: CallTool) -> None:
        """Take the calls one by one: `CallTools(CallTool(…), CallTool(…))`."""
        if not calls:
            raise ValueError("CallTools needs one call or more")
        object.__setattr__(self, "calls", calls)


@dataclass(frozen=True, slots=True)
class Structured:
    """An object, sent as JSON text where the request asked for `json_object` or `json_schema`.

    Attributes:
        value: Anything JSON can hold; an object for the modes providers offer today.
    """

    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Fail:
    """An HTTP error with the body of the OpenAI API.

    Attributes:
        status: The HTTP status, 400 to 599.
        message: The provider's words.
        retry_after: Seconds until a retry is welcome; sent as `retry-after-ms` and, rounded up, as
            `Retry-After`. None sends neither.
        code: The machine-readable code; None takes the usual one of the status.
    """

    status: int
    message: str = "scripted failure"
    retry_after: float | None = field(default=None, kw_only=True)
    code: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse what HTTP would not call a failure."""
        if not 400 <= self.status <= 599:
            raise ValueError(f"Fail takes a status from 400 to 599, not {self.status}")
        if self.retry_after is not None and self.retry_after < 0:
            raise ValueError(f"Fail takes a retry_after of 0 s or more, not {self.retry_after}")


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection ends before the answer does.

    Attributes:
        text: What got through (streaming: as chunks; otherwise: the head of a body whose announced
            length never arrives). None ends the connection before any byte of the answer.
    """

    text: str | None = "I was about to"


@dataclass(frozen=True, slots=True)
class Garbage:
    """Bytes that are no answer of this API: a proxy's page, half a JSON document.

    Attributes:
        body: The body, sent as it is.
        content_type: What it claims to be.
        status: The HTTP status it comes with.
    """

    body: bytes
    content_type: str = field(default="application/json", kw_only=True)
    status: int = field(default=200, kw_only=True)


@dataclass(frozen=True, slots=True)
class Hang:
    """Silence, released early when the client leaves or the endpoint closes.

    Attributes:
        seconds: How long at most.
        then: What is answered after that; None ends the connection without a byte.
    """

    seconds: float
    then: Say | CallTool | CallTools | Structured | Fail | Drop | Garbage | None = field(
        default=None, kw_only=True
    )


Completion: TypeAlias = Say | CallTool | CallTools | Structured
"""The answers that are a model's own; the rest are faults of the line or the provider."""

Answer: TypeAlias = Say | CallTool | CallTools | Structured | Fail | Hang | Drop | Garbage
