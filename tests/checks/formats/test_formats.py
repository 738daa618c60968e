"""Reports that are cut, of another tool, or none at all: an error that names the tool, never a crash."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.coverage import coverage_json
from setpoint.checks.formats.linters import bandit, mypy, ruff
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests import pytest_report
from setpoint.model.finding import Category, Severity

SOURCES = Sources(tree=Path("/nowhere"))
READERS = {"ruff": ruff.read, "mypy": mypy.read, "bandit": bandit.read}
RUFF = [
    {
        "code": "F401",
        "message": "`os` imported but unused",
        "filename": "/nowhere/a.py",
        "location": {"row": 1, "column": 8},
        "end_location": {"row": 1, "column": 10},
        "fix": {
            "applicability": "unsafe",
            "message": "Remove",
            "edits": [
                {"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}
            ],
        },
        "url": None,
    }
]


@pytest.mark.parametrize("name", READERS)
@given(text=st.binary(max_size=200))
def test_noise_is_a_bad_report_or_an_empty_one(name: str, text: bytes) -> None:
    try:
        report = READERS[name](text, SOURCES)
    except BadReport as error:
        assert name in str(error)  # noqa: PT017 - either way is right; what matters is that nothing else is raised
    else:
        assert report.findings == ()


@given(cut=st.integers(0, 400))
def test_a_cut_report_is_bad(cut: int) -> None:
    whole = json.dumps(RUFF).encode()
    if cut < len(whole):
        with pytest.raises(BadReport, match="ruff"):
            ruff.read(whole[:cut], SOURCES)


def test_ruff_gives_paths_categories_and_edits() -> None:
    (found,) = ruff.read(json.dumps(RUFF).encode(), SOURCES).findings

    assert (found.file, found.line, found.category, found.severity) == (
        "a.py", 1, Category.CORRECTNESS, Severity.WARNING,
    )  # fmt: skip
    assert found.fix is not None
    assert not found.fix.safe
    assert (found.fix.edits[0].start_line, found.fix.edits[0].end_line, found.fix.edits[0].text) == (1, 2, "")


@pytest.mark.parametrize(
    ("code", "category", "severity"),
    [
        (None, Category.CORRECTNESS, Severity.ERROR),
        ("F821", Category.CORRECTNESS, Severity.ERROR),
        ("S602", Category.SECURITY, Severity.WARNING),
        ("D103", Category.DOCUMENTATION, Severity.WARNING),
        ("DTZ001", Category.STYLE, Severity.WARNING),
        ("E501", Category.STYLE, Severity.WARNING),
        ("ANN001", Category.TYPES, Severity.WARNING),
    ],
)
def test_ruffs_rules_have_categories(code, category, severity) -> None:
    (found,) = ruff.read(json.dumps([{**RUFF[0], "code": code}]).encode(), SOURCES).findings

    assert (found.category, found.severity) == (category, severity)


def test_files_that_a_tool_could_not_read_are_errors() -> None:
    unreadable = ruff.read(json.dumps([{**RUFF[0], "code": "E902"}]).encode(), SOURCES)
    unparsed = bandit.read(b'{"errors": [{"filename": "a.py", "reason": "syntax"}], "results": []}', SOURCES)
    syntax = mypy.read(
        b'{"file":"a.py","line":1,"column":0,"message":"m","hint":null,"code":"syntax","severity":"error"}',
        SOURCES,
    )

    assert unreadable.errors
    assert unparsed.errors == ("a.py: syntax",)
    assert syntax.errors == ("a.py:1: m",)


def test_notes_of_mypy_are_no_findings() -> None:
    line = b'{"file":"a.py","line":1,"column":0,"message":"m","hint":null,"code":null,"severity":"note"}\n'

    assert mypy.read(line, SOURCES).findings == ()


def test_coverage_names_the_place_of_what_is_wrong() -> None:
    with pytest.raises(BadReport, match=r"totals\.covered_lines"):
        coverage_json.read(b'{"meta": {"version": "7"}, "files": {}, "totals": {"num_statements": 1}}')


def test_a_suites_report_may_be_cut_in_its_last_line_only(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text('{"kind": "start", "pytest": "9"}\n{"kind": "begin", "id": "t::a"}\n{"kind": "te')

    suite = pytest_report.read(path)

    assert (suite.version, suite.running, suite.exit) == ("9", "t::a", None)
    path.write_text('{"kind": "start", "pytest": "9"}\nnoise\n{"kind": "end", "exit": 0}\n')
    with pytest.raises(BadReport, match="line 2"):
        pytest_report.read(path)
    with pytest.raises(BadReport, match="no report"):
        pytest_report.read(tmp_path / "missing")
