"""Sends a run's `spans.jsonl` to a receiver later, as `normgym traces export` does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from normgym_agents.errors import BadInput, NormgymError
from normgym_agents.telemetry.otlp import count_spans
from normgym_agents.telemetry.otlp_http import OtlpClient
from normgym_agents.telemetry.otlp_json import parse


@dataclass(frozen=True, kw_only=True)
class SendReport:
    """How many requests and spans the receiver took, and how many spans it rejected."""

    requests: int
    spans: int
    rejected: int


def send_spans(path: Path, url: str) -> SendReport:
    """Send the spans in a file over OTLP/HTTP.

    The whole file is read before anything is sent, so that a bad line never leaves half of it behind.

    Args:
        path: A `spans.jsonl`.
        url: A collector's address or a full `/v1/traces` address.

    Raises:
        BadInput: If the file or the address is bad; it names the line.
        NormgymError: If the receiver cannot be reached or refuses; it says how much was sent before.
    """
    client = OtlpClient(url)
    try:
        total = sum(count_spans(request) for request in read_requests(path))
        requests = spans = rejected = 0
        for request in read_requests(path):
            answer = client.post(request)
            if answer.problem is not None and not answer.rejected:
                raise NormgymError(
                    f"spans could not be sent to {client.url}: {answer.problem} ({spans} of {total} spans sent)"
                )
            requests += 1
            rejected += answer.rejected
            spans += count_spans(request) - answer.rejected
        return SendReport(requests=requests, spans=spans, rejected=rejected)
    finally:
        client.close()


def read_requests(path: Path) -> Iterator[ExportTraceServiceRequest]:
    """Read a file of OTLP JSON lines, one request a line.

    Raises:
        BadInput: If it cannot be read, or at the first line that is not one.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield _request(path, number, line)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}", file=path) from error


def _request(path: Path, number: int, line: bytes) -> ExportTraceServiceRequest:
    try:
        return parse(line)
    except ValueError as error:
        if line.endswith(b"\n"):
            reason = str(error).replace("\n", " ")
        else:
            reason = "torn line, its run was interrupted while writing it"
        raise BadInput(reason, file=path, line=number, expected="one OTLP trace request") from error
