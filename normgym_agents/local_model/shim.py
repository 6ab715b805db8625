"""The shim: it stands before the stock server's application and mends what passes, both ways."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from normgym_agents.local_model.mending import Unmendable, mend_answer, mend_line, mend_request

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_CHAT: Final = "/v1/chat/completions"
_MOST_BYTES: Final = 8_000_000


def mended(app: App) -> App:
    """An ASGI application whose chat completions are mended."""

    async def served(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != _CHAT:
            await app(scope, receive, send)
            return
        try:
            body = mend_request(_parsed(await _whole(receive)))
        except Unmendable as error:
            await _refuse(send, str(error))
            return
        content = json.dumps(body).encode()
        kept = [(k, v) for k, v in scope["headers"] if k not in (b"content-length", b"transfer-encoding")]
        headers = [*kept, (b"content-length", str(len(content)).encode())]
        await app({**scope, "headers": headers}, _replay(content, receive), _Answer(send))

    return served


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Unmendable(f"the request is no JSON: {error}") from error
    if not isinstance(body, dict):
        raise Unmendable("the request is no JSON object")
    return body


async def _whole(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > _MOST_BYTES:
            raise Unmendable("the request is too long")
        if not message.get("more_body"):
            return b"".join(parts)


def _replay(content: bytes, receive: Receive) -> Receive:
    """The mended request, and after it whether the client goes away."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": content, "more_body": False}

    return again


class _Answer:
    """Passes an answer on, mended: whole where it is one JSON, line by line where it is a stream.

    Args:
        send: Where it goes.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._stream = False
        self._held = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._stream = any(
                k.lower() == b"content-type" and b"event-stream" in v for k, v in message["headers"]
            )
            self._start = message
            if self._stream:
                await self._send(message)
            return
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        self._held += message.get("body", b"")
        more = bool(message.get("more_body"))
        await (self._line_by_line(more) if self._stream else self._at_once(more))

    async def _line_by_line(self, more: bool) -> None:
        *lines, self._held = self._held.split(b"\n")
        if not more:
            lines, self._held = [*lines, self._held], b""
        body = b"\n".join(map(mend_line, lines)) + (b"\n" if more and lines else b"")
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def _at_once(self, more: bool) -> None:
        if more or self._start is None:
            return
        try:
            body = json.dumps(mend_answer(json.loads(self._held))).encode()
        except ValueError:
            body = self._held
        kept = [(k, v) for k, v in self._start["headers"] if k.lower() != b"content-length"]
        await self._send({**self._start, "headers": [*kept, (b"content-length", str(len(body)).encode())]})
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


async def _refuse(send: Send, why: str) -> None:
    """An error as OpenAI words one."""
    error = {"message": why, "type": "invalid_request_error", "param": None, "code": None}
    body = json.dumps({"error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
