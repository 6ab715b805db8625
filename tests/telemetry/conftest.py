"""Fixtures of the telemetry tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from opentelemetry import trace
from opentelemetry.util._once import Once

from normgym_agents.telemetry.resend import read_requests
from tests.telemetry.receiver import OtlpReceiver, Trees, build_trees, read_spans, running_receiver


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with running_receiver() as running:
        yield running


@pytest.fixture
def no_global_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenTelemetry as in a fresh process: it lets the global provider be set once only."""
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())


@pytest.fixture
def trees_in() -> Trees:
    """Reads a `spans.jsonl` back as trees."""
    return lambda path: build_trees(read_spans(read_requests(path)))
