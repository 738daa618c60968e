"""What a terminal shows of a run at work: the same events, time and size give the same rows."""

from datetime import UTC

import pytest
from rich.cells import cell_len

from cli.live_story import BASH, at, begins, ends, later, racing, says, waiting, working
from model.examples import EXAMPLES
from setpoint.app.views.live import LiveRun
from setpoint.cli.render.frame import frame, heartbeat, in_ascii
from setpoint.model.events.run import PhaseEntered

KEYS = ("p pause", "h hint", "s stop", "v text", "^C leave")


def shown(events, second, width, height=24, keys=()):
    moment = LiveRun(events).moment(at(second), UTC)
    return "\n".join(row.text.rstrip() for row in frame(moment, width, height, keys=keys))


AT_WORK = {
    40: """\
implement (3 of 7)               #2 of 7
  claude  2 calls, 1 edited         44 s
  ▸ Bash: python -m pytest tests/t… 22 s
  1 failing test
  2m16s · $0.07 · 18.4k tok · +3 -1
  p pause h hint s stop v text ^C leave""",
    60: """\
implement (3 of 7)                                   #2 of 7
  claude  2 calls, edited src/cart.py                   44 s
  ▸ Bash: python -m pytest tests/test_cart.py -q -x --… 22 s
  1 failing test
  2m16s · $0.07 of $5.00 · 18.4k tokens · 1 file +3 -1
  p pause  h hint  s stop  v text  ^C leave""",
    80: """\
● research ● plan ◐ implement ○ evaluate ○ review ○ test ○ deliver       #2 of 7
  claude  2 calls, edited src/cart.py                                       44 s
  ▸ Bash: python -m pytest tests/test_cart.py -q -x --no-header             22 s
  1 failing test
  2m16s · $0.07 of $5.00 · 18.4k tokens · 1 file +3 -1
  p pause  h hint  s stop  v text  ^C leave""",
}


@pytest.mark.parametrize("width", AT_WORK)
def test_a_call_is_shown_while_it_runs_at_every_width(width):
    assert shown(working(), 136, width, keys=KEYS) == AT_WORK[width]


@pytest.mark.parametrize("width", [10, 24, 40, 60, 80, 120])
@pytest.mark.parametrize("height", [1, 4, 6, 24])
@pytest.mark.parametrize("events", [working(), waiting(), racing(), ()], ids=["work", "wait", "race", "none"])
def test_no_row_is_wider_than_the_terminal_and_every_agent_has_its_row(events, width, height):
    moment = LiveRun(events).moment(at(150), UTC)
    rows = frame(moment, width, height, keys=KEYS)
    assert max(cell_len(row.text) for row in rows) <= max(width, 24)
    assert len(rows) <= max(height, 5)
    if height >= 6:
        assert sum(row.text.lstrip().startswith(("claude", "candidate")) for row in rows) == len(moment.panes)


def test_silence_is_explained():
    silent = working() + later((116, ends(BASH)))
    assert "the model is thinking, 40 s" in shown(silent, 156, 80)
    assert "thinking" not in shown(silent, 117, 80)
    assert "no sign of life yet, 9 s" in shown(working()[:9], 101, 80)
    assert "waiting for the limit until 12:07" in shown(waiting(), 150, 80)
    assert "2m20s" in shown(waiting(), 400, 80)
    assert "weighing the evidence" in shown(working()[:7], 95, 80)
    assert "running the checks, 12 s" in shown(working()[:6], 83, 80)
    assert "measuring the base, 20 s" in shown(working()[:1], 20, 80)
    asked = working() + later((150, EXAMPLES["gate.requested"]))
    assert "how is it to go on?" in shown(asked, 999, 80)


def test_candidates_stand_below_each_other_and_share_a_low_terminal():
    whole = shown(racing(), 110, 80)
    assert "candidate 1 claude  1 call" in whole
    assert "candidate 2 codex" in whole
    low = shown(racing(), 110, 80, height=5).splitlines()
    assert low[1:3] == [
        "  candidate 1 claude: the model is thinking, 14 s",
        "  candidate 2 codex: Bash: python -m pytest tests/test_cart.py -q -x --no-heade…",
    ]


def test_an_agent_of_a_phase_that_is_over_is_at_work_no_more():
    moment = LiveRun(working() + later((140, PhaseEntered(phase="evaluate", iteration=2)))).moment(at(141))
    assert moment.panes == ()


def test_a_title_that_is_made_clearer_keeps_the_time_of_its_beginning():
    clearer = BASH.model_copy(update={"title": "make check"})
    moment = LiveRun(working() + later((124, begins(clearer)))).moment(at(134))
    (running,) = moment.panes[0].running
    assert (running.call.title, running.elapsed_s) == ("make check", 20)


def test_what_an_agent_writes_is_bounded():
    run = LiveRun(working())
    for event in later(*((120, says("line\n" * 50)) for _ in range(50))):
        run.take(event)
    assert len(run.moment(at(130)).panes[0].text) == 200


def test_one_line_says_the_same_and_ascii_needs_no_more_than_ascii():
    moment = LiveRun(working()).moment(at(136), UTC)
    assert heartbeat(moment) == (
        "... implement (3 of 7) #2; claude: Bash: python -m pytest tests/test_cart.py -q -x --no-header, 22 s"
        "; 2m16s, $0.07 of $5.00, 18.4k tokens, 1 file +3 -1"
    )
    assert in_ascii(shown(working(), 136, 80)).isascii()


def test_titles_cannot_act_on_a_terminal():
    hostile = BASH.model_copy(update={"title": "\x1b[2Jls\nrm", "name": "\x1b]0;own\x07"})
    text = shown(working()[:-1] + later((114, begins(hostile))), 120, 80)
    assert "\x1b" not in text
    assert "rm" in text
