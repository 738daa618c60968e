"""`setpoint metrics` as a user calls it."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from checks.conftest import git, write
from model.examples import ORDER, OUTCOME
from setpoint.cli.app import commands
from setpoint.cli.project.metrics import sparkline
from setpoint.history.event_log import SqlEventLog
from setpoint.model.attempt import ToolCall
from setpoint.model.events.run import RunFinished, RunStarted, ToolExecuted
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project


@pytest.fixture
def project(tmp_path, monkeypatch):
    place = tmp_path / "project"
    write(place, {"a.py": "x = 1\n"})
    git(place, "init", "-q")
    monkeypatch.chdir(place)
    opened = open_project(place)
    for days in (0, 2):
        at = datetime.now(UTC) - timedelta(days=days)
        log = SqlEventLog(opened.store, now=lambda at=at: at)
        trace = TraceId(f"run-{days}")
        order = ORDER.model_copy(update={"trace_id": trace, "started_at": at})
        call = ToolCall(id="1", name="[red]bash[/red]", ok=days == 0, duration_s=1.5)
        log.append(
            trace,
            "all",
            [
                RunStarted(order=order, workdir="/copy"),
                ToolExecuted(phase="implement", iteration=1, label="implement-1", call=call),
                RunFinished(outcome=OUTCOME),
            ],
        )
    yield opened
    opened.store.close()


def call(*words):
    done = CliRunner().invoke(commands(), ["metrics", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.mark.usefixtures("project")
def test_metrics_are_shown_with_their_sample_size_and_why_one_is_missing():
    shown = call("--days", "30", "--all")
    (row,) = [line for line in shown.splitlines() if line.startswith("Tool calls that succeed")]
    assert row.split()[4:7] == ["50.0%", "2", "higher"]
    assert "[red]bash[/red]" in shown
    assert "agents tell what a try costs" in shown


@pytest.mark.usefixtures("project")
def test_ten_figures_in_words_come_first_and_the_others_on_request():
    shown = call().splitlines()
    assert shown[0] == (
        "Is this getting better? Too few runs to tell: 2 in the last 7 days, 0 in the 7 days before; "
        "5 in each are needed."
    )
    assert len(shown[3:-2]) == 10
    assert shown[3].split()[:7] == ["Runs", "that", "end", "verified", "100.0%", "2", "higher"]
    assert shown[12].startswith("Verified more with learnings")
    assert shown[12].endswith("too few runs to tell (300 are needed)")
    assert shown[-1] == "the other 22: setpoint metrics --all"
    assert not any("_" in line for line in shown)


@pytest.mark.usefixtures("project")
def test_json_holds_every_metric_and_null_where_nothing_was_measured():
    made = json.loads(call("--json"))
    by_name = {each["name"]: each for each in made["metrics"]}
    assert by_name["success_rate"]["n"] == 2
    assert by_name["tool_cost"]["value"] is None
    assert len(by_name["success_rate"]["by_day"]) == made["days"] == 7
    assert "snapshot" not in made


@pytest.mark.usefixtures("project")
def test_reports_are_stored_and_listed():
    assert call("--snapshots").strip() == "no report is stored yet"
    name = json.loads(call("--json", "--snapshot"))["snapshot"]
    stored = json.loads(call("--json", "--snapshots"))
    assert stored[0]["id"] == name
    assert [each["occasion"] for each in stored[1:]] == sorted(
        (each["occasion"] for each in stored[1:]), reverse=True
    )
    assert len(stored) >= 2, "the days that are over have theirs"
    assert stored[1]["occasion"] in call("--snapshots")


@pytest.mark.usefixtures("project")
def test_prometheus_and_the_page(tmp_path):
    assert 'setpoint_tool_success_ratio{window_days="90"} 0.5' in call("--prometheus")
    call("--html", str(tmp_path / "out" / "metrics.html"))
    assert "How the loops do" in (tmp_path / "out" / "metrics.html").read_text("utf-8")


def test_a_sparkline_has_a_gap_where_nothing_was_measured():
    assert sparkline([0.0, None, 1.0]) == "▁ █"
    assert sparkline([None, 1.0]) == ""
    assert sparkline([0.0, None, 1.0], plain=True) == "0 .. 1"
    assert len(sparkline([float(each) for each in range(90)])) == 30
