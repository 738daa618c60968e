"""`setpoint status` says what each run has cost, and what the week did."""

from datetime import UTC, datetime

import pytest

from setpoint.cli.runs import status as verb
from setpoint.history.queries import HomeCounts, RunState, RunSummary
from setpoint.model.ending import Ending
from setpoint.model.ids import StoryId, TraceId
from setpoint.wiring import project


def a_row(**more):
    told = {
        "trace_id": TraceId("run-1"),
        "story_id": StoryId("s"),
        "title": "Story",
        "root": "/r",
        "state": RunState.FINISHED,
        "started_at": datetime(2026, 2, 1, tzinfo=UTC),
    }
    return RunSummary(**{**told, **more})


@pytest.fixture
def listed(monkeypatch, capsys):
    """What the verb prints, where these runs are open and these are the newest."""

    def shown(*newest, left=()):
        counts = HomeCounts(need_you=1, running=0, verified_this_week=12, cost_this_week="$4.10 this week")
        monkeypatch.setattr(project, "open_project", lambda _: None)
        monkeypatch.setattr(project, "run_list", lambda *_: newest)
        monkeypatch.setattr(project, "counts_now", lambda _: counts)
        monkeypatch.setattr(project, "open_list", lambda _: left)
        verb.status(as_json=False, most=20, before="", everything=False)
        return capsys.readouterr().out

    return shown


def test_a_run_shows_its_cost_also_while_it_runs(listed):
    running = a_row(state=RunState.RUNNING, cost="$0.07 of $5.00", phase="implement")
    assert "$0.07 of $5.00 · implement" in listed(running, left=(running,))


def test_what_needs_a_person_comes_first_with_its_command_whatever_its_age(listed):
    old = a_row(trace_id="run-0", state=RunState.WAITING, asker="reviewer cat", asks="up or to even?")
    running = a_row(state=RunState.RUNNING)
    done = a_row(trace_id="run-2", ending=Ending.VERIFIED, tests="22 of 22 tests")
    lines = listed(done, running, left=(running, old)).splitlines()
    assert lines[:3] == [
        "? NEEDS YOU  Story  run-0",
        "    reviewer cat asks: up or to even?",
        "    setpoint answer show run-0",
    ]
    assert [line for line in lines if not line.startswith(" ")][1:3] == [
        "◐ RUNNING  Story  run-1",
        "✓ VERIFIED  Story  run-2",
    ]


def test_the_last_line_counts_what_needs_a_person_and_what_the_week_cost(listed):
    last = listed(a_row(ending=Ending.VERIFIED)).splitlines()[-1]
    assert last == "1 needs you · 0 running · 12 verified this week · $4.10 this week"
