"""Show a recorded run once more as it was shown while it worked, or write that down as a recording."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

from rich.console import Console

from setpoint.cli.render.console import Screen
from setpoint.cli.render.presenter import Presenter
from setpoint.model.events import Event

STEP_S = 1.0
"""Seconds between two looks at the clock."""
MOST_GAP_S = 120.0
"""Of a longer time without an event only so much is shown, such as a night before an answer."""
VERSION = 2
"""Of the asciicast format: https://docs.asciinema.org/manual/asciicast/v2/."""


class Moment(NamedTuple):
    """A point of time in a replay."""

    second: float
    """Since the beginning of what is shown."""
    now: datetime
    event: Event | None
    """What happened then; none for a look at the clock."""


def moments(events: Sequence[Event]) -> Iterator[Moment]:
    """Yield each event at its time, and the looks at the clock between them."""
    second, last = 0.0, events[0].at if events else None
    for event in events:
        gap_s = max((event.at - last).total_seconds(), 0.0) if last else 0.0
        shown_s = min(gap_s, MOST_GAP_S)
        for step in range(1, int(shown_s / STEP_S) + 1):
            now = (last or event.at) + timedelta(seconds=step * STEP_S)
            yield Moment(second + step * STEP_S, now, None)
        second, last = second + shown_s, event.at
        yield Moment(second, event.at, event)


def replay(
    console: Console,
    events: Sequence[Event],
    *,
    speed: float,
    everything: bool,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Show a run again in its own time, `speed` times as fast."""
    shown_s = 0.0
    with Presenter(console, everything=everything) as presenter:
        for second, now, event in moments(events):
            sleep(max(second - shown_s, 0.0) / speed)
            shown_s = second
            _show(presenter, now, event)


def recording(
    events: Sequence[Event], *, width: int, height: int, everything: bool, zone: tzinfo | None = None
) -> Iterator[str]:
    """Yield the lines of an asciicast: what a terminal of that size showed, and when."""
    output = io.StringIO()
    console = Screen(
        file=output,
        width=width,
        height=height,
        force_terminal=True,
        color_system="standard",
        highlight=False,
        soft_wrap=True,
        _environ={"TERM": "xterm-256color"},
    )
    title = f"setpoint run {events[0].trace_id}" if events else "setpoint run"
    yield json.dumps({"version": VERSION, "width": width, "height": height, "title": title})
    with Presenter(console, everything=everything, zone=zone) as presenter:
        for second, now, event in moments(events):
            _show(presenter, now, event)
            if text := output.getvalue():
                output.seek(0)
                output.truncate()
                yield json.dumps([round(second, 3), "o", text.replace("\n", "\r\n")], ensure_ascii=False)


def _show(presenter: Presenter, now: datetime, event: Event | None) -> None:
    if event is not None:
        presenter.show(event)
    presenter.tick(now)
