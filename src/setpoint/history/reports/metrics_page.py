"""The metrics as one self-contained page without scripts, and their plots as inline SVG."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from jinja2 import Environment
from markupsafe import Markup, escape

from setpoint.history.metrics.metrics import Metric, MetricsReport, amount
from setpoint.history.metrics.summary import (
    first_ten,
    getting_better,
    in_words,
    trend_in_words,
    value_in_words,
    verdict,
)
from setpoint.history.reports.templates import templates
from setpoint.model.loop_metric import Loop

WIDTH, HEIGHT, PAD = 320, 64, 6
"""The plotted area, in pixels."""


def page(reports: tuple[MetricsReport, ...]) -> str:
    """Return the metrics of one or more windows as HTML; text from outside is escaped."""
    return _environment().get_template("metrics.html.j2").render(reports=reports)


def by_loop(report: MetricsReport) -> list[tuple[str, tuple[Metric, ...]]]:
    """Return the ten first figures, then the other metrics under the names of their loops."""
    ten = first_ten(report)
    rest = [each for each in report.metrics if each not in ten]
    names = {loop: "Across runs" if loop is Loop.ACROSS else f"{loop.capitalize()} loop" for loop in Loop}
    parts = [(name, tuple(each for each in rest if each.loop is loop)) for loop, name in names.items()]
    return [("Ten figures", ten), *(part for part in parts if part[1])]


def day_plot(metric: Metric) -> Markup:
    """Draw a metric by day, from its least to its greatest value; a day without one interrupts the line.

    Colours come from the style of the page. Empty where fewer than two days were measured.
    """
    known = [each.value for each in metric.by_day if each.value is not None]
    if len(known) < 2:  # noqa: PLR2004 - one point makes a line impossible
        return Markup("")
    least, most = min(known), max(known)
    step = (WIDTH - 2 * PAD) / max(len(metric.by_day) - 1, 1)
    spots = [
        None
        if each.value is None
        else (PAD + place * step, HEIGHT - PAD - (HEIGHT - 2 * PAD) * _share(each.value, least, most))
        for place, each in enumerate(metric.by_day)
    ]
    lines = [
        f'<line x1="{one[0]:.1f}" y1="{one[1]:.1f}" x2="{two[0]:.1f}" y2="{two[1]:.1f}"/>'
        for one, two in pairwise(spots)
        if one and two
    ]
    dots = [f'<circle cx="{spot[0]:.1f}" cy="{spot[1]:.1f}" r="2.2"/>' for spot in spots if spot]
    spoken = f"{in_words(metric)}: {amount(least, metric.unit)} to {amount(most, metric.unit)}"
    return Markup(  # noqa: S704 - every text above is a number or escaped
        f'<svg class="days" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(spoken)}">'
        f"{''.join(lines)}{''.join(dots)}</svg>"
    )


def _share(value: float, least: float, most: float) -> float:
    return (value - least) / (most - least) if most > least else 0.5


@cache
def _environment() -> Environment:
    environment = templates()
    environment.filters |= {**FILTERS, "amount": amount}
    return environment


FILTERS = {
    "by_loop": by_loop,
    "day_plot": day_plot,
    "getting_better": getting_better,
    "in_words": in_words,
    "trend_in_words": trend_in_words,
    "value_in_words": value_in_words,
    "verdict": verdict,
}
"""What templates of metrics use."""
