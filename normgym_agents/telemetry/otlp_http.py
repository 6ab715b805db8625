"""OTLP over HTTP: where requests are posted, and how a refusal is told.

Posting is done here, not by the SDK's exporter: that one logs every retry, does not say how many spans a
receiver rejected, and cannot send what was read back from a file.
"""

from __future__ import annotations

import os
import ssl
import threading
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.util.re import parse_env_headers

from normgym_agents.errors import BadInput

TRACES_PATH: Final = "/v1/traces"
_RETRYABLE: Final = frozenset({429, 502, 503, 504})
_PAUSES: Final = (0.25, 1.0)
"""Seconds before the second and the third try."""


def traces_url(url: str) -> str:
    """Return the address traces are posted to, from a collector's address or a full one.

    Args:
        url: `http://127.0.0.1:4318`, or `https://host/some/base`, or either with `/v1/traces`.

    Raises:
        BadInput: If it is not such an address. Its text is not repeated where it may hold a password.
    """
    expected = "http://HOST:4318 or https://HOST/v1/traces"
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError as error:
        raise BadInput(f"not an address: {error}", field="--otlp", expected=expected) from error
    if parts.username is not None or parts.password is not None:
        raise BadInput(
            "an address must not hold a user name or password",
            field="--otlp",
            expected="credentials in the variable OTEL_EXPORTER_OTLP_HEADERS",
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise BadInput(f"not an address to send spans to: {url!r}", field="--otlp", expected=expected)
    if parts.query or parts.fragment or any(c.isspace() or not c.isprintable() for c in url):
        raise BadInput(
            f"an address with a query, fragment or blank: {url!r}", field="--otlp", expected=expected
        )
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path if path.endswith(TRACES_PATH) else path + TRACES_PATH}"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What a receiver said to one request: `problem` is None where it took it, `rejected` counts spans."""

    problem: str | None
    rejected: int = 0
    retryable: bool = False


class OtlpClient:
    """Posts requests to one receiver; headers and certificate as the OpenTelemetry variables say.

    Args:
        url: As `traces_url` takes it.
        timeout: Seconds to connect, and seconds without an answer.

    Raises:
        BadInput: For a bad address, or a certificate file that cannot be used.
    """

    def __init__(self, url: str, *, timeout: float = 5.0) -> None:
        self.url = traces_url(url)
        self._hurry = threading.Event()
        self._last_failed = False
        self._client = httpx.Client(
            timeout=timeout,
            verify=_verification(),
            headers={**_headers(), "content-type": "application/x-protobuf"},
        )

    def post(self, request: ExportTraceServiceRequest) -> Answer:
        """Send one request. A passing failure is tried three times, unless the last request failed too."""
        body = request.SerializeToString()
        answer = self._try(body)
        if not self._last_failed:
            for pause in _PAUSES:
                if not answer.retryable or self._hurry.wait(pause):
                    break
                answer = self._try(body)
        self._last_failed = answer.retryable
        return answer

    def hurry(self) -> None:
        """Retry nothing any more."""
        self._hurry.set()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _try(self, body: bytes) -> Answer:
        try:
            response = self._client.post(self.url, content=body)
        except httpx.TimeoutException:
            return Answer(problem="no answer in time", retryable=True)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return Answer(problem=str(error) or type(error).__name__, retryable=True)
        if response.is_success:
            return _partial(response.content)
        return Answer(
            problem=f"HTTP {response.status_code} {response.reason_phrase}",
            retryable=response.status_code in _RETRYABLE,
        )


def _partial(body: bytes) -> Answer:
    try:
        partial = ExportTraceServiceResponse.FromString(body).partial_success
    except DecodeError:
        return Answer(problem=None)  # some receivers answer "ok" or JSON; the status said that all is well
    if partial.rejected_spans <= 0:
        return Answer(problem=None)
    reason = " ".join(partial.error_message.split())[:200] or "no reason given"
    return Answer(problem=f"the receiver rejected spans: {reason}", rejected=partial.rejected_spans)


def _variable(name: str) -> str:
    return os.environ.get(f"OTEL_EXPORTER_OTLP_TRACES_{name}") or os.environ.get(
        f"OTEL_EXPORTER_OTLP_{name}", ""
    )


def _headers() -> dict[str, str]:
    return dict(parse_env_headers(_variable("HEADERS"), liberal=True))


def _verification() -> ssl.SSLContext | bool:
    certificate = _variable("CERTIFICATE")
    if not certificate:
        return True
    try:
        return ssl.create_default_context(cafile=certificate)
    except (OSError, ssl.SSLError) as error:
        raise BadInput(
            f"cannot be used as a certificate: {error}",
            file=certificate,
            field="OTEL_EXPORTER_OTLP_CERTIFICATE",
        ) from error
