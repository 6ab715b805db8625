"""The HTTP/1.1 server below the scripted endpoint.

A real server on a loopback port rather than a patched client: only so do a client's own timeouts, retries,
stream parsing and connection handling take part in a test. Every answer closes its connection. Clients
keep pools that outlive the test which made them, and a kept-alive socket would surface as a
ResourceWarning in whichever test runs when it is collected.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from normgym_agents.testing._wire import dump, error_body

JOIN_SECONDS = 5.0
"""How long closing waits for a thread whose connection it has cut."""


class Reported(Exception):
    """Ends the handling of a request whose fault was reported and answered already."""


class Exchange(Protocol):
    """One HTTP request and the ways to answer it."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    def reply(
        self, status: int, body: bytes, *, headers: Mapping[str, str] = ..., content_type: str = ...
    ) -> None:
        """Send a whole answer."""

    def error(
        self,
        status: int,
        message: str,
        *,
        param: str | None = ...,
        code: str | None = ...,
        headers: Mapping[str, str] = ...,
    ) -> None:
        """Send an error of the API's shape."""

    def stream(self, events: Iterable[bytes], *, finish: bool = ...) -> None:
        """Send server-sent events; without `finish` the stream breaks off after them."""

    def truncated(self, body: bytes) -> None:
        """Send the head of a body that never ends."""

    def wait(self, seconds: float) -> bool:
        """Wait in silence; False when the client left or the server closed meanwhile."""


class Server(ThreadingHTTPServer):
    """Hands each request to one function, and can be closed at any moment.

    Args:
        handle: Answers one exchange; called in a thread per connection.
        report: Takes one line for every other exception than a client gone away and `Reported`.
    """

    daemon_threads = True
    # The default of 5 drops connections of a concurrent suite, and TCP retries them only a second later.
    request_queue_size = 1024

    def __init__(self, handle: Callable[[Exchange], None], report: Callable[[str], None]) -> None:
        """Bind a free loopback port; nothing is accepted before `start`."""
        self.handle_exchange, self._report = handle, report
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._workers: list[threading.Thread] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        self._acceptor = threading.Thread(
            target=self.serve_forever, args=(0.02,), name="scripted-endpoint", daemon=True
        )

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    def start(self) -> None:
        """Begin to accept."""
        self._acceptor.start()

    def close(self) -> None:
        """Stop accepting, cut the open connections, and join every thread."""
        self.shutdown()
        self._acceptor.join()
        with self._lock:
            for connection in self._open:
                _cut(connection)
        self.server_close()
        for thread in self._workers:
            thread.join(JOIN_SECONDS)
            if thread.is_alive():
                self._report(f"a script was still running {JOIN_SECONDS:g} s after the endpoint closed")

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a connection in its own thread, remembered so that `close` can end it."""
        thread = threading.Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        with self._lock:
            self._open.add(request)
            thread.start()
        self._workers = [*(t for t in self._workers if t.is_alive()), thread]

    def shutdown_request(self, request: Any) -> None:
        """Forget and close a connection."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Record what went wrong, instead of printing it; a client that left is no error."""
        error = sys.exception()
        if not isinstance(error, ConnectionError | Reported):
            self._report(f"{type(error).__name__}: {error}")


class _Handler(BaseHTTPRequestHandler):
    """Implements `Exchange` over one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server
    method: str
    body: bytes

    def do_GET(self) -> None:
        """Hand any method to the exchange."""
        self._exchange()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a library does not print."""

    def _exchange(self) -> None:
        self.close_connection = True
        self.method = self.command
        self.path = self.path.partition("?")[0]
        self.body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.handle_exchange(self)  # type: ignore[arg-type]  # headers is an email.message.Message

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        reason = self.responses.get(status, ("", ""))[0]
        # Not send_response: it adds a Date, and equal runs shall give equal bytes.
        self.send_response_only(status, reason)
        for name, value in {**headers, "connection": "close"}.items():
            self.send_header(name, value)

    def _send(self, body: bytes) -> None:
        self._headers_buffer.append(b"\r\n" + body)  # type: ignore[attr-defined]  # one write: head and body
        self.flush_headers()

    def reply(
        self,
        status: int,
        body: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        content_type: str = "application/json",
    ) -> None:
        self._head(
            status, {"content-type": content_type, "content-length": str(len(body)), **(headers or {})}
        )
        self._send(body)

    def error(
        self,
        status: int,
        message: str,
        *,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.reply(status, dump(error_body(status, message, param, code)), headers=headers)

    def stream(self, events: Iterable[bytes], *, finish: bool = True) -> None:
        self._head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        self._send(b"")
        for event in events:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        if finish:
            self.wfile.write(b"0\r\n\r\n")

    def truncated(self, body: bytes) -> None:
        self._head(200, {"content-type": "application/json", "content-length": str(2 * len(body) + 1)})
        self._send(body)

    def wait(self, seconds: float) -> bool:
        # The request was read whole, so the only thing left to read is the end of the connection: the
        # client's, or ours when `close` cuts it.
        self.connection.settimeout(seconds)
        try:
            self.connection.recv(1)
        except TimeoutError:
            self.connection.settimeout(None)
            return True
        return False


def _cut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # The client was faster; the thread is on its way out.
        return
