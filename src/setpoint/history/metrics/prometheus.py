"""The metrics in Prometheus' text format (version 0.0.4), for a scraper or the textfile collector."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from setpoint.history.metrics.metrics import Metric, MetricsReport

_UNITS = {"share": "ratio", "USD": "usd", "s": "seconds", "per run": "per_run", "score": "score"}


def prometheus(
    reports: tuple[MetricsReport, ...], runs: Mapping[str, int], costs: Mapping[int, Decimal]
) -> str:
    """Write every metric of reports over different windows, the runs in each state, and their cost by window.

    What was not measured has no sample, but a sample size of 0. A part is a sample of its own family.
    """
    lines = _family("setpoint_runs", "Runs that are recorded, by state.")
    lines += [_sample("setpoint_runs", {"state": state}, count) for state, count in runs.items()]
    lines += _family("setpoint_spent_usd", "US dollars that runs used as far as known, also those under way.")
    lines += [
        _sample("setpoint_spent_usd", {"window_days": str(days)}, float(usd)) for days, usd in costs.items()
    ]
    for several in zip(*(each.metrics for each in reports), strict=True):
        lines += _metric([(each.days, metric) for each, metric in zip(reports, several, strict=True)])
    return "\n".join(lines) + "\n"


def name_of(metric: Metric) -> str:
    """Name the family of a metric, its unit last, as Prometheus wants it."""
    stem, unit = metric.name, _UNITS[metric.unit]
    for ending in ("_rate", "_per_run"):
        stem = stem.removesuffix(ending)
    return f"setpoint_{stem}_{unit}"


def _metric(windows: list[tuple[int, Metric]]) -> list[str]:
    first = windows[0][1]
    name = name_of(first)
    lines = _family(name, first.definition)
    for days, metric in windows:
        if metric.value is not None:
            lines.append(_sample(name, {"window_days": str(days)}, metric.value))
    lines += _family(f"{name}_samples", f"Sample size of {name}.")
    lines += [_sample(f"{name}_samples", {"window_days": str(days)}, metric.n) for days, metric in windows]
    parts = [
        _sample(f"{name}_by", {"window_days": str(days), "part": part.label}, part.value)
        for days, metric in windows
        for part in metric.parts
        if part.value is not None
    ]
    return [*lines, *_family(f"{name}_by", f"{name} by {first.split}."), *parts] if parts else lines


def _family(name: str, told: str) -> list[str]:
    escaped = told.replace("\\", "\\\\").replace("\n", "\\n")
    return [f"# HELP {name} {escaped}", f"# TYPE {name} gauge"]


def _sample(name: str, labels: Mapping[str, str], value: float) -> str:
    inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels.items())
    return f"{name}{{{inside}}} {value!r}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
