"""A client of the chat-completions API, for endpoints that speak it and nothing more is known of.

Over httpx, which is here anyway, so that nothing of a provider's has to be installed. It tries again as providers'
own clients do, and tells the turn that it runs in of each attempt, so that waiting counts against nobody.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import httpx
import tenacity

from normgym_agents.errors import ModelError, NewcomerError, NotConnected
from normgym_agents.newcomers._cleaning import one_line
from normgym_agents.newcomers._model_parameters import ModelParameters
from normgym_agents.newcomers.acting import Usage
from normgym_agents.newcomers.spending import Spending, spending

KEY: Final = "NORMGYM_ENDPOINT_KEY"
"""The environment variable whose value goes along as bearer token. It is no provider's: a key of theirs must not
go to whatever address stands in a spec."""

SECONDS: Final = 120.0
CONNECT_SECONDS: Final = 10.0
RETRIES: Final = 2
_LONGEST_WAIT: Final = 30.0
_MOST_BYTES: Final = 32_000_000

_PASSING: Final = frozenset({408, 409, 425, 429})
"""Statuses that may be others a moment later, beside those from 500."""
_REFUSED: Final = frozenset({400, 413, 422})
"""Statuses about what was sent, such as too long a conversation."""
_MISWIRED: Final = frozenset({401, 403, 404, 405})
"""Statuses that say, before anything was ever answered, that address, model or key are wrong."""
_NO_TOOLS: Final = frozenset({400, 404, 405, 415, 422, 500, 501})
"""Statuses with which endpoints refuse tools."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What an endpoint answered.

    Attributes:
        message: The message, as it goes back into the conversation.
        text: Its words.
        calls: Its tool calls, as id, name and arguments.
        usage: What it cost.
    """

    message: Mapping[str, Any]
    text: str
    calls: Sequence[tuple[str, str, object]]
    usage: Usage


class _Passing(Exception):
    """A failure that may pass.

    Args:
        message: What happened.
        after: Seconds after which the endpoint wants to be asked again, where it says so.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class _Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Endpoint:
    """An endpoint, and what has been seen of it so far in any episode.

    Args:
        url: The address before `/chat/completions`.
        model: The model to ask for.
        parameters: How it is asked.
        key: The bearer token; None for none.
    """

    def __init__(self, url: str, model: str, parameters: ModelParameters, key: str | None) -> None:
        self._url, self._model, self._key = f"{url.rstrip('/')}/chat/completions", model, key
        own = {"timeout", "max_retries", "base_url"}
        self._body = parameters.model_dump(exclude_none=True, exclude=own)
        self._seconds = parameters.timeout or SECONDS
        self._retries = RETRIES if parameters.max_retries is None else parameters.max_retries
        self._answered = False
        self._takes_tools: bool | None = None

    def client(self) -> httpx.AsyncClient:
        """A client for one episode."""
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        return httpx.AsyncClient(
            headers=headers, timeout=httpx.Timeout(self._seconds, connect=CONNECT_SECONDS)
        )

    async def ask(
        self,
        client: httpx.AsyncClient,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
    ) -> Said:
        """Ask for the next message of a conversation; without tools where the endpoint refuses them.

        Raises:
            NewcomerError: The endpoint refuses what was sent.
            ModelError: It failed, again and again.
            NotConnected: There is no such endpoint or model, or the key will not do.
        """
        body: dict[str, Any] = {"model": self._model, "messages": messages, **self._body}
        offers = bool(tools) and self._takes_tools is not False
        try:
            said = await self._persist(client, {**body, "tools": tools} if offers else body)
        except _Refused as error:
            if not offers or self._takes_tools or error.status not in _NO_TOOLS:
                raise self._told(error) from error
            try:
                said = await self._persist(client, body)
            except _Refused:
                raise self._told(error) from error
            self._takes_tools = False
        else:
            if offers:
                self._takes_tools = True
        self._answered = True
        return said

    def _told(self, error: _Refused) -> Exception:
        if error.status in _MISWIRED and not self._answered:
            return NotConnected(
                f"{self._url}: {error}",
                expected=f"endpoint:http://HOST:PORT/v1#MODEL, and {KEY} where it wants a key",
            )
        return NewcomerError(str(error)) if error.status in _REFUSED else ModelError(str(error))

    async def _persist(self, client: httpx.AsyncClient, body: Mapping[str, Any]) -> Said:
        turn = spending()
        # ASCII, so that a lone surrogate in the conversation is no reason to fail.
        content = json.dumps(body).encode("ascii")
        attempts = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(1 + self._retries),
            wait=_pause,
            retry=tenacity.retry_if_exception_type(_Passing),
            reraise=True,
        )
        try:
            return await attempts(self._attempt, client, content, turn)
        except _Passing as error:
            raise ModelError(str(error)) from error

    async def _attempt(self, client: httpx.AsyncClient, content: bytes, turn: Spending | None) -> Said:
        key = object()
        if turn is not None:
            turn.asked(key)
        try:
            status, headers, raw = await self._post(client, content)
            if status in _PASSING or (status >= 500 and not self._about_tools(status, content)):
                raise _Passing(_explained(status, raw), _after(headers))
            if status != 200:
                raise _Refused(status, _explained(status, raw))
            said = _read(raw)
        except (_Passing, ModelError):
            if turn is not None:
                turn.failed(key)
            raise
        except _Refused:
            if turn is not None:
                turn.dropped(key)
            raise
        if turn is not None:
            turn.answered(key, (said.usage.input_tokens or 0) + (said.usage.output_tokens or 0))
        return said

    def _about_tools(self, status: int, content: bytes) -> bool:
        return status in _NO_TOOLS and self._takes_tools is None and b'"tools": [' in content

    async def _post(self, client: httpx.AsyncClient, content: bytes) -> tuple[int, Mapping[str, str], bytes]:
        try:
            async with client.stream("POST", self._url, content=content) as response:
                raw = bytearray()
                async for part in response.aiter_bytes():
                    raw += part
                    if len(raw) > _MOST_BYTES:
                        raise ModelError("what came was no answer: it does not end")
                return response.status_code, response.headers, bytes(raw)
        except httpx.HTTPError as error:
            raise _Passing(f"{type(error).__name__}: {one_line(str(error)) or self._url}") from error


