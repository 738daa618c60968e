"""The quality plot of a run as inline SVG: score by iteration, restarts, and the states that passed."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup, escape

from setpoint.history.iterations import Lap
from setpoint.history.phrases import figure
from setpoint.history.replay import History

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 44, 700, 16, 196
"""The plotted area, in pixels."""


class Point(NamedTuple):
    """One measured state."""

    label: str
    """`base` or the iteration's number."""
    score: float | None
    """Quality from 0 to 1; none where it was not measured."""
    verified: bool = False
    partial: bool = False
    """The score was measured without the full suite."""
    best: bool = False
    """This state was delivered or offered."""
    restarted: bool = False
    """The work continued with a fresh context after this state."""


def points(told: History, laps: tuple[Lap, ...]) -> tuple[Point, ...]:
    """Return the states of a run in order, the base first."""
    best = told.outcome.best_iteration if told.outcome else None
    states = [Point("base", told.base.score, best=best == 0)] if told.base else []
    states += [
        Point(
            str(lap.number),
            lap.latest.score if lap.latest else None,
            verified=lap.verified,
            partial=lap.partly_measured,
            best=best == lap.number,
            restarted=lap.restarted,
        )
        for lap in laps
    ]
    return tuple(states)


def quality_plot(states: tuple[Point, ...]) -> Markup:
    """Draw the plot; its colours come from the page's style, its texts from figures alone."""
    gap = (RIGHT - LEFT) / max(len(states), 1)
    across = [LEFT + gap * (place + 0.5) for place in range(len(states))]
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" ',
        'aria-labelledby="plot-title plot-text">',
        '<title id="plot-title">Quality by iteration</title>',
        f'<desc id="plot-text">{escape(_spoken(states))}</desc>',
        *_grid(),
        *_line(states, across),
    ]
    for x, state in zip(across, states, strict=True):
        parts += _state(x, state, gap)
    return Markup("".join([*parts, "</svg>"]))  # noqa: S704 - every text above is a number or escaped


def _spoken(states: tuple[Point, ...]) -> str:
    return "; ".join(
        f"{state.label}: {figure(state.score)}{', every gate passed' if state.verified else ''}"
        for state in states
    )


def _height(score: float) -> float:
    return BOTTOM - min(max(score, 0.0), 1.0) * (BOTTOM - TOP)


def _grid() -> list[str]:
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _height(share)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:g}" x2="{RIGHT}" y2="{y:g}"/>')
        parts.append(f'<text class="axis" x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{share:.2f}</text>')
    return parts


def _line(states: tuple[Point, ...], across: list[float]) -> list[str]:
    """Join the states that were measured in full; others appear beside the line, never on it."""
    full = [
        (x, _height(state.score))
        for x, state in zip(across, states, strict=True)
        if state.score is not None and not state.partial
    ]
    return [
        f'<line class="course" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'
        for (x1, y1), (x2, y2) in pairwise(full)
    ]


def _state(x: float, state: Point, gap: float) -> list[str]:
    parts = [
        f'<text class="axis" x="{x:g}" y="{BOTTOM + 20}" text-anchor="middle">{escape(state.label)}</text>'
    ]
    if state.best:
        parts.append(f'<text class="best" x="{x:g}" y="{BOTTOM + 36}" text-anchor="middle">best</text>')
    if state.restarted:
        at = x + gap / 2
        parts.append(f'<line class="restart" x1="{at:g}" y1="{TOP}" x2="{at:g}" y2="{BOTTOM}"/>')
    if state.score is None:
        parts.append(
            f'<text class="axis" x="{x:g}" y="{BOTTOM - 8}" text-anchor="middle">not measured</text>'
        )
        return parts
    kind = _kind(state)
    y = _height(state.score)
    parts.append(
        f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="6">'
        f"<title>{escape(state.label)}: {state.score:.4f}</title></circle>"
    )
    above = y - 11 if y - 11 > TOP + 6 else y + 20
    parts.append(
        f'<text class="value" x="{x:g}" y="{above:g}" text-anchor="middle">{state.score:.2f}'
        f"{'*' if state.partial else ''}</text>"
    )
    return parts


def _kind(state: Point) -> str:
    if state.partial:
        return "partial"
    if state.verified:
        return "verified"
    return "base" if state.label == "base" else "open"
