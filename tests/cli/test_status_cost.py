"""`setpoint status` says what each run has cost, and what the week did."""

from datetime import UTC, datetime

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


def shown(monkeypatch, capsys, row):
    counts = HomeCounts(need_you=1, running=0, verified_this_week=12, cost_this_week="$4.10")
    monkeypatch.setattr(project, "open_project", lambda _: None)
    monkeypatch.setattr(project, "run_list", lambda *_: (row,))
    monkeypatch.setattr(project, "counts_now", lambda _: counts)
    verb.status(as_json=False, most=20)
    return capsys.readouterr().out


def test_a_run_shows_its_cost_also_while_it_runs(monkeypatch, capsys):
    assert "$0.07 of $5.00" in shown(
        monkeypatch, capsys, a_row(state=RunState.RUNNING, cost="$0.07 of $5.00")
    )


def test_the_last_line_counts_what_needs_a_person_and_what_the_week_cost(monkeypatch, capsys):
    last = shown(monkeypatch, capsys, a_row(ending=Ending.VERIFIED)).splitlines()[-1]
    assert last == "1 needs you · 0 running · 12 verified this week · $4.10"
