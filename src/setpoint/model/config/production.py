"""What becomes of signals from production."""

from __future__ import annotations

from pydantic import Field

from setpoint.model.finding import Severity
from setpoint.model.value import Value

PRODUCTION = "production"
"""The environment that is meant where none is named."""


class ProductionTerms(Value):
    """What becomes of signals from production."""

    environment: str = PRODUCTION
    """The environment that is meant where a signal or a deployment names none."""
    stories_from: Severity = Severity.WARNING
    """The least severity of which a story is written."""
    auto: tuple[Severity, ...] = ()
    """Severities whose stories may be worked on without a person's leave."""
    watch_s: float = Field(default=86400.0, gt=0)
    """Seconds for which a problem has to stay away once its fix is deployed, until the fix counts as held."""
    stories_per_hour: int = Field(default=4, ge=0)
    """Stories that signals may open within an hour; the others are put off."""
    signals_per_hour: int = Field(default=600, ge=1)
    """Signals that are taken in within an hour; more are refused, and the sender tries again later. Those of
    Sentry's SDKs, those of OpenTelemetry and all others are counted apart."""
    volatile_labels: tuple[str, ...] = (
        "instance",
        "pod",
        "host",
        "hostname",
        "node",
        "container",
        "container_id",
        "replica",
        "endpoint",
        "release",
        "version",
        "commit",
        "sha",
        "severity",
        "prometheus",
        "monitor",
    )
    """Labels that tell where and how bad, not what: alerts that differ in them alone are one problem."""
