"""The server, in a thread and on an event loop of its own.

So a long poll is answered while the run computes, and nothing of the server's is left on the run's loop.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

import uvicorn

from normgym_agents.errors import BadInput, CommunityError
from normgym_agents.newcomers.http_agent.app import Guarded, make_app
from normgym_agents.newcomers.http_agent.desk import Desk

T = TypeVar("T")

LINGER: Final = 0.5
"""Seconds in which clients are still told that the run is over."""
_RECENT: Final = 60.0
_JOIN: Final = 10.0


class Server:
    """A server of one run, which begins with its first episode.

    Args:
        host: Where it listens.
        port: On which port.
        token: What a client must have.
    """

    def __init__(self, host: str, port: int, token: str) -> None:
        self._host, self._port, self._token = host, port, token
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._desk: Desk | None = None
        self._over: asyncio.Event | None = None
        self.announced = False
        """Whether anybody was told that an agent is waited for."""

    @property
    def url(self) -> str:
        """Where it is."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    def start(self) -> None:
        """Listen. More than once is harmless.

        Raises:
            BadInput: Somebody else listens there, or nobody can.
        """
        with self._lock:
            if self._thread is not None:
                return
            listening = self._listening()
            ready = threading.Event()
            thread = threading.Thread(
                target=lambda: asyncio.run(self._serve(listening, ready)), name="http-agent", daemon=True
            )
            thread.start()
            ready.wait(_JOIN)
            self._thread = thread

    async def on_desk(self, call: Callable[[Desk], Coroutine[Any, Any, T]]) -> T:
        """What a coroutine of the desk returns, waited for on the caller's loop; cancelling reaches it."""
        if self._loop is None or self._desk is None or self._loop.is_closed():
            raise CommunityError("the server for agents of other processes does not run")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(self._desk), self._loop))

    def close(self) -> None:
        """Tell clients that the run is over, and end."""
        with self._lock:
            thread, loop, over = self._thread, self._loop, self._over
            if thread is None or loop is None or over is None:
                return
            if thread.is_alive():
                loop.call_soon_threadsafe(over.set)
            thread.join(_JOIN)

    def _listening(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((self._host, self._port))
            listening.listen(128)
        except OSError as error:
            listening.close()
            raise BadInput(
                f"cannot listen on {self._host}:{self._port}: {error.strerror or error}",
                expected="http-agent:PORT with a port that is free",
            ) from error
        return listening

    async def _serve(self, listening: socket.socket, ready: threading.Event) -> None:
        desk, over = Desk(), asyncio.Event()
        server = uvicorn.Server(
            uvicorn.Config(
                Guarded(make_app(desk), desk, self._token),
                http="h11",
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=2,
            )
        )
        with listening:
            serving = asyncio.ensure_future(server.serve(sockets=[listening]))
            self._loop, self._desk, self._over = asyncio.get_running_loop(), desk, over
            ready.set()
            await over.wait()
            await desk.close()
            if desk.unseen is not None and desk.unseen < _RECENT:
                await asyncio.sleep(LINGER)
            server.should_exit = True
            await serving