def _pause(state: tenacity.RetryCallState) -> float:
    """Half a second, twice that, and so on, unless the endpoint says when. No jitter: that is the global seed's."""
    error = None if state.outcome is None else state.outcome.exception()
    after = error.after if isinstance(error, _Passing) else None
    return min(0.5 * 2.0 ** (state.attempt_number - 1) if after is None else after, _LONGEST_WAIT)


def _after(headers: Mapping[str, str]) -> float | None:
    try:
        seconds = float(headers["retry-after"])
    except (KeyError, ValueError):  # it may also be a date
        return None
    return seconds if 0 <= seconds <= _LONGEST_WAIT else None


def _explained(status: int, raw: bytes) -> str:
    """What an endpoint says of its refusal, in the forms that they say it."""
    text = raw[:10_000].decode("utf-8", "replace")
    told: object = text
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        pass
    for key in ("error", "message", "detail"):
        if isinstance(told, Mapping) and told.get(key):
            told = told[key]
    return one_line(f"HTTP {status}: {told if isinstance(told, str) else text}").rstrip(": ")


def _read(raw: bytes) -> Said:
    """The answer in a body.

    Raises:
        ModelError: There is none.
    """
    try:
        body = json.loads(raw)
        message = body["choices"][0]["message"]
        content, calls = message.get("content"), message.get("tool_calls") or []
        read = [_call(call, index) for index, call in enumerate(calls)]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise ModelError(f"what came was no answer: {_explained(200, raw)}") from error
    text = _text(content)
    kept: dict[str, Any] = {"role": "assistant", "content": text}
    if read:
        kept["tool_calls"] = [
            {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
            for key, name, arguments in read
        ]
    used = body.get("usage")
    used = used if isinstance(used, Mapping) else {}
    usage = Usage(
        model_calls=1,
        input_tokens=_count(used.get("prompt_tokens")),
        output_tokens=_count(used.get("completion_tokens")),
    )
    return Said(message=kept, text=text, calls=read, usage=usage)


def _call(call: Any, index: int) -> tuple[str, str, str]:
    function = call["function"]
    arguments = function.get("arguments") or "{}"  # some endpoints give an object where the API has text
    return (
        str(call.get("id") or f"call_{index}"),
        str(function["name"]),
        arguments if isinstance(arguments, str) else json.dumps(arguments),
    )


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def _count(number: object) -> int | None:
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None
