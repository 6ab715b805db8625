"""Which boundary an agent's exception crossed: the agent's own, or its model provider's.

What is the provider's is not scored, so it takes two things: an exception of a kind that providers' packages
raise, and a traceback that goes through such a package. Otherwise an agent could leave by raising one, and a
tool of its own that finds no network would look like a model. Both are told by names, so that none of the
packages is imported: an agent brings whichever it uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Final

from pydantic import ValidationError

from normgym_agents.errors import ModelError, NewcomerError, NormgymError
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers._garbled import garbled

_HTTPX: Final = {"HTTPError", "InvalidURL", "StreamError"}
_HTTPCORE: Final = {"NetworkError", "ProtocolError", "TimeoutException", "ConnectionNotAvailable"}

_PROVIDERS: Final = {
    "openai": {"APIError", "OpenAIError"},
    "anthropic": {"APIError", "AnthropicError"},
    "google": {"GoogleAPIError", "APIError"},
    "langchain_google_genai": {"ChatGoogleGenerativeAIError"},
    "botocore": {"BotoCoreError", "ClientError"},
    "groq": {"APIError", "GroqError"},
    "mistralai": {"SDKError", "MistralError"},
    "cohere": {"ApiError"},
    "ollama": {"RequestError", "ResponseError"},
    "together": {"TogetherException", "APIError"},
    "litellm": {"APIError", "APIConnectionError"},
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "httpcore": _HTTPCORE,
    "httpcore2": _HTTPCORE,
    "aiohttp": {"ClientError"},
    "requests": {"RequestException"},
    "urllib3": {"HTTPError"},
    "builtins": {"ConnectionError", "TimeoutError"},
}
_OWN: Final = {("openai", "LengthFinishReasonError"), ("openai", "ContentFilterFinishReasonError")}
"""What a provider's package raises about what the model wrote, not about the service."""

_REFUSED: Final = frozenset({400, 404, 413, 422})
"""Statuses about what was sent: too long a conversation, a bad tool, a model that is not there."""

_CLIENTS: Final = re.compile(
    r"(openai|anthropic|groq|mistralai|cohere|ollama|together|litellm"
    r"|google\.(genai|generativeai|ai)|vertexai|autogen_ext\.models"
    r"|langchain_(?!core\b)\w+\.(chat_models|llms)|langchain_(google_genai|google_vertexai)\._\w+"
    r"|langchain_core\.language_models)(\.|$)"
)
"""Modules whose business is calling a model."""
_OURS: Final = "normgym_agents."


def crossed(error: BaseException) -> NormgymError:
    """The error to raise for an exception that came out of an agent.

    Errors of ours pass where our code raised them. Out of the agent's own they mean no more than others.
    """
    if isinstance(error, NormgymError) and any(room.startswith(_OURS) for room in rooms(error)[-1:]):
        return error
    if isinstance(error, SystemExit):
        return NewcomerError(f"the agent tried to end the program (status {one_line(_text(error))})")
    for one in chain(error):
        # Where the agent was stopped by a limit, whatever else went wrong on the way is beside the point.
        if _is(one, {"langgraph": {"GraphRecursionError"}}):
            return NewcomerError(f"the agent took more steps than the limit: {_told(one)}")
    for one in chain(error):
        if _is(one, _PROVIDERS) and any(_CLIENTS.match(room) for room in rooms(one)):
            own = _status(one) in _REFUSED or any(_is(one, {room: {name}}) for room, name in _OWN)
            return NewcomerError(_told(one)) if own else ModelError(_told(one))
        if garbled(one):
            return ModelError(f"what came was no answer: {_told(one)}")
    return NewcomerError(str(error) if isinstance(error, NormgymError) else _told(error))


def rooms(error: BaseException) -> list[str]:
    """The modules that the error came through, from where it was caught to where it was raised."""
    found: list[str] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        found.append(str(trace.tb_frame.f_globals.get("__name__", "")))
        trace = trace.tb_next
    return found


def _status(error: BaseException) -> object:
    """The HTTP status that a provider's exception tells, by the names that they use for it."""
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore
        return response.get("ResponseMetadata", {}).get("HTTPStatusCode")
    told = (getattr(error, name, None) for name in ("status_code", "http_status", "code"))
    return next((s for s in told if isinstance(s, int)), getattr(response, "status_code", None))


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 # the agent's own code, which may raise anything
        return ""


def first_fault(error: ValidationError) -> str:
    """The first field that a model of pydantic refuses, and why."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join([error.title, *map(str, first["loc"])])
    return one_line(f"{field}: {first['msg']}")


def _told(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        return f"{type(error).__name__}: {first_fault(error)}"
    lines = _text(error).strip().splitlines()
    first = one_line(lines[0]) if lines else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _is(error: BaseException, kinds: dict[str, set[str]]) -> bool:
    return any(
        kind.__name__ in kinds.get(kind.__module__.partition(".")[0], ()) for kind in type(error).__mro__
    )


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error, what it was raised from, and what groups hold, each once."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        cause = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
        if cause is not None:
            waiting.append(cause)
