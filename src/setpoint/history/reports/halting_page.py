"""How halting policies compare as one self-contained page, and its two plots as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import NamedTuple

from jinja2 import Environment
from markupsafe import Markup, escape

from setpoint.history.reports.templates import templates
from setpoint.model.facts.group_means import Mean
from setpoint.model.halting_replay import PolicyFigures
from setpoint.model.halting_tables import Bin, Calibration, ReplayTable, frontier, spots

WIDTH, HEIGHT = 460, 330
LEFT, RIGHT, TOP, BOTTOM = 54, 440, 14, 276
"""The plotted area, in pixels."""
_STEPS = 5
_LABEL = 14
"""Pixels that a label is high."""
_CHARACTER = 6.6
"""Pixels that a character of a label is wide."""


def page(tables: Sequence[ReplayTable]) -> str:
    """Return the comparison as HTML; text from outside is escaped."""
    return _environment().get_template("halting.html.j2").render(tables=tables)


def reliability_plot(found: Calibration) -> Markup:
    """Draw the share of right work over what was predicted; a point on the diagonal is a true prediction."""
    told = "; ".join(map(_spoken, found.bins))
    ends = [f"{step / _STEPS:.0%}" for step in range(_STEPS + 1)]
    parts = _frame("Share of right work over predicted P(verified)", told, ends)
    parts.append(_line("restart", (0, 0), (1, 1)))
    for each in found.bins:
        parts.append(_line("course", (each.predicted, each.low), (each.predicted, each.high)))
        x, y = _at(each.predicted, each.observed)
        parts.append(
            f'<circle class="verified" cx="{x:.1f}" cy="{y:.1f}" r="{min(4 + each.count / 40, 9):.1f}">'
        )
        parts.append(f"<title>{escape(_spoken(each))}</title></circle>")
    return Markup("".join([*parts, "</svg>"]))  # noqa: S704 - every text above is a number or escaped


def pareto_plot(figures: Sequence[PolicyFigures]) -> Markup:
    """Draw success over cost for each policy; filled points are those that no other one beats."""
    shown, best = spots(figures), frontier(figures)
    most = _round_up(max((each.cost_usd for each in shown), default=0.0))
    told = "; ".join(f"{each.policy}: {each.success:.0%} for ${each.cost_usd:.2f}" for each in shown)
    ends = [f"${most * step / _STEPS:.2f}" for step in range(_STEPS + 1)]
    parts = _frame("Success over US dollars of a run", told, ends)
    named: dict[tuple[float, float], list[str]] = {}
    for each in shown:
        named.setdefault(_at(each.cost_usd / most, each.success), []).append(each.policy)
    taken = [_Box(x - 6, y - 6, x + 6, y + 6) for x, y in named]
    for (x, y), policies in named.items():
        kind = "verified" if policies[0] in best else "base"
        text = escape(", ".join(policies))
        parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
        box = _free(x, y, _CHARACTER * len(text), taken)
        taken.append(box)
        parts.append(f'<text class="value" x="{box.left:.1f}" y="{box.bottom - 3:.1f}">{text}</text>')
    return Markup("".join([*parts, "</svg>"]))  # noqa: S704 - every text above is a number or escaped


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def _free(x: float, y: float, width: float, taken: Sequence[_Box]) -> _Box:
    """Return a place for a label beside a point: right, left, or further and further above and below."""
    starts = [(x + 8, y - _LABEL / 2), (x - 8 - width, y - _LABEL / 2)]
    starts += [(x - width / 2, y + sign * step * _LABEL - 7) for step in range(1, 6) for sign in (-1, 1)]
    boxes = [_Box(left, top, left + width, top + _LABEL) for left, top in starts]
    inside = [each for each in boxes if each.left > LEFT and each.right < WIDTH] or boxes
    return next((each for each in inside if not any(each.meets(other) for other in taken)), inside[0])


def _frame(title: str, told: str, across: Sequence[str]) -> list[str]:
    """Begin a plot of shares from 0 to 100 % over what the labels across say."""
    middle = (LEFT + RIGHT) / 2
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" ',
        f'aria-label="{escape(f"{title}: {told}")}"><title>{escape(title)}</title>',
        f'<text class="axis" x="{middle}" y="{BOTTOM + 40}" text-anchor="middle">{escape(title)}</text>',
    ]
    for step, label in enumerate(across):
        share = step / _STEPS
        x, y = _at(share, share)
        parts.append(_line("grid", (0, share), (1, share)))
        parts.append(
            f'<text class="axis" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.0%}</text>'
        )
        parts.append(f'<text class="axis" x="{x:.1f}" y="{BOTTOM + 18}" text-anchor="middle">{label}</text>')
    return parts


def _line(kind: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = _at(*start), _at(*end)
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _at(across: float, up: float) -> tuple[float, float]:
    return LEFT + across * (RIGHT - LEFT), BOTTOM - up * (BOTTOM - TOP)


def _spoken(each: Bin) -> str:
    return f"predicted {each.predicted:.0%}, right {each.observed:.0%} of {each.count}"


def _round_up(most: float) -> float:
    """Return the end of an axis: the next multiple of half a dollar, or of a tenth below one."""
    step = 0.1 if most < 1 else 0.5
    return max(step, ceil(most / step) * step)


def interval(mean: Mean | None, digits: int = 3) -> str:
    """Return a mean with the wider half of its 95 % interval; a dash where there is none."""
    if mean is None:
        return "-"
    if mean.low is None or mean.high is None:
        return f"{mean.value:.{digits}f}"
    return f"{mean.value:.{digits}f} ±{max(mean.high - mean.value, mean.value - mean.low):.{digits}f}"


@cache
def _environment() -> Environment:
    environment = templates()
    environment.filters |= {
        "interval": interval,
        "reliability_plot": reliability_plot,
        "pareto_plot": pareto_plot,
    }
    return environment
