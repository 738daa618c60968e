"""Metrics of plug-ins: computed from all events of each run that finished in the window."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

import sqlalchemy as sa

from setpoint.database.connect import Store
from setpoint.database.tables import EVENT
from setpoint.history.event_log import SqlEventLog
from setpoint.history.metrics.day_counts import Counter, Row
from setpoint.history.metrics.definitions import Measure
from setpoint.model.ids import TraceId
from setpoint.plugins import Plugin, PluginFailure, broke
from setpoint.ports.metric import PluggedMetric

METRIC_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
"""What a metric may be called; Prometheus takes no other name."""


class PluginBroke(Exception):
    """A metric of a plug-in raised an error or gave no number: it is left out of the report."""

    def __init__(self, failure: PluginFailure) -> None:
        """Say which plug-in broke, and how."""
        super().__init__(str(failure))
        self.failure = failure


@dataclass(frozen=True, kw_only=True)
class NamedMetric:
    """A metric with the plug-in that brings it."""

    plugin: Plugin
    metric: PluggedMetric

    @property
    def tally(self) -> str:
        """Name the figures that it is counted from."""
        return f"plugin {self.plugin.name}"

    def measure(self, why_null: str = "") -> Measure:
        """Define it like a metric of Setpoint's own; `why_null` says why it is not measured at all."""
        return Measure(
            name=self.plugin.name,
            loop=self.metric.loop,
            unit=self.metric.unit,
            definition=self.metric.definition,
            source=f"{self.plugin.distribution} {self.plugin.version}",
            total="" if why_null else f"{self.tally}.total",
            n="" if why_null else f"{self.tally}.runs",
            better=self.metric.better,
            why_null=why_null or self.metric.why_null,
        )

    def counter(self, store: Store) -> Counter:
        """Count it by day; a finished day is counted once for each version of the package."""
        version = f"{self.plugin.distribution} {self.plugin.version} {self.plugin.target}"
        return Counter(name=self.tally, version=version, count=self._count(store))

    def _count(self, store: Store) -> Callable[[sa.Connection, datetime, datetime], tuple[Row, ...]]:
        log = SqlEventLog(store)

        def count(connection: sa.Connection, begin: datetime, end: datetime) -> tuple[Row, ...]:
            finished = sa.select(EVENT.c.trace_id, EVENT.c.at).where(
                EVENT.c.kind == "run.finished", EVENT.c.at >= begin, EVENT.c.at < end
            )
            by_day: defaultdict[date, list[float]] = defaultdict(list)
            for trace_id, at in connection.execute(finished.order_by(EVENT.c.at)).all():
                value = self._value(log, trace_id)
                if value is not None:
                    by_day[at.date()].append(value)
            return tuple(
                Row(day=day, label="", figures={"total": math.fsum(values), "runs": float(len(values))})
                for day, values in by_day.items()
            )

        return count

    def _value(self, log: SqlEventLog, trace_id: TraceId) -> float | None:
        events = log.replay(trace_id)
        try:
            value = self.metric.of_run(events)
            if value is None:
                return None
            if not math.isfinite(number := float(value)):
                raise ValueError(f"it gave {value!r}")
        except Exception as error:
            raise PluginBroke(broke(self.plugin, error, f"measured {trace_id}")) from error
        return number


@dataclass(frozen=True, kw_only=True)
class PluginMetrics:
    """The metrics of enabled plug-ins, and those that are left out."""

    metrics: tuple[NamedMetric, ...] = ()
    failures: tuple[PluginFailure, ...] = ()
