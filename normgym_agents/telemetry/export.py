"""Where the spans of a run go: opens `spans.jsonl` and a receiver, and closes them with a report.

The application's side of telemetry: the only module of this room that a runner or command line needs, and
the one that brings in the OpenTelemetry SDK. Telemetry never fails a run: what could not be delivered is
counted and told once, at the end. What is wrong from the start (a bad address, a folder that cannot be
written) is refused at once.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import Tracer, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from normgym_agents.errors import BadInput
from normgym_agents.telemetry import names
from normgym_agents.telemetry.agents import PrivateIds, RunTraces
from normgym_agents.telemetry.destinations import Receiver, SpansFile
from normgym_agents.telemetry.pump import DeliveryReport, SpanPump
from normgym_agents.telemetry.spans import EpisodeSpans

__all__ = ["DeliveryReport", "RunTelemetry", "SpansReport", "open_spans"]


@dataclass(frozen=True, kw_only=True)
class SpansReport:
    """What became of a run's spans: one entry per destination, and the lines a user should read."""

    deliveries: tuple[DeliveryReport, ...]
    warnings: tuple[str, ...]


class RunTelemetry:
    """The open telemetry of one run; make it with `open_spans`. Also a context manager."""

    def __init__(self, resource: Resource, file: SpanPump, receiver: SpanPump | None) -> None:
        self._pumps = (file,) if receiver is None else (file, receiver)
        self._traces = RunTraces(self._pumps)
        # Our own, never the global one: its sampler, limits and ids are not the user's to change, and
        # nothing an agent does to the global provider touches it.
        self._provider = TracerProvider(sampler=ALWAYS_ON, resource=resource, id_generator=PrivateIds())
        for processor in (self._traces, *self._pumps):
            self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer(names.SCOPE, _version())
        self._session = uuid.uuid4().hex
        self._report: SpansReport | None = None

    def __enter__(self) -> RunTelemetry:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()

    def episode_spans(self) -> EpisodeSpans:
        """New spans for one episode; safe to use for many episodes at once."""
        return EpisodeSpans(self._tracer, session=self._session)

    def flush(self, timeout: float = 5.0) -> bool:
        """Deliver what has ended so far; False if that took longer than `timeout` seconds."""
        return self._provider.force_flush(int(timeout * 1000))

    def close(self, timeout: float = 5.0) -> SpansReport:
        """Deliver the rest within `timeout` seconds per destination, let go of everything, and report.

        Closing again returns the same report.
        """
        if self._report is None:
            deliveries = tuple(pump.close(timeout) for pump in self._pumps)
            self._provider.shutdown()
            warnings = [_warning(delivery) for delivery in deliveries if delivery.problem is not None]
            if self._traces.problem is not None:
                warnings.append(self._traces.problem)
            if not isinstance(self._tracer, Tracer):
                warnings.append("no spans were written: OTEL_SDK_DISABLED is set")
            self._report = SpansReport(deliveries=deliveries, warnings=tuple(warnings))
        return self._report


def open_spans(path: Path, otlp: str | None = None, *, service: str = "normgym-agents") -> RunTelemetry:
    """Open the telemetry of a run. Load the newcomer first, so that a provider it sets up is found.

    Args:
        path: The `spans.jsonl` to append to; its folder must exist.
        otlp: Where to send the spans as well, over OTLP/HTTP: a collector's address or a full `/v1/traces`
            address. Headers come from the variable `OTEL_EXPORTER_OTLP_HEADERS`.
        service: The `service.name` of our spans.

    Raises:
        BadInput: For a bad address, or a file that cannot be written. Nothing is left open or made then.
    """
    receiver = None if otlp is None else Receiver(otlp)
    resource = Resource.create(
        {SERVICE_NAME: service, SERVICE_VERSION: _version(), SERVICE_INSTANCE_ID: uuid.uuid4().hex}
    )
    try:
        file = SpansFile(path)
    except BadInput:
        if receiver is not None:
            receiver.close()
        raise
    # A file is always fast enough in the end, so spans wait for it; a network may never be.
    pump = SpanPump(file, wait=10.0)
    return RunTelemetry(resource, pump, None if receiver is None else SpanPump(receiver))


def _warning(report: DeliveryReport) -> str:
    return (
        f"{report.dropped} of {report.dropped + report.exported} spans did not reach {report.destination}: "
        f"{report.problem}"
    )


def _version() -> str:
    try:
        return metadata.version("normgym-agents")
    except metadata.PackageNotFoundError:
        return "0+unknown"  # run from a checkout that was never installed
