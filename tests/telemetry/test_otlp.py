"""The two encodings of spans: one content, whatever text an agent wrote."""

from __future__ import annotations

import json
import math
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, StatusCode, TraceFlags

from normgym_agents.telemetry.otlp import count_spans, encode
from normgym_agents.telemetry.otlp_json import parse, render
from tests.telemetry.receiver import read_spans


def made(*makers: Any, resource: dict[str, Any] | None = None) -> tuple[ReadableSpan, ...]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource(resource or {"service.name": "x"}), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    for number, maker in enumerate(makers):
        maker(provider.get_tracer(f"scope {number % 2}", "1", attributes={"odd": number % 2 == 1}))
    return exporter.get_finished_spans()


def span(name: str = "s", **attributes: Any) -> Any:
    return lambda tracer: tracer.start_span(name, attributes=attributes).end()


# Any code point, lone surrogates included, and the ones that break terminals, lines or C strings.
odd_text = st.text(
    st.characters() | st.sampled_from('\ud800\udfff\x00\x1b\r\n\u2028\u0085"\\é🏺'), max_size=60
)
scalars = (
    odd_text
    | st.booleans()
    | st.none()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.binary(max_size=20)
)
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(odd_text, scalars, max_size=3)
keys = st.text(string.ascii_lowercase + "é\ud800", min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(name=odd_text, attributes=st.dictionaries(keys, values, max_size=5), described=odd_text)
def test_odd_text_neither_raises_nor_breaks_a_line(
    name: str, attributes: dict[str, Any], described: str
) -> None:
    def make(tracer: Any) -> None:
        one = tracer.start_span(name, attributes=attributes)
        one.add_event(name, attributes)
        one.set_status(StatusCode.ERROR, described)
        one.end()

    spans = made(make, span("next"))
    line, unfit = render(spans)
    request, unencoded = encode(spans)
    assert (unfit, unencoded) == (0, 0)
    assert line.endswith(b"\n")
    assert len(line.decode("ascii").splitlines()) == 1
    assert parse(line) == request
    assert {s.name for s in read_spans([request])} >= {"next"}


def test_huge_text_passes_whole() -> None:
    spans = made(span(text="🏺" * 1_000_000))
    (read,) = read_spans([parse(render(spans)[0])])
    assert read.attributes["text"] == "🏺" * 1_000_000


def test_lone_surrogates_become_visible_and_other_text_stays() -> None:
    (read,) = read_spans([parse(render(made(span("take \ud83c", text="é\x00\x1b[31m", both="é\udfff")))[0])])
    assert read.name == "take \\ud83c"
    assert read.attributes == {"text": "é\x00\x1b[31m", "both": "é\\udfff"}


def test_a_line_is_the_encoding_that_otlp_asks_for() -> None:
    link = SpanContext(2**127 + 5, 7, is_remote=True, trace_flags=TraceFlags(1))

    def make(tracer: Any) -> None:
        with tracer.start_as_current_span("parent"):
            tracer.start_span(
                "child",
                kind=SpanKind.CLIENT,
                start_time=10**18 + 1,
                attributes={"n": 2**53 + 1, "x": 0.5, "b": True, "raw": b"\x00\xff", "list": ["a", 1]},
                links=[Link(link, {"why": "because"})],
            ).end(10**18 + 2)

    spans = made(make)
    tree = json.loads(render(spans)[0])
    child = tree["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    parent = tree["resourceSpans"][0]["scopeSpans"][0]["spans"][1]
    context = spans[0].get_span_context()
    assert context is not None
    assert child["traceId"] == parent["traceId"] == f"{context.trace_id:032x}"
    assert child["parentSpanId"] == parent["spanId"]
    assert len(child["spanId"]) == 16
    assert "parentSpanId" not in parent
    assert child["kind"] == 3
    assert child["startTimeUnixNano"] == "1000000000000000001"
    assert child["attributes"] == [
        {"key": "n", "value": {"intValue": "9007199254740993"}},
        {"key": "x", "value": {"doubleValue": 0.5}},
        {"key": "b", "value": {"boolValue": True}},
        {"key": "raw", "value": {"bytesValue": "AP8="}},
        {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "1"}]}}},
    ]
    assert child["links"][0]["traceId"] == "80000000000000000000000000000005"
    assert child["links"][0]["spanId"] == "0000000000000007"


def test_both_encodings_agree_on_resources_scopes_kinds_and_drops() -> None:
    def many(tracer: Any) -> None:
        one = tracer.start_span("many", kind=SpanKind.SERVER, attributes={f"k{i}": i for i in range(3)})
        for number in range(130):
            one.add_event(str(number))
        one.set_status(StatusCode.OK)
        one.end()

    first = made(span("a"), span("b"), many, resource={"service.name": "one", "host": "é"})
    second = made(span("c"), resource={"service.name": "two"})
    spans = first + second
    request, _ = encode(spans)
    assert parse(render(spans)[0]) == request
    assert len(request.resource_spans) == 2
    assert count_spans(request) == 4
    assert any(
        s.dropped_events_count == 2
        for r in request.resource_spans
        for scope in r.scope_spans
        for s in scope.spans
    )


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_numbers_that_json_has_not_survive(number: float) -> None:
    (read,) = read_spans([parse(render(made(span(x=number)))[0])])
    assert read.attributes["x"] == pytest.approx(number, nan_ok=True)


def test_a_span_that_cannot_be_encoded_does_not_take_others_with_it() -> None:
    def broken(tracer: Any) -> None:
        tracer.start_span("broken", start_time=-5).end()

    spans = made(span("a"), broken, span("b"))
    request, unencoded = encode(spans)
    line, unfit = render(spans)
    assert (unencoded, unfit) == (1, 1)
    assert [s.name for s in read_spans([request])] == ["a", "b"]
    assert parse(line) == request


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"resourceSpans": 3}',
        b'{"resourceSpans": [3]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "xyz"}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": 5}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": 5}]}]}]}',
        b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "\\ud800"}]}]}]}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
)
def test_what_is_not_a_request_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        parse(line)


def test_unknown_fields_are_ignored() -> None:
    assert (
        count_spans(parse(b'{"resourceSpans": [{"new": 1, "scopeSpans": [{"spans": [{"name": "a"}]}]}]}'))
        == 1
    )
