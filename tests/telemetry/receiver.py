"""A real OTLP/HTTP receiver on loopback, and the tree of what it received."""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue


@dataclass(kw_only=True)
class ReceivedSpan:
    """One span as it arrived, with the spans whose parent it is."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str | None
    attributes: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]]
    resource: dict[str, Any]
    scope: str
    status: int
    start: int
    end: int
    children: list[ReceivedSpan] = field(default_factory=list)

    def child(self, name: str) -> ReceivedSpan:
        """The only child of that name."""
        (found,) = [span for span in self.children if span.name == name]
        return found

    def shape(self) -> Any:
        """Names only, nested: `(name, [child, ...])`, children in order of their start."""
        return (self.name, [child.shape() for child in self.children])


Trees = Callable[[Path], list[ReceivedSpan]]
"""Reads a `spans.jsonl` back as trees."""


class OtlpReceiver:
    """Takes `POST /v1/traces` and keeps what it was sent.

    `answer` may be set to another status; `rejected` to a number of spans it says it rejected.
    """

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.answers: list[int] = []
        self.rejected = 0
        self.arrived = threading.Condition()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                status, reply = receiver._take(self.path, dict(self.headers), body)
                self.send_response(status)
                self.send_header("content-type", "application/x-protobuf")
                self.send_header("content-length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address to give to `--otlp`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def spans(self) -> list[ReceivedSpan]:
        """Every span received so far, in order of arrival."""
        with self.arrived:
            return list(read_spans(self.requests))

    def trees(self) -> list[ReceivedSpan]:
        """The roots, with their children."""
        return build_trees(self.spans())

    def wait_for(self, count: int, timeout: float = 10.0) -> None:
        """Wait until that many spans have arrived."""
        with self.arrived:
            if not self.arrived.wait_for(lambda: len(list(read_spans(self.requests))) >= count, timeout):
                raise AssertionError(f"fewer than {count} spans arrived")

    def _take(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        with self.arrived:
            self.paths.append(path)
            self.headers.append({key.lower(): value for key, value in headers.items()})
            status = self.answers.pop(0) if self.answers else 200
            if status == 200:
                self.requests.append(ExportTraceServiceRequest.FromString(body))
                self.arrived.notify_all()
        reply = ExportTraceServiceResponse()
        if self.rejected:
            reply.partial_success.rejected_spans = self.rejected
            reply.partial_success.error_message = "no room\nfor these"
        return status, reply.SerializeToString()


@contextmanager
def running_receiver() -> Iterator[OtlpReceiver]:
    """A receiver for the length of a block."""
    receiver = OtlpReceiver()
    try:
        yield receiver
    finally:
        receiver.close()


@contextmanager
def silent_port() -> Iterator[str]:
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def read_spans(requests: Iterable[ExportTraceServiceRequest]) -> Iterator[ReceivedSpan]:
    """The spans in requests, e.g. those read back from `spans.jsonl`."""
    for request in requests:
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    yield ReceivedSpan(
                        name=span.name,
                        trace_id=span.trace_id.hex(),
                        span_id=span.span_id.hex(),
                        parent_id=span.parent_span_id.hex() or None,
                        attributes=_attributes(span.attributes),
                        events=[(event.name, _attributes(event.attributes)) for event in span.events],
                        resource=_attributes(resource.resource.attributes),
                        scope=scope.scope.name,
                        status=span.status.code,
                        start=span.start_time_unix_nano,
                        end=span.end_time_unix_nano,
                    )


def build_trees(spans: Iterable[ReceivedSpan]) -> list[ReceivedSpan]:
    """Hang children under their parents and return the roots; an orphan is an error."""
    found = sorted(spans, key=lambda span: span.start)
    by_id = {(span.trace_id, span.span_id): span for span in found}
    roots = []
    for span in found:
        if span.parent_id is None:
            roots.append(span)
        else:
            by_id[span.trace_id, span.parent_id].children.append(span)
    return roots


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values)
    return getattr(value, kind)
