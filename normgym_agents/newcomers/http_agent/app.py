"""The desk over HTTP: four calls, behind a token.

FastAPI checks what comes and writes the OpenAPI document that is published, so that both cannot differ.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer

from normgym_agents.newcomers.http_agent.contract import (
    MOST_BYTES,
    MOST_WAIT,
    WAIT,
    Asked,
    Fault,
    Place,
    Sent,
)
from normgym_agents.newcomers.http_agent.desk import Desk, Misplaced, Sitting

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

Wait = Annotated[float, Query(ge=0, le=MOST_WAIT, description="Seconds to wait for one.")]
WithView = Annotated[bool, Query(description="Send the facts as data, too.")]


def _faults(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Fault, "description": _MEANS[status]} for status in (401, *statuses)}


_MEANS: Final = {
    401: "The token is missing or wrong.",
    404: "There is no such episode.",
    409: "That is not asked now; nothing has changed.",
    410: "It is over.",
    413: f"More than {MOST_BYTES} bytes; nothing has changed.",
    422: "The body does not fit; nothing has changed.",
}
_MOST_IGNORED: Final = 8 * MOST_BYTES
_NONE: Final = {"description": "Nothing for so long; ask again."}


def make_app(desk: Desk) -> FastAPI:
    """The application over a desk."""
    app = FastAPI(
        title="An agent in another process",
        version="1",
        description="What an agent calls that is run as `normgym run http-agent:PORT`. See http-agent.md.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Depends(HTTPBearer(auto_error=False))],
    )

    @app.post(
        "/v1/episodes",
        summary="Wait for an episode, and take it",
        response_model=Place,
        responses={204: _NONE, **_faults(410, 422)},
    )
    async def take(request: Request, wait: Wait = WAIT) -> Response:
        sitting = await _unless_gone(request, desk, desk.take(wait))
        if sitting is None:
            return Response(status_code=204)
        return _json(Place(episode=sitting.id, name=sitting.name))

    @app.get(
        "/v1/episodes/{episode}",
        summary="Wait for what is asked, which stays the same until it is answered",
        response_model=Asked,
        responses={204: _NONE, **_faults(404, 422)},
    )
    async def asked(episode: str, wait: Wait = WAIT, view: WithView = False) -> Response:
        question = await desk.at(episode).question(wait)
        if question is None:
            return Response(status_code=204)
        return _json(question if view else question.model_copy(update={"view": None}))

    @app.post(
        "/v1/episodes/{episode}/replies",
        summary="Answer what is asked",
        status_code=204,
        responses=_faults(404, 409, 410, 413, 422),
    )
    async def reply(episode: str, sent: Sent) -> None:
        desk.at(episode).reply(sent)

    @app.delete(
        "/v1/episodes/{episode}",
        summary="Leave before the episode is over, which then ends as the agent's failure",
        status_code=204,
        responses=_faults(404),
    )
    async def leave(episode: str) -> None:
        await desk.dismiss(desk.at(episode), "the agent left")

    @app.exception_handler(Misplaced)
    async def misplaced(_: Request, error: Misplaced) -> Response:
        return JSONResponse({"detail": str(error)}, error.status)

    @app.exception_handler(RequestValidationError)
    async def unfit(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        return JSONResponse({"detail": f"{place}: {first['msg']}" if place else first["msg"]}, 422)

    return app


async def _unless_gone(request: Request, desk: Desk, taking: Awaitable[Sitting | None]) -> Sitting | None:
    """What is waited for; nothing is taken for a client that has gone meanwhile."""
    taken, gone = asyncio.ensure_future(taking), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({taken, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not gone.done():
            return await taken
        if taken.done() and (sitting := taken.result()) is not None:
            desk.put_back(sitting)
        return None
    finally:
        taken.cancel()
        gone.cancel()
        await asyncio.gather(taken, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(data: Place | Asked) -> Response:
    return Response(data.model_dump_json(exclude_none=True), media_type="application/json")


class Guarded:
    """An application behind a token and a limit of size.

    Args:
        app: The application.
        desk: Is told of each client that has the token.
        token: The token.
    """

    def __init__(self, app: FastAPI, desk: Desk, token: str) -> None:
        self._app, self._desk = app, desk
        self._wanted = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI has it."""
        headers = dict(scope.get("headers") or ())
        if not hmac.compare_digest(headers.get(b"authorization", b""), self._wanted):
            await _turn_away(send)
            return
        self._desk.seen()
        size = 0

        async def limited() -> MutableMapping[str, Any]:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size <= MOST_BYTES:
                return message
            # Read on for a while: who is cut off while it sends does not hear why.
            while message.get("more_body") and size < _MOST_IGNORED:
                message = await receive()
                size += len(message.get("body", b""))
            raise HTTPException(413, _MEANS[413])

        await self._app(scope, limited, send)


async def _turn_away(send: Send) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"www-authenticate", b"Bearer"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps({"detail": _MEANS[401]}).encode()})
