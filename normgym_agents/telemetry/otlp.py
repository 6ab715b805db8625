"""Spans as OTLP requests, whatever an agent put into its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, Status

from normgym_agents.telemetry.text import clean

UNENCODABLE: Final = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError)
"""What an encoder raises for a field it cannot hold, and for a span that is none."""
INT64: Final = range(-(2**63), 2**63)
"""The integers OTLP has; larger ones become text."""


def encode(spans: Sequence[ReadableSpan]) -> tuple[ExportTraceServiceRequest, int]:
    """Encode spans as one request.

    Returns:
        The request, and how many spans it could not hold: one span that cannot be encoded (an agent may put
        anything into its own) never takes the rest of its batch with it.
    """
    cleaned = [_clean_span(span) for span in spans]
    try:
        return encode_spans(cleaned), 0
    except UNENCODABLE:
        good = [span for span in cleaned if _encodable(span)]
        return encode_spans(good), len(spans) - len(good)


def count_spans(request: ExportTraceServiceRequest) -> int:
    """How many spans a request holds."""
    return sum(len(scope.spans) for resource in request.resource_spans for scope in resource.scope_spans)


def _encodable(span: ReadableSpan) -> bool:
    try:
        encode_spans([span])
    except UNENCODABLE:
        return False
    return True


def _is_clean(value: object) -> bool:
    if isinstance(value, str):
        return value.isascii() or clean(value) == value
    if isinstance(value, bool | float | bytes) or value is None:
        return True
    if isinstance(value, int):
        return value in INT64
    if isinstance(value, Mapping):
        return all(_is_clean(key) and _is_clean(item) for key, item in value.items())
    return isinstance(value, Sequence) and all(_is_clean(item) for item in value)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bool | float | bytes) or value is None:
        return value
    if isinstance(value, int):
        return value if value in INT64 else str(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _cleaned(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_cleaned(item) for item in value]
    return clean(str(value))


def _clean_span(span: ReadableSpan) -> ReadableSpan:
    """Return the span itself, or a copy whose text protobuf can hold. The encoder would log and drop it."""
    described, scope = span.status.description, span.instrumentation_scope
    if (
        _is_clean(span.name)
        and _is_clean(described)
        and _is_clean(span.attributes)
        and _is_clean(span.resource.attributes)
        and (scope is None or _is_clean((scope.name, scope.version, scope.attributes)))
        and all(_is_clean(event.name) and _is_clean(event.attributes) for event in span.events)
        and all(_is_clean(link.attributes) for link in span.links)
    ):
        return span
    return ReadableSpan(
        name=clean(span.name),
        context=span.get_span_context(),
        parent=span.parent,
        resource=Resource(_cleaned(span.resource.attributes), span.resource.schema_url),
        attributes=_cleaned(span.attributes),
        events=[
            Event(clean(event.name), _cleaned(event.attributes or {}), event.timestamp)
            for event in span.events
        ],
        links=[Link(link.context, _cleaned(link.attributes or {})) for link in span.links],
        kind=span.kind,
        status=Status(span.status.status_code, None if described is None else clean(described)),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=None if scope is None else _clean_scope(scope),
    )


def _clean_scope(scope: InstrumentationScope) -> InstrumentationScope:
    version = None if scope.version is None else clean(scope.version)
    return InstrumentationScope(
        clean(scope.name), version, scope.schema_url, _cleaned(scope.attributes or {})
    )
