"""`setpoint status` says that a cost is unknown, and does not leave it blank."""

from datetime import UTC, datetime

from setpoint.cli.runs import status as verb
from setpoint.history.queries import RunState, RunSummary
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

    monkeypatch.setattr(project, "open_project", lambda _: None)
    monkeypatch.setattr(project, "run_list", lambda *_: (row,))
    verb.status(as_json=False, most=20)
    return capsys.readouterr().out


def test_a_finished_run_of_unknown_cost_says_so(monkeypatch, capsys):
    assert "unknown" in shown(monkeypatch, capsys, a_row(ending=Ending.VERIFIED))


def test_a_run_that_goes_on_has_no_cost_yet(monkeypatch, capsys):
    assert "unknown" not in shown(monkeypatch, capsys, a_row(state=RunState.RUNNING))
