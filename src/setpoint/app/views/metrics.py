"""The metrics for the faces: computed, stored, and written for people and scrapers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from setpoint.app.views.export import write_page
from setpoint.history.metrics.metrics import MetricsReport, report, reports
from setpoint.history.metrics.prometheus import prometheus
from setpoint.history.metrics.snapshots import WINDOWS, Snapshot, snapshots, store_due, store_snapshot
from setpoint.history.queries import cost_of_days, counts
from setpoint.history.reports.metrics_page import page
from setpoint.wiring.plugins import metrics_of
from setpoint.wiring.project import Project


def metrics_report(project: Project, days: int) -> MetricsReport:
    """Compute the metrics of the last so many days."""
    return report(project.store, days, plugged=metrics_of(project.settings))


def store_metrics(project: Project, made: MetricsReport) -> str:
    """Store a report, and those of days that are over; gives the name of the first."""
    store_due_metrics(project)
    stored = store_snapshot(project.store, made)
    return stored.id if stored else ""


def store_due_metrics(project: Project) -> tuple[Snapshot, ...]:
    """Store the reports of days that are over and have none yet."""
    return store_due(project.store, plugged=metrics_of(project.settings))


def metric_snapshots(project: Project, days: int, most: int = 100) -> tuple[Snapshot, ...]:
    """Return the newest stored reports over so many days, newest first."""
    return snapshots(project.store, limit=most, days=days)


def metrics_exposition(project: Project) -> str:
    """Write the metrics of every window in Prometheus' text format."""
    made = reports(project.store, WINDOWS, by_day=False, plugged=metrics_of(project.settings))
    now, owner = datetime.now(UTC), project.locks.owner
    costs = {days: cost_of_days(project.store, owner, days, now).usd for days in WINDOWS}
    return prometheus(made, counts(project.store), costs)


def write_metrics_page(project: Project, file: Path) -> None:
    """Write the metrics of every window as one HTML page; `UsageError` where the file cannot be written."""
    write_page(file, page(reports(project.store, WINDOWS, plugged=metrics_of(project.settings))))
