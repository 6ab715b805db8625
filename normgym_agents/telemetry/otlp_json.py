"""Spans as lines of OTLP/JSON, and lines as OTLP requests.

The OTLP/JSON encoding is protobuf's JSON mapping with two departures: trace and span ids are hexadecimal,
not base64, and enums are numbers. A line holds one `ExportTraceServiceRequest`, as the collector's file
exporter writes and its `otlpjsonfile` receiver reads. Lines are ASCII, so that no text an agent wrote (a
line separator, a terminal escape) can break a line.

Lines are written straight from the spans: by way of protobuf messages it takes four times as long, which is
longer than a scripted round takes. A test holds the two encodings equal.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from google.protobuf.json_format import (  # type: ignore[import-untyped]  # protobuf ships no types
    ParseDict,
    ParseError,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import SpanFlags
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, SpanKind, format_span_id, format_trace_id

from normgym_agents.telemetry.otlp import INT64, UNENCODABLE
from normgym_agents.telemetry.text import clean

_Tree = dict[str, Any]
_KINDS = {kind: kind.value + 1 for kind in SpanKind}  # OTLP counts them from 1: 0 is "unspecified"
_LOCAL = SpanFlags.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK
_REMOTE = _LOCAL | SpanFlags.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK
_ID_FIELDS = ("traceId", "spanId", "parentSpanId")


def render(spans: Sequence[ReadableSpan]) -> tuple[bytes, int]:
    """Render spans as one line, newline included.

    Returns:
        The line, and how many spans it could not hold.
    """
    # Grouped by identity: one provider shares one resource object, and comparing them means dumping them.
    groups: dict[tuple[int, int], tuple[ReadableSpan, list[_Tree]]] = {}
    unfit = 0
    for span in spans:
        try:
            tree = _span(span)
        except UNENCODABLE:
            unfit += 1
            continue
        key = (id(span.resource), id(span.instrumentation_scope))
        groups.setdefault(key, (span, []))[1].append(tree)
    resources: dict[int, _Tree] = {}
    for (resource_id, _), (span, trees) in groups.items():
        if resource_id not in resources:
            resources[resource_id] = _resource(span)
        resources[resource_id]["scopeSpans"].append(_scope(span, trees))
    request = {"resourceSpans": list(resources.values())}
    return json.dumps(request, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n", unfit


def parse(line: bytes) -> ExportTraceServiceRequest:
    """Parse one line; unknown fields are ignored, as OTLP asks.

    Raises:
        ValueError: If it is not JSON, or not a request; the message says why.
    """
    try:
        tree = json.loads(line)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if not isinstance(tree, dict) or "resourceSpans" not in tree:
        raise ValueError("not an OTLP trace request: no resourceSpans")
    request = ExportTraceServiceRequest()
    try:
        for holder in _id_holders(tree):
            for field in _ID_FIELDS:
                if holder.get(field):
                    holder[field] = base64.b64encode(binascii.unhexlify(holder[field])).decode("ascii")
        ParseDict(tree, request, ignore_unknown_fields=True)
    except (ParseError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"not an OTLP trace request: {error}") from error
    return request


def _id_holders(tree: _Tree) -> Iterator[_Tree]:
    for resource in tree["resourceSpans"]:
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                yield span
                yield from span.get("links", ())


def _resource(span: ReadableSpan) -> _Tree:
    resource = span.resource
    tree: _Tree = {"resource": {"attributes": _attributes(resource.attributes)}, "scopeSpans": []}
    if resource.schema_url:
        tree["schemaUrl"] = clean(resource.schema_url)
    return tree


def _scope(span: ReadableSpan, trees: list[_Tree]) -> _Tree:
    scope = span.instrumentation_scope
    if scope is None:
        return {"scope": {}, "spans": trees}
    named: _Tree = {"name": clean(scope.name)}
    if scope.version:
        named["version"] = clean(scope.version)
    if scope.attributes:
        named["attributes"] = _attributes(scope.attributes)
    tree: _Tree = {"scope": named, "spans": trees}
    if scope.schema_url:
        tree["schemaUrl"] = clean(scope.schema_url)
    return tree


def _span(span: ReadableSpan) -> _Tree:
    context = span.get_span_context()
    if context is None:
        raise ValueError("a span without a context")
    tree: _Tree = {"traceId": format_trace_id(context.trace_id), "spanId": format_span_id(context.span_id)}
    if context.trace_state:
        tree["traceState"] = ",".join(f"{key}={value}" for key, value in context.trace_state.items())
    if span.parent is not None:
        tree["parentSpanId"] = format_span_id(span.parent.span_id)
    tree["flags"] = _flags(span.parent)
    tree["name"] = clean(span.name)
    tree["kind"] = _KINDS[span.kind]
    tree["startTimeUnixNano"] = _integer(span.start_time)
    tree["endTimeUnixNano"] = _integer(span.end_time)
    tree["attributes"] = _attributes(span.attributes)
    if span.events:
        tree["events"] = [
            {
                "timeUnixNano": _integer(event.timestamp),
                "name": clean(event.name),
                "attributes": _attributes(event.attributes),
                **_dropped("Attributes", event.dropped_attributes),
            }
            for event in span.events
        ]
    if span.links:
        tree["links"] = [
            {
                "traceId": format_trace_id(link.context.trace_id),
                "spanId": format_span_id(link.context.span_id),
                "flags": _flags(link.context),
                "attributes": _attributes(link.attributes),
                **_dropped("Attributes", link.dropped_attributes),
            }
            for link in span.links
        ]
    tree["status"] = _status(span)
    tree |= _dropped("Attributes", span.dropped_attributes)
    tree |= _dropped("Events", span.dropped_events)
    tree |= _dropped("Links", span.dropped_links)
    return tree


def _status(span: ReadableSpan) -> _Tree:
    tree: _Tree = {}
    if span.status.status_code.value:
        tree["code"] = span.status.status_code.value
    if span.status.description:
        tree["message"] = clean(span.status.description)
    return tree


def _flags(context: SpanContext | None) -> int:
    return int(_REMOTE if context is not None and context.is_remote else _LOCAL)


def _dropped(what: str, count: int) -> _Tree:
    return {f"dropped{what}Count": count} if count else {}


def _integer(value: int | None) -> str:
    if value is None or value not in range(2**64):
        raise ValueError(f"not a time: {value!r}")
    return str(value)


def _attributes(attributes: Mapping[str, Any] | None) -> list[_Tree]:
    return [{"key": clean(key), "value": _value(value)} for key, value in (attributes or {}).items()]


def _value(value: Any) -> _Tree:
    """Render one attribute value; 64-bit integers are text in protobuf's JSON mapping."""
    match value:
        case str():
            return {"stringValue": clean(value)}
        case None:
            return {}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)} if value in INT64 else {"stringValue": str(value)}
        case float():
            return {"doubleValue": value if math.isfinite(value) else _NOT_FINITE[str(value)]}
        case bytes():
            return {"bytesValue": base64.b64encode(value).decode("ascii")}
        case Mapping():
            return {"kvlistValue": {"values": _attributes(value)}}
        case Sequence():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            return {"stringValue": clean(str(value))}


_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
