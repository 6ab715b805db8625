"""How an agent's own spans find their way into our files.

An agent makes spans through OpenTelemetry's global tracer provider, which is not ours. Two cases, settled
when the first round of a run begins, after the agent has been loaded and built:

- Nobody has set a global provider: one of ours is set, once per process (OpenTelemetry allows no second
  time). It records only what happens inside a turn: everything else is not sampled, so after the runs it
  costs and does nothing. An agent that sets a provider of its own after that is refused by OpenTelemetry,
  with its warning; set it when the agent's module is imported, or when the agent is made.
- There is one, from the agent or the user: a processor of ours is added to it, once. It takes spans of our
  traces only, leaves the others alone, and after the runs takes none. The provider's own exporters get the
  agent's spans as always, under ids that lead to our spans wherever both are sent.

A provider that takes no processors (one not of the SDK) keeps the agent's spans to itself; the run's
report says so.

Spans are told apart by trace id: every episode is a trace of its own, so concurrent runs and episodes in
one process cannot mix.
"""

from __future__ import annotations

import functools
import os
import random
import threading
import weakref
from collections.abc import Sequence
from secrets import randbits

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ParentBased


class PrivateIds(IdGenerator):
    """Ids that share no randomness with anybody.

    The SDK draws them from the global `random`: a newcomer that seeds it would give all its runs the same
    trace ids, and spans would change what a newcomer draws. Trace ids come from the operating system, so
    that they differ in forked processes too.
    """

    def __init__(self) -> None:
        self._random = random.Random()

    def generate_span_id(self) -> int:
        """A span id that is not 0."""
        return self._random.getrandbits(64) or 1

    def generate_trace_id(self) -> int:
        """A trace id that is not 0."""
        return randbits(128) or 1


class AgentSpans(SpanProcessor):
    """Hands each ended span to the run whose trace it is in, if it is in any."""

    def __init__(self) -> None:
        self._runs: dict[int, Sequence[SpanProcessor]] = {}
        self._lock = threading.Lock()
        self._attached: weakref.WeakSet[trace.TracerProvider] = weakref.WeakSet()

    def claim(self, trace_id: int, processors: Sequence[SpanProcessor]) -> None:
        """Send the spans of a trace to `processors` from now on."""
        with self._lock:
            self._runs[trace_id] = processors

    def release(self, trace_ids: Sequence[int]) -> None:
        """Forget traces: their later spans go nowhere."""
        with self._lock:
            for trace_id in trace_ids:
                self._runs.pop(trace_id, None)

    def on_end(self, span: ReadableSpan) -> None:
        """Pass the span on."""
        context = span.get_span_context()
        for processor in self._runs.get(context.trace_id, ()) if context is not None else ():
            processor.on_end(span)

    def attach(self) -> str | None:
        """Listen to the global provider, setting one if there is none.

        Returns:
            Why an agent's spans cannot be had, or None.
        """
        if trace.get_tracer_provider() in self._attached:
            return None
        with self._lock:
            provider = trace.get_tracer_provider()
            if isinstance(provider, trace.ProxyTracerProvider):
                trace.set_tracer_provider(self._own_provider())
                provider = trace.get_tracer_provider()
            if provider not in self._attached:
                if not isinstance(provider, TracerProvider):
                    kind = f"{type(provider).__module__}.{type(provider).__qualname__}"
                    return f"the agent's own spans are not in the files: {kind} takes no span processors"
                provider.add_span_processor(self)
                self._attached.add(provider)
        return None

    def _own_provider(self) -> TracerProvider:
        provider = TracerProvider(
            sampler=ParentBased(root=ALWAYS_OFF),
            resource=Resource.create({SERVICE_NAME: os.environ.get("OTEL_SERVICE_NAME") or "newcomer"}),
            id_generator=PrivateIds(),
            shutdown_on_exit=False,
        )
        provider.add_span_processor(self)
        self._attached.add(provider)
        return provider


@functools.cache
def agent_spans() -> AgentSpans:
    """The one listener of this process."""
    return AgentSpans()


class RunTraces(SpanProcessor):
    """Watches the spans a run makes itself: claims the trace of each episode for the run's pumps.

    Args:
        processors: Where agents' spans of these traces go.
    """

    def __init__(self, processors: Sequence[SpanProcessor]) -> None:
        self._processors = tuple(processors)
        self._traces: list[int] = []
        self.problem: str | None = None

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Claim a new episode's trace; listen to the agent once an episode is under way."""
        if span.parent is None:
            trace_id = span.get_span_context().trace_id
            self._traces.append(trace_id)
            agent_spans().claim(trace_id, self._processors)
        else:
            self.problem = agent_spans().attach()

    def shutdown(self) -> None:
        """Release the traces of the run."""
        agent_spans().release(self._traces)
        self._traces.clear()
