"""What a person who waits is told of checks: tests done of how many, the time, and what is slow."""

import json
import os
import time
from pathlib import Path

from setpoint.checks.under_way import checks_now, reported_in, under_way


def reported(path: Path, *lines: dict[str, object], ago_s: float = 0.0) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(line)}\n" for line in lines)
    then = time.time() - ago_s
    os.utime(path, (then, then))


def test_a_suite_is_told_as_far_as_it_has_come(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    assert checks_now() == ""
    with under_way("pytest", 200.0):
        assert checks_now() == "pytest, 0 s of about 3m20s"
        reported_in(report)
        assert checks_now() == "pytest, 0 s of about 3m20s", "the report is not there yet"
        reported(
            report, {"kind": "collected", "ids": ["t::a", "t::b", "t::c"]}, {"kind": "begin", "id": "t::a"}
        )
        assert checks_now() == "pytest 0 of 3 tests, 0 s of about 3m20s"
        reported(
            report,
            {"kind": "test", "id": "t::a", "outcome": "passed"},
            {"kind": "begin", "id": "t::b"},
            ago_s=70,
        )
        assert checks_now() == "pytest 1 of 3 tests, 0 s of about 3m20s, slowest now t::b (1m10s)"
        with under_way("ruff", 0.0):
            assert checks_now().endswith("; ruff, 0 s")
    assert checks_now() == ""


def test_half_a_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    with under_way("pytest", 0.0):
        reported_in(report)
        report.write_text('{"kind": "collected", "ids": ["t::a"]}\n{"kind": "te')
        assert checks_now() == "pytest 0 of 1 tests, 0 s"
        with report.open("a") as file:
            file.write('st", "id": "t::a"}\nnot json\n')
        assert checks_now() == "pytest 1 of 1 tests, 0 s"
