"""The quality vector stands in the progress file and in both reports, metric by metric."""

from __future__ import annotations

import json

from history.report_runs import verified_run
from setpoint.history.reports import run_report
from setpoint.history.reports.progress_file import progress


def test_every_metric_stands_in_the_progress_file(tmp_path):
    last = json.loads(progress(verified_run(tmp_path)).model_dump_json())["feedback_loop"]["iterations"][-1]

    assert last["metrics"]["tests"] == 1.0
    assert last["metrics"]["type_errors"] == 0
    assert last["metrics"]["duplication"] is None


def test_the_measured_metrics_stand_in_the_reports(tmp_path):
    events = verified_run(tmp_path)

    rows = [line for line in run_report.markdown(events).splitlines() if line.startswith("| code quality |")]
    assert rows
    assert rows[0].count("|") == 3 + len(progress(events).feedback_loop.iterations)
    assert "| duplication |" not in run_report.markdown(events)
    assert '<th scope="row">code quality</th>' in run_report.html(events)
