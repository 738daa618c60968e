"""Reports of the tools Setpoint starts itself: whatever stands in them, an error that names tool and place.

The formats for everybody else's tools are fuzzed in `test_open_formats.py`; these have paths of their own.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage import coverage_json
from setpoint.checks.formats.linters import bandit, mypy, ruff
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests import line_traces, pytest_report

SOURCES = Sources(tree=Path("/nowhere"))
PLACE = {"row": 1, "column": 1}
RUFF = [{"code": "F401", "message": "m", "filename": "a.py", "location": PLACE, "end_location": PLACE}]
MYPY = {
    "file": "a.py",
    "line": 1,
    "column": 0,
    "message": "m",
    "hint": None,
    "code": "x",
    "severity": "error",
}
BANDIT = {
    "errors": [],
    "results": [
        {"filename": "a.py", "line_number": 1, "issue_text": "t", "issue_severity": "LOW",
         "issue_confidence": "LOW", "test_id": "B1"},
    ],
}  # fmt: skip
COVERAGE = {
    "meta": {"version": "7"},
    "files": {"a.py": {"executed_lines": [1], "missing_lines": [2]}},
    "totals": {"covered_lines": 1, "num_statements": 2},
}
PYTEST = "".join(
    json.dumps(line) + "\n"
    for line in (
        {"kind": "start", "pytest": "9.0"},
        {"kind": "collected", "ids": ["t.py::a"]},
        {"kind": "begin", "id": "t.py::a"},
        {
            "kind": "test",
            "id": "t.py::a",
            "outcome": "failed",
            "failure": {"type": "E", "frames": [{"file": "a"}]},
        },
        {"kind": "end", "exit": 1},
    )
)
TRACED = json.dumps({"id": "t.py::a", "failed": True, "lines": {"0": [1, 2]}}) + "\n"


def of_bytes(reader):
    return lambda text, _folder: reader(text, SOURCES)


def of_file(reader):
    def read(text: bytes, folder: Path):
        path = folder / "report.jsonl"
        path.write_bytes(text)
        return reader(path)

    return read


READERS = {
    "ruff": (of_bytes(ruff.read), json.dumps(RUFF).encode()),
    "mypy": (of_bytes(mypy.read), json.dumps(MYPY).encode() + b"\n"),
    "bandit": (of_bytes(bandit.read), json.dumps(BANDIT).encode()),
    "coverage": (lambda text, _: coverage_json.read(text), json.dumps(COVERAGE).encode()),
    "pytest": (of_file(pytest_report.read), PYTEST.encode()),
    "tracing plugin": (of_file(line_traces.read), TRACED.encode()),
}
BY_LINE = ("mypy", "pytest", "tracing plugin")
"""Formats in which half a report is a report of half the things, and nothing is one of none."""


@pytest.mark.parametrize("name", READERS)
def test_the_samples_are_read(name: str, tmp_path: Path) -> None:
    read, sample = READERS[name]
    assert read(sample, tmp_path)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_cut_flipped_or_other_bytes_raise_nothing_else(name: str, tmp_path_factory, data) -> None:
    read, sample = READERS[name]
    text = bytearray(sample)
    places = st.tuples(st.integers(0, len(text) - 1), st.integers(0, 255))
    for place, byte in data.draw(st.lists(places, max_size=4)):
        text[place] = byte
    text = bytes(text)[: data.draw(st.integers(0, len(text)))] + data.draw(st.binary(max_size=30))
    try:
        read(text, tmp_path_factory.mktemp("r"))
    except BadReport as error:
        assert name in str(error)  # noqa: PT017 - reading well is right too


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000 + b"\n",
        b'{"kind": "end", "exit": ' + b"9" * 5000 + b"}\n",
        b"Traceback (most recent call last):\n",
        b"\xff\xfe{\x00}\x00\n",
        b'{"errors": 1, "results": 2, "files": []}\n',
        b"\x00" * 50 + b"\n",
        b'"\\ud800"\n',
        b"null\n",
    ],
    ids=["deep", "long-number", "traceback", "utf-16", "wrong-schema", "zeros", "surrogate", "null"],
)
def test_what_is_no_report_is_told_with_tool_and_place(name: str, text: bytes, tmp_path: Path) -> None:
    read, _ = READERS[name]
    with pytest.raises(BadReport, match=name):
        read(text, tmp_path)


@pytest.mark.parametrize("name", READERS)
def test_50_mb_of_one_thing_are_no_crash(name: str, tmp_path: Path) -> None:
    read, sample = READERS[name]
    with pytest.raises(BadReport, match=name):
        read(sample.rstrip()[:-1] + b"," * (50 << 20) + b"\n", tmp_path)


@pytest.mark.parametrize(("reader", "name"), [(pytest_report, "pytest"), (line_traces, "tracing plugin")])
def test_a_report_that_grew_without_end_is_refused_unread(reader, name: str, tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    with path.open("wb") as file:
        file.truncate(reader.MOST_BYTES + 1)  # a hole in a file takes no room on the disk
    with pytest.raises(BadReport, match=rf"{name}.*report.jsonl.*268,435,457 bytes"):
        reader.read(path)


def test_the_place_in_a_report_of_lines_is_told(tmp_path: Path) -> None:
    read, _ = READERS["pytest"]
    with pytest.raises(
        BadReport, match=r"line 6 of pytest's report \(report.jsonl\) is not ours at test.outcome"
    ):
        read(PYTEST.encode() + b'{"kind": "test", "id": "t", "outcome": "fine"}\n', tmp_path)
