"""Which boundary an agent's exception crossed: the agent's own, or its model provider's.

Providers' exceptions are told by the names of their module and class, so that none of their packages is
imported: an agent brings whichever it uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from normgym_agents.errors import ModelError, NewcomerError, NormgymError
from normgym_agents.newcomers._cleaning import one_line

_HTTPX: Final = {"HTTPError", "InvalidURL", "StreamError"}
_HTTPCORE: Final = {"NetworkError", "ProtocolError", "TimeoutException", "ConnectionNotAvailable"}

_PROVIDERS: Final = {
    "openai": {"APIError", "OpenAIError"},
    "anthropic": {"APIError", "AnthropicError"},
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "httpcore": _HTTPCORE,
    "httpcore2": _HTTPCORE,
    "google": {"GoogleAPIError", "APIError"},
    "langchain_google_genai": {"ChatGoogleGenerativeAIError"},
    "botocore": {"BotoCoreError", "ClientError"},
    "groq": {"APIError", "GroqError"},
    "mistralai": {"SDKError", "MistralError"},
    "cohere": {"ApiError"},
    "ollama": {"RequestError", "ResponseError"},
    "together": {"TogetherException", "APIError"},
    "litellm": {"APIError", "APIConnectionError"},
}
_OWN: Final = {("openai", "LengthFinishReasonError"), ("openai", "ContentFilterFinishReasonError")}
"""What a provider's package raises about what the model wrote, not about the service."""


def crossed(error: BaseException) -> NormgymError:
    """The error to raise for an exception that came out of an agent."""
    if isinstance(error, NormgymError):
        return error
    for one in _chain(error):
        # Where the agent was stopped by a limit, whatever else went wrong on the way is beside the point.
        if _is(one, {"langgraph": {"GraphRecursionError"}}):
            return NewcomerError(f"the agent took more steps than the limit: {_told(one)}")
    for one in _chain(error):
        if _is(one, _PROVIDERS) and not any(_is(one, {room: {name}}) for room, name in _OWN):
            return ModelError(_told(one))
    return NewcomerError(_told(error))


def _told(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    first = one_line(lines[0]) if lines else ""
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _is(error: BaseException, kinds: dict[str, set[str]]) -> bool:
    return any(
        kind.__name__ in kinds.get(kind.__module__.partition(".")[0], ()) for kind in type(error).__mro__
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
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
