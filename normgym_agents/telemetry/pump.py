"""A bounded queue of ended spans and the one thread that takes batches from it to a destination.

The SDK's batch processor is not used because it cannot say how many spans it lost, gives its exporter no
deadline at shutdown, and reports every failure on stderr. Here losses are counted, a failing destination is
remembered once, and closing takes no longer than it is given.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

# The only way to tell instrumented HTTP clients that a request of ours is no part of anybody's work; the
# SDK's own processors import the same name.
from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY, attach, set_value
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """What became of one batch."""

    exported: int
    dropped: int = 0
    problem: str | None = None


class Destination(Protocol):
    """Where batches go."""

    @property
    def name(self) -> str:
        """How a user knows it: a path or a URL."""
        ...

    def deliver(self, spans: Sequence[ReadableSpan]) -> Delivery:
        """Deliver a batch or say why not; never raises for what the outside world does."""
        ...

    def hurry(self) -> None:
        """Stop waiting and retrying: the run is being closed."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...


@dataclass(frozen=True, kw_only=True)
class DeliveryReport:
    """What became of all spans of a run at one destination.

    `exported` and `dropped` count spans; `problem` is the first thing that went wrong, in words.
    """

    destination: str
    exported: int
    dropped: int
    problem: str | None


class SpanPump(SpanProcessor):
    """Takes ended spans to one destination.

    Args:
        destination: Where to.
        capacity: How many spans may wait; memory is bounded by it.
        batch: How many spans at most go together.
        wait: Seconds an ending span may wait for room before it is dropped. 0 for a destination that may
            be slow (a network), so that it never slows an episode down.
        interval: Seconds after which an incomplete batch goes as well.
    """

    def __init__(
        self,
        destination: Destination,
        *,
        capacity: int = 4096,
        batch: int = 256,
        wait: float = 0.0,
        interval: float = 1.0,
    ) -> None:
        self._destination = destination
        self._capacity, self._batch, self._wait, self._interval = capacity, batch, wait, interval
        self._queue: deque[ReadableSpan] = deque()
        self._under_way = 0
        self._exported = self._dropped = 0
        self._problem: str | None = None
        self._moved = threading.Condition()
        self._wake = threading.Event()
        self._closing = False
        self._report: DeliveryReport | None = None
        self._thread = threading.Thread(target=self._work, name="normgym-spans", daemon=True)
        self._thread.start()

    def on_end(self, span: ReadableSpan) -> None:
        """Queue an ended span, or count it as dropped."""
        context = span.get_span_context()
        if context is None or not context.trace_flags.sampled:
            return
        with self._moved:
            if self._closing:
                return  # an agent's straggler after the run: the report has been made
            if len(self._queue) >= self._capacity and not self._room():
                self._dropped += 1
                self._problem = self._problem or "spans came faster than they could go"
                return
            self._queue.append(span)
            waiting = len(self._queue)
        if waiting == self._batch:
            self._wake.set()

    def _room(self) -> bool:
        """Wait for room in the queue, holding the condition; False if there was none in time."""
        self._wake.set()
        return self._wait > 0 and self._moved.wait_for(lambda: len(self._queue) < self._capacity, self._wait)

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Wait until what has ended so far is delivered; False if it took longer than given."""
        self._wake.set()
        with self._moved:
            return self._moved.wait_for(lambda: self._left() == 0, timeout_millis / 1000)

    def shutdown(self) -> None:
        """Close with the default deadline; for a provider that is shut down by somebody else."""
        self.close(5.0)

    def close(self, timeout: float) -> DeliveryReport:
        """Deliver what is left within `timeout` seconds, count the rest as dropped, and report."""
        with self._moved:
            if self._report is not None:
                return self._report
            self._closing = True
        end = time.monotonic() + timeout
        self._wake.set()
        self._thread.join(timeout * 0.8)
        if self._thread.is_alive():
            self._destination.hurry()
            self._thread.join(max(0.0, end - time.monotonic()))
        with self._moved:
            left = self._left()
            problem = self._problem or (f"no answer within {timeout:g} s" if left else None)
            self._report = DeliveryReport(
                destination=self._destination.name,
                exported=self._exported,
                dropped=self._dropped + left,
                problem=problem,
            )
            return self._report

    def _left(self) -> int:
        return len(self._queue) + self._under_way

    def _work(self) -> None:
        attach(set_value(_SUPPRESS_INSTRUMENTATION_KEY, True))
        while True:
            self._wake.wait(self._interval)
            self._wake.clear()
            closing = self._closing
            while batch := self._take():
                self._settle(self._destination.deliver(batch))
            if closing:
                self._destination.close()
                return

    def _take(self) -> list[ReadableSpan]:
        with self._moved:
            batch = [self._queue.popleft() for _ in range(min(self._batch, len(self._queue)))]
            self._under_way = len(batch)
            self._moved.notify_all()
        return batch

    def _settle(self, delivery: Delivery) -> None:
        with self._moved:
            self._under_way = 0
            self._exported += delivery.exported
            self._dropped += delivery.dropped
            self._problem = self._problem or delivery.problem
            self._moved.notify_all()
