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

    page = run_report.html(events)
    assert page.count('<th scope="row">code quality</th>') == 1
    assert '<th scope="row">duplication</th>' not in page
    assert "| code quality | " in run_report.pull_text(events, 0, "refs/x")
