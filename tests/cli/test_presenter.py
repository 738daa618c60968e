"""The events of a run on a terminal, in a pipe, and without colour."""

import io
import json
import re
from datetime import UTC

import pytest

from cli.live_story import BASH, at, begins, ends, later, says, told, working
from model.examples import EXAMPLES
from setpoint.cli.render.console import Screen
from setpoint.cli.render.presenter import Presenter, has_live_part
from setpoint.cli.render.replay import MOST_GAP_S, moments, recording, replay

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def a_console(width=80, *, terminal=True, **more):
    return Screen(
        file=io.StringIO(),
        width=width,
        height=24,
        force_terminal=terminal,
        soft_wrap=True,
        highlight=False,
        **more,
    )


def played(console, events, until, **more):
    """Show events second by second and return what was written in each."""
    written, left = [], list(events)
    with Presenter(console, zone=UTC, **more) as presenter:
        for second in range(until + 1):
            before = console.file.tell()
            while left and left[0].at <= at(second):
                presenter.show(left.pop(0))
            presenter.tick(at(second))
            written.append(console.file.getvalue()[before:])
    return written


def test_a_pipe_gets_whole_lines_without_control_codes_and_a_sign_of_life():
    written = played(a_console(terminal=False), working(), 200)
    text = "".join(written)
    assert "\x1b" not in text
    assert "\r" not in text
    beats = [line for line in text.splitlines() if " ... " in line]
    assert [line[:8] for line in beats] == ["12:00:20", "12:00:51", "12:01:52", "12:02:22", "12:02:52"]
    assert "Bash: python -m pytest tests/test_cart.py" in beats[3]
    assert "Read: src/cart.py [ok 1.0 s]" not in text, "the line of the change counts calls"
    everything = "".join(played(a_console(terminal=False), working(), 200, everything=True))
    assert "Read: src/cart.py [ok 1.0 s]" in everything


def test_signs_of_life_come_at_least_each_half_minute():
    text = "".join(played(a_console(terminal=False), working()[:1], 4000))
    assert text.count(" ... ") == 1 + (4000 - 20) // 30


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_lines_are_broken_at_words_and_no_row_is_too_wide(width):
    console = a_console(width)
    rows = ESCAPES.sub("", "".join(played(console, working(), 120))).replace("\r", "\n").splitlines()
    assert max(map(len, rows)) <= width
    assert any("Totals must be right" in row for row in rows)


def test_nothing_is_drawn_again_that_is_there_already():
    console = a_console()
    with Presenter(console, zone=UTC) as presenter:
        for event in working():
            presenter.show(event)
        presenter.tick(at(136))
        before = console.file.tell()
        presenter.tick(at(136.4))
        assert console.file.tell() == before
        presenter.tick(at(137))
        assert "23 s" in console.file.getvalue()[before:]


def test_calls_are_in_the_live_part_and_with_everything_also_above_it():
    events = working() + later((115, says("half way")), (120, ends(BASH)), (121, begins(BASH)))
    assert "Read: src/cart.py [ok" not in "".join(played(a_console(), events, 121))
    text = "".join(played(a_console(), events, 121, everything=True))
    assert "Read: src/cart.py [ok" in text
    assert "| half way" in text


def test_without_colours_or_on_a_dumb_terminal_there_are_only_lines(monkeypatch):
    assert has_live_part(a_console())
    assert not has_live_part(a_console(no_color=True))
    assert not has_live_part(a_console(terminal=False))
    monkeypatch.setenv("TERM", "dumb")
    assert not has_live_part(a_console())
    assert "\x1b" not in "".join(played(a_console(no_color=True), working(), 120))


def test_a_terminal_without_unicode_gets_ascii():
    console = a_console()
    console._file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with Presenter(console, zone=UTC) as presenter:
        for event in working():
            presenter.show(event)
        presenter.tick(at(136))
    console.file.seek(0)
    assert "> implement" in ESCAPES.sub("", console.file.read())


def test_a_recorded_run_is_shown_again_in_its_own_time_and_written_down():
    slept = []
    console = a_console()
    replay(console, working(), speed=4.0, everything=False, sleep=slept.append)
    assert sum(slept) == pytest.approx(114 / 4)
    header, *frames = recording(working(), width=80, height=24, everything=False, zone=UTC)
    assert json.loads(header) == {
        "version": 2,
        "width": 80,
        "height": 24,
        "title": "setpoint run run-0example",
    }
    seconds = [json.loads(frame)[0] for frame in frames]
    assert seconds == sorted(seconds)
    assert seconds[-1] == 114
    assert "▸ Bash: python -m pytest" in json.loads(frames[-1])[2]


def test_a_night_without_an_event_is_cut_short():
    events = working() + later((50_000, ends(BASH)))
    assert [moment.second for moment in moments(events)][-1] == 114 + MOST_GAP_S


def test_the_steps_of_a_proof_are_counted_while_it_is_measured():
    step = EXAMPLES["proof.step"]
    events = told((0, EXAMPLES["run.started"]), (1, EXAMPLES["iteration.evaluated"]), (2, step), (3, step))
    beats = [
        line
        for line in "".join(played(a_console(terminal=False), events, 60)).splitlines()
        if " ... " in line
    ]
    assert f"proof: 2 of about 7 steps, the last: {step.obligation.name}; " in beats[0]
