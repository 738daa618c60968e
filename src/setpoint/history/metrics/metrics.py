"""The metrics of a window of days against the window before it, computed from the recorded events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Literal, NamedTuple

import sqlalchemy as sa
from pydantic import Field

from setpoint.database.connect import Store
from setpoint.errors import RecordedDataError
from setpoint.history.metrics.day_counts import tallies
from setpoint.history.metrics.definitions import Measure, measures
from setpoint.history.metrics.plugged import PluginBroke, PluginMetrics
from setpoint.history.metrics.window_sums import Summed
from setpoint.history.phrases import duration, one_line
from setpoint.model.loop_metric import Loop
from setpoint.model.value import Instant, Value

MOST_DAYS = 3660
"""Longest window, in days."""
STEADY = 0.01
"""Relative change below which a metric counts as unchanged."""
_LABEL = 60
NO_PLUGINS = PluginMetrics()

Trend = Literal["up", "down", "same", ""]


class Figure(NamedTuple):
    """One value with the size of the sample it rests on."""

    value: float | None = None
    """None where nothing was measured; never 0 for that."""
    n: int = 0
    """Sample size; its unit follows from the definition."""


class Part(Value):
    """A metric of one phase, tool, role, guard or iteration alone."""

    label: str
    value: float | None = None
    n: int = 0
    previous: float | None = None
    """The same over the window before."""


class DayFigure(Value):
    """A metric on one day."""

    day: date
    value: float | None = None
    n: int = 0


class Metric(Value):
    """One metric over a window, as it is defined and as it was measured."""

    name: str
    loop: Loop
    """The loop whose health it tells."""
    definition: str
    source: str = ""
    """The design that asks for it: R0, R3, or own; of a plug-in its package and version."""
    unit: str
    """share (0 to 1), USD, s, per run or score (0 to 1)."""
    better: str = ""
    """higher or lower; empty where neither can be said."""
    value: float | None = None
    """None where nothing was measured; `reason` says why."""
    n: int = 0
    """Sample size; 0 where nothing was measured."""
    previous: float | None = None
    """The same over the window before."""
    previous_n: int = 0
    trend: Trend = ""
    """up, down or same against the window before; empty where one of them was not measured."""
    split: str = ""
    """What the parts are."""
    parts: tuple[Part, ...] = ()
    """Parts with a sample in this window or the one before."""
    by_day: tuple[DayFigure, ...] = ()
    """One figure for each day of the window, oldest first; empty where nobody asked for single days."""
    reason: str = ""
    """Why the value is none."""


class MetricsReport(Value):
    """Every metric over one window."""

    at: Instant
    """When it was computed."""
    days: int = Field(ge=1, le=MOST_DAYS)
    since: date
    """First day of the window, in UTC."""
    until: date
    """Last day of the window, in UTC: the day of `at`."""
    metrics: tuple[Metric, ...]
    left_out: tuple[str, ...] = ()
    """Metrics of plug-ins that cannot be used, each with its reason."""


def report(
    store: Store,
    days: int,
    at: datetime | None = None,
    *,
    now: datetime | None = None,
    plugged: PluginMetrics = NO_PLUGINS,
) -> MetricsReport:
    """Compute every metric over the last so many days in UTC, the day of `at` included; see `reports`."""
    return reports(store, (days,), at, now=now, plugged=plugged)[0]


def reports(
    store: Store,
    windows: Sequence[int],
    at: datetime | None = None,
    *,
    now: datetime | None = None,
    by_day: bool = True,
    plugged: PluginMetrics = NO_PLUGINS,
) -> tuple[MetricsReport, ...]:
    """Compute every metric over several lengths of days in UTC, the day of `at` included.

    `now` is the present, by default `at`, and that by default the real one; `at` may lie before it. All
    windows, and those before them, are read in one state of the database. Without `by_day` no metric has
    figures of single days, which are most of the work. `plugged` are the metrics of plug-ins; one that breaks
    is not measured, and its reason names it. Raises `RecordedDataError` where an event is damaged.
    """
    at = (at or now or datetime.now(UTC)).astimezone(UTC)
    first = at.date() - timedelta(days=2 * max(windows) - 1)
    try:
        rows = tallies(store, first, at.date(), now or at)
        defined = [*measures()]
        for each in plugged.metrics:
            try:
                rows |= tallies(store, first, at.date(), now or at, counters=(each.counter(store),))
                defined.append(each.measure())
            except PluginBroke as error:
                defined.append(each.measure(str(error)))
    except (sa.exc.DatabaseError, ValueError) as error:
        message = f"the metrics cannot be computed from the recorded events: {error}"
        raise RecordedDataError(
            message, hint="`setpoint show RUN` names a damaged event; update Setpoint if it was written later"
        ) from error
    found, until = Summed(rows), at.date()
    made = []
    for days in windows:
        since = until - timedelta(days=days - 1)
        metrics = tuple(_metric(measure, found, since, until, by_day=by_day) for measure in defined)
        left_out = tuple(map(str, plugged.failures))
        made.append(
            MetricsReport(at=at, days=days, since=since, until=until, metrics=metrics, left_out=left_out)
        )
    return tuple(made)


def amount(value: float | None, unit: str) -> str:
    """Write a value of a metric in its unit; a dash for what was not measured."""
    if value is None:
        return "-"
    match unit:
        case "share":
            return f"{value:.1%}"
        case "USD":
            return f"${value:.4f}" if 0 < 10 * abs(value) < 1 else f"${value:.2f}"
        case "s":
            return duration(value)
        case _:
            return f"{value:.2f}"


def _metric(measure: Measure, found: Summed, since: date, until: date, *, by_day: bool) -> Metric:
    length = until - since + timedelta(days=1)
    now, before = (since, until), (since - length, since - timedelta(days=1))
    told = {
        "name": measure.name,
        "loop": measure.loop,
        "definition": measure.definition,
        "source": measure.source,
        "unit": measure.unit,
        "better": measure.better,
        "split": measure.split,
    }
    if not measure.total:
        return Metric.model_validate({**told, "reason": measure.why_null})
    whole, previous = _figure(measure, found, now), _figure(measure, found, before)
    values = {
        "value": whole.value,
        "n": whole.n,
        "previous": previous.value,
        "previous_n": previous.n,
        "trend": _trend(whole.value, previous.value),
        "parts": _parts(measure, found, now, before) if measure.split else (),
        "by_day": _by_day(measure, found, now) if by_day else (),
        "reason": measure.why_null if whole.value is None else "",
    }
    return Metric.model_validate({**told, **values})


def _by_day(measure: Measure, found: Summed, window: tuple[date, date]) -> tuple[DayFigure, ...]:
    days = [window[0] + timedelta(days=each) for each in range((window[1] - window[0]).days + 1)]
    figures = (_figure(measure, found, (day, day)) for day in days)
    return tuple(
        DayFigure(day=day, value=each.value, n=each.n) for day, each in zip(days, figures, strict=True)
    )


def _parts(
    measure: Measure, found: Summed, now: tuple[date, date], before: tuple[date, date]
) -> tuple[Part, ...]:
    made = []
    for label in sorted(found.labels(measure.total, (before[0], now[1])), key=_order):
        current, earlier = _figure(measure, found, now, label), _figure(measure, found, before, label)
        if current.n or earlier.n:
            shown = one_line(label, _LABEL) or "?"
            made.append(Part(label=shown, value=current.value, n=current.n, previous=earlier.value))
    return tuple(made)


def _order(label: str) -> tuple[int, str]:
    """Sort numbers as numbers, before words."""
    return (int(label), "") if label.isdecimal() else (_LABEL * MOST_DAYS, label)


def _figure(measure: Measure, found: Summed, days: tuple[date, date], label: str | None = None) -> Figure:
    """Sum a window; a part is measured against its own count, or against all where its tally has none."""
    same = measure.total.partition(".")[0] == measure.n.partition(".")[0]
    whole = _ratio(
        found.total(measure.total, days, label), found.total(measure.n, days, label if same else None)
    )
    if not measure.less:
        return whole
    other = _ratio(found.total(measure.less, days, label), found.total(measure.less_n, days, label))
    if whole.value is None or other.value is None:
        return Figure()
    return Figure(whole.value - other.value, whole.n + other.n)


def _ratio(total: float, n: float) -> Figure:
    return Figure(value=total / n, n=round(n)) if n else Figure()


def _trend(value: float | None, previous: float | None) -> Trend:
    if value is None or previous is None:
        return ""
    if abs(value - previous) <= STEADY * max(abs(value), abs(previous)):
        return "same"
    return "up" if value > previous else "down"
