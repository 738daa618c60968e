"""The ten figures that tell first how things go, in words, and whether they get better."""

from __future__ import annotations

from math import sqrt
from typing import Literal

from setpoint.history.metrics.definitions import measures
from setpoint.history.metrics.metrics import Metric, MetricsReport, amount

FIRST = (
    "success_rate",
    "cost_per_verified_run",
    "run_duration",
    "iterations_per_run",
    "first_pass_approval_rate",
    "stagnation_rate",
    "integrity_violation_rate",
    "dismissal_rate",
    "time_to_human_response",
    "memory_uplift",
)
"""The ten figures, in the order in which they are shown."""
FEWEST = 5
"""Least sample in each window of a figure that is compared, where its definition asks for no more."""
_CLEAR = 1.64
"""Standard errors by which two shares differ at least: one side, 95 %."""
Verdict = Literal["better", "worse", "higher", "lower", "no clear change", "too few to compare"]


def first_ten(report: MetricsReport) -> tuple[Metric, ...]:
    """Return the ten figures; fewer where an older report lacks some."""
    by_name = {each.name: each for each in report.metrics}
    return tuple(by_name[name] for name in FIRST if name in by_name)


def in_words(metric: Metric) -> str:
    """Return the name of a metric for people."""
    known = {each.name: each.words for each in measures()}
    return known.get(metric.name) or metric.name.replace("_", " ").capitalize()


def value_in_words(metric: Metric) -> str:
    """Return the value; a dash where it is not measured, or its sample is too small to say anything."""
    return "-" if _silent(metric) else amount(metric.value, metric.unit)


def verdict(metric: Metric) -> Verdict:
    """Compare a metric with the window before; the direction alone where none is better."""
    value, before, n, m = metric.value, metric.previous, metric.n, metric.previous_n
    if value is None or before is None or min(n, m) < _least(metric):
        return "too few to compare"
    if metric.unit == "share":
        whole = (value * n + before * m) / (n + m)
        clear = abs(value - before) > _CLEAR * sqrt(max(0.0, whole * (1 - whole)) * (1 / n + 1 / m))
    else:
        clear = metric.trend != "same"
    if not clear:
        return "no clear change"
    if not metric.better:
        return "higher" if value > before else "lower"
    return "better" if (value > before) == (metric.better == "higher") else "worse"


def trend_in_words(metric: Metric) -> str:
    """Say how a metric compares with the window before."""
    if _silent(metric):
        return f"too few runs to tell ({_least(metric)} are needed)"
    if metric.value is None:
        return "not measured"
    if metric.previous is None:
        return "nothing before"
    return f"{verdict(metric)}, was {amount(metric.previous, metric.unit)} (n {metric.previous_n})"


def getting_better(report: MetricsReport) -> str:
    """Say in one sentence whether the ten figures get better."""
    ten, days = first_ten(report), report.days
    now, before = next(((each.n, each.previous_n) for each in ten), (0, 0))
    if min(now, before) < FEWEST:
        return (
            f"Too few runs to tell: {now} in the last {days} days, {before} in the {days} days before; "
            f"{FEWEST} in each are needed."
        )
    found: dict[str, list[str]] = {"better": [], "worse": []}
    for each in ten:
        words = in_words(each)
        found.setdefault(verdict(each), []).append(f"{words[0].lower()}{words[1:]}")
    told = [f"{word}: {', '.join(found[word])}" for word in ("better", "worse") if found[word]]
    if not told:
        return f"No clear change against the {days} days before."
    answer = "Partly" if len(told) > 1 else "Yes" if found["better"] else "No"
    return f"{answer}. Against the {days} days before, {'; '.join(told)}."


def _least(metric: Metric) -> int:
    return next((each.least for each in measures() if each.name == metric.name), FEWEST)


def _silent(metric: Metric) -> bool:
    """Whether the metric asks for a larger sample than others, and has less."""
    return metric.n < _least(metric) > FEWEST
