"""The trend of runs that wrote tests: no run is lost, and a damaged line stops nothing."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from setpoint.app.cover.trend import append_trend
from setpoint.history.reports.cover_report import CoverTrend
from setpoint.model.ids import TraceId


def run(number):
    return CoverTrend(run=TraceId(f"run-{number}"), at=datetime.now(UTC), files=("shop.py",), coverage=0.5)


def test_each_run_is_noted_once_and_runs_that_end_together_are_all_kept(tmp_path):
    file = tmp_path / "state" / "trend.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: append_trend(file, run(number % 20)), range(40)))

    assert sorted(each.run for each in append_trend(file, None)) == sorted(
        f"run-{number}" for number in range(20)
    )


def test_a_line_that_cannot_be_read_is_left_and_not_told(tmp_path):
    file = tmp_path / "trend.jsonl"
    append_trend(file, run(1))
    damaged = b'{"run": "run-2", "at"\n\xff\xfe\n{"of": "another version"}\n'
    file.write_bytes(file.read_bytes() + damaged)

    assert [each.run for each in append_trend(file, run(3))] == ["run-1", "run-3"]
    assert damaged in file.read_bytes()
    assert len(file.read_bytes().splitlines()) == 5
