"""Telemetry: the spans of a run, and where they go.

Here is what code that *makes* spans needs: the OpenTelemetry API only. Whoever runs the program and decides
where spans go imports `normgym_agents.telemetry.export` (the SDK) explicitly.
"""

from __future__ import annotations

from normgym_agents.telemetry.spans import NO_SPANS, EpisodeSpans, Turn

__all__ = ["NO_SPANS", "EpisodeSpans", "Turn"]
