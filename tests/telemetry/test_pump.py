"""The queue in front of a destination: bounded, counted, closed in time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence

import pytest
from opentelemetry import context
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, TraceFlags

from normgym_agents.telemetry.pump import Delivery, SpanPump


def span(sampled: bool = True) -> ReadableSpan:
    return ReadableSpan("s", SpanContext(1, 1, is_remote=False, trace_flags=TraceFlags(1 if sampled else 0)))


class Gate:
    """A destination that takes batches only while it is open."""

    name = "the gate"

    def __init__(self, open: bool = True) -> None:
        self.opened = threading.Event()
        self.entered = threading.Event()
        self.batches: list[int] = []
        self.hurried = self.closed = False
        self.suppressed: object = None
        if open:
            self.opened.set()

    def deliver(self, spans: Sequence[ReadableSpan]) -> Delivery:
        self.entered.set()
        self.opened.wait()
        self.suppressed = context.get_value(context._SUPPRESS_INSTRUMENTATION_KEY)
        self.batches.append(len(spans))
        return Delivery(exported=len(spans))

    def hurry(self) -> None:
        self.hurried = True

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def shut() -> Iterator[Gate]:
    gate = Gate(open=False)
    yield gate
    gate.opened.set()


def test_all_spans_arrive_in_batches() -> None:
    gate = Gate()
    pump = SpanPump(gate, batch=10, interval=60)
    for _ in range(95):
        pump.on_end(span())
    assert pump.force_flush()
    assert sum(gate.batches) == 95
    assert max(gate.batches) <= 10
    report = pump.close(5)
    assert (report.destination, report.exported, report.dropped, report.problem) == ("the gate", 95, 0, None)
    assert gate.closed
    assert not gate.hurried


def test_an_incomplete_batch_goes_after_the_interval() -> None:
    gate = Gate()
    pump = SpanPump(gate, batch=10, interval=0.01)
    pump.on_end(span())
    assert gate.entered.wait(10)
    pump.close(5)


def test_what_has_no_room_is_counted_and_never_waits(shut: Gate) -> None:
    pump = SpanPump(shut, batch=2, capacity=4)
    pump.on_end(span())
    pump.on_end(span())
    assert shut.entered.wait(10)  # two spans are under way
    for _ in range(7):
        pump.on_end(span())
    shut.opened.set()
    report = pump.close(5)
    assert (report.exported, report.dropped) == (6, 3)
    assert report.problem == "spans came faster than they could go"


def test_a_pump_may_wait_for_room(shut: Gate) -> None:
    pump = SpanPump(shut, batch=2, capacity=2, wait=30)
    opener = threading.Timer(0.05, shut.opened.set)
    opener.start()
    for _ in range(9):
        pump.on_end(span())
    report = pump.close(5)
    assert (report.exported, report.dropped) == (9, 0)
    opener.join()


def test_closing_gives_up_in_time_and_counts_what_is_left(shut: Gate) -> None:
    pump = SpanPump(shut, batch=2)
    for _ in range(5):
        pump.on_end(span())
    began = time.monotonic()
    report = pump.close(0.2)
    assert time.monotonic() - began < 5
    assert shut.hurried
    assert (report.exported, report.dropped, report.problem) == (0, 5, "no answer within 0.2 s")
    assert pump.close(0.2) is report
    pump.on_end(span())  # a straggler is ignored
    assert not pump.force_flush(1)


def test_spans_that_are_not_sampled_do_not_go() -> None:
    gate = Gate()
    pump = SpanPump(gate)
    pump.on_end(span(sampled=False))
    assert pump.close(5).exported == 0


def test_instrumented_clients_are_told_to_look_away() -> None:
    gate = Gate()
    pump = SpanPump(gate)
    pump.on_end(span())
    pump.shutdown()
    assert gate.suppressed is True
