"""Who is told of runs that have ended."""

from __future__ import annotations

from setpoint.model.value import Value


class TelemetrySettings(Value):
    """Who is told of runs that have ended."""

    otlp: str = ""
    """A collector that gets each run as a trace, by OTLP over HTTP (extra `otel`); empty: nobody."""
