"""Common report formats: what is read of them, and that all else is an error that names report and place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.formats.samples import CHECKSTYLE, DIAGNOSTIC, JUNIT, SAMPLES
from setpoint.checks.formats import registry
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.parsing import MOST_BYTES
from setpoint.checks.formats.report import Sources, ToolReport
from setpoint.model.config.custom_check import ReportFormat
from setpoint.model.evidence import Cause, Outcome
from setpoint.model.finding import Category, Severity

NAME = "mine's report (out.txt)"
SOURCES = Sources(tree=Path("/nowhere"), report=NAME)

BY_LINE = (
    ReportFormat.FILE_LIST,
    ReportFormat.RDJSONL,
    ReportFormat.LCOV,
    ReportFormat.TSC,
    ReportFormat.GO_VET,
    ReportFormat.GO_TEST,
    ReportFormat.CARGO_TEST,
    ReportFormat.LIZARD,
    ReportFormat.VULTURE,
    ReportFormat.INTERROGATE,
)
"""Formats in which the beginning of a report can be a whole one."""

ALIKE = {
    *(frozenset({form}) for form in ReportFormat),
    frozenset({ReportFormat.SARIF, ReportFormat.BIOME}),
    frozenset({ReportFormat.GITLAB, ReportFormat.BIOME}),
    frozenset({ReportFormat.PYREFLY, ReportFormat.SEMGREP}),
}
"""Pairs of which a report of one can be one of the other: biome writes SARIF or GitLab's.

`{"errors": []}` is one of pyrefly's and of semgrep's.
"""
MAY_BE_EMPTY = (
    ReportFormat.FILE_LIST, ReportFormat.RDJSONL, ReportFormat.GO_VET, ReportFormat.LIZARD,
    ReportFormat.VULTURE,
)  # fmt: skip


def read(form: ReportFormat, text: bytes | str, sources: Sources = SOURCES):
    return registry.read(form, text.encode() if isinstance(text, str) else text, sources)


def found(form: ReportFormat, text: bytes | None = None):
    report = read(form, text or SAMPLES[form])
    assert isinstance(report, ToolReport)
    return report.findings


def test_every_format_has_one_reader() -> None:
    read_by = [*registry.FINDINGS, *registry.TESTS, *registry.COVERAGE]
    assert sorted(read_by) == sorted(ReportFormat)
    assert {each for each in ReportFormat if each.runs_code} == {*registry.TESTS, *registry.COVERAGE}


def test_sarif_levels_places_and_suppressed_results() -> None:
    one, two, three, four = found(ReportFormat.SARIF)

    assert (one.rule, one.severity, one.file, one.line, one.symbol) == (
        "R1",
        Severity.ERROR,
        "p q/a.py",
        3,
        "m.f",
    )
    assert one.detail == "https://r/1"
    assert (two.rule, two.message, two.file, two.category) == ("R2", "uses eval", "b.py", Category.SECURITY)
    assert (two.severity, two.confidence) == (Severity.CRITICAL, 0.6)
    assert (three.file, three.severity) == ("c.py", Severity.WARNING)
    assert (four.message, four.severity) == ("asked", Severity.INFO)
    assert read(ReportFormat.SARIF, SAMPLES[ReportFormat.SARIF]).left_out == 2


def sarif_with(run: dict) -> bytes:
    return json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, **run}]}).encode()


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({}, "no results"),
        ({"results": None}, "no results"),
        ({"results": [], "invocations": [{"executionSuccessful": False}]}, "not successful"),
        (
            {
                "results": [],
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [
                            {
                                "level": "error",
                                "message": {"text": "cannot parse"},
                                "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py"}}}],
                            }
                        ],
                    }
                ],
            },
            "a.py: cannot parse",
        ),
    ],
)
def test_sarif_that_says_it_did_not_look(run: dict, said: str) -> None:
    report = read(ReportFormat.SARIF, sarif_with(run))
    assert report.findings == ()
    assert said in report.errors[0]


def sarif_fix(*regions: dict, uri: str = "a.py") -> bytes:
    changes = [
        {
            "artifactLocation": {"uri": uri},
            "replacements": [{"deletedRegion": each, "insertedContent": {"text": "y"}} for each in regions],
        }
    ]
    place = {"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 1}}}
    result = {"message": {"text": "m"}, "locations": [place], "fixes": [{"artifactChanges": changes}]}
    return sarif_with({"results": [result]})


def test_sarif_fixes_are_edits_of_known_characters(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\nz = '\U0001f600' + x\n", "utf-8")
    sources = Sources(tree=tmp_path, report=NAME)

    def fix(text: bytes):
        return read(ReportFormat.SARIF, text, sources).findings[0].fix

    plain = fix(sarif_fix({"startLine": 1}))
    assert [each.model_dump() for each in plain.edits] == [
        {"start_line": 1, "start_column": 1, "end_line": 1, "end_column": 6, "text": "y"}
    ]
    assert not plain.safe
    assert fix(sarif_fix({"startLine": 2, "startColumn": 5, "endColumn": 6})) is None, "columns are in doubt"
    assert fix(sarif_fix({"charOffset": 1})) is None
    assert fix(sarif_fix({"startLine": 1}, {"startLine": 1, "startColumn": 3})) is None, "they overlap"
    assert fix(sarif_fix({"startLine": 1}, uri="b.py")) is None, "another file"


def test_gitlab_rdjson_and_checkstyle() -> None:
    one, two = found(ReportFormat.GITLAB)
    assert (one.severity, one.category, one.file, one.line) == (
        Severity.CRITICAL,
        Category.SECURITY,
        "a.py",
        4,
    )
    assert (two.severity, two.line) == (Severity.WARNING, 2)
    one, two = found(ReportFormat.RDJSON)
    assert (one.severity, one.rule, one.file, one.line) == (Severity.ERROR, "X", "a.py", 2)
    assert (two.severity, two.line) == (Severity.INFO, 0)
    assert [each.severity for each in found(ReportFormat.RDJSONL)] == [Severity.ERROR] * 2
    (one,) = found(ReportFormat.CHECKSTYLE)
    assert (one.message, one.file, one.line, one.severity) == ("bad & ugly", "a.py", 2, Severity.WARNING)
    assert read(ReportFormat.CHECKSTYLE, CHECKSTYLE).left_out == 1


def test_an_exception_in_checkstyle_is_an_error() -> None:
    report = read(
        ReportFormat.CHECKSTYLE,
        "<checkstyle><file name='a'><exception>NPE\n at x</exception></file></checkstyle>",
    )
    assert report.errors == ("a: NPE",)


def test_tests_of_one_name_are_told_apart_and_red_ones_explained() -> None:
    report = read(ReportFormat.JUNIT, JUNIT)

    assert report.outcomes == {
        "c::good": Outcome.PASSED,
        "c::good #2": Outcome.PASSED,
        "c::bad": Outcome.FAILED,
        "c::broken": Outcome.ERROR,
        "s::later": Outcome.SKIPPED,
    }
    bad, broken = report.failures
    assert (bad.message, bad.file, bad.line, bad.cause) == ("1 != 2", "t.js", 7, Cause.ASSERTION)
    assert (broken.message, broken.file, broken.cause) == ("boom", "u.js", Cause.RUNTIME)


def test_ctrf_counts_what_is_neither_passed_nor_skipped_as_broken() -> None:
    report = read(ReportFormat.CTRF, SAMPLES[ReportFormat.CTRF])
    assert report.outcomes == {"a": Outcome.FLAKY, "s::b": Outcome.FAILED, "c": Outcome.ERROR}
    assert (report.failures[0].file, report.failures[0].line) == ("t.js", 3)


@pytest.mark.parametrize("form", registry.COVERAGE)
def test_coverage_formats_agree(form: ReportFormat) -> None:
    reached = read(form, SAMPLES[form])
    (name,) = reached.files
    assert name in ("a.py", "a.js")
    assert (reached.covered, reached.statements) == (2, 3)
    assert reached.files[name].missing == {2}
    coverage = reached.coverage({name: {2, 3}})
    assert coverage.uncovered_changed == {name: (2,)}
    assert coverage.branches == (None if form is ReportFormat.COVERAGE_JSON else 0.5)


def told(report) -> int:
    return len(report.findings if isinstance(report, ToolReport) else report.outcomes)


@pytest.mark.parametrize("form", SAMPLES)
@given(share=st.floats(0, 1, exclude_max=True))
def test_half_a_report_is_bad(form: ReportFormat, share: float) -> None:
    whole = SAMPLES[form].rstrip()
    cut = whole[: int(len(whole) * share)]
    try:
        report = read(form, cut)
    except BadReport as error:
        assert str(error).startswith(NAME)  # noqa: PT017 - the other way out is checked below
    else:
        assert form in BY_LINE
        assert form is not ReportFormat.LCOV
        assert told(report) <= told(read(form, whole))


@pytest.mark.parametrize("form", ReportFormat)
@given(data=st.data())
def test_flipped_bytes_and_noise_raise_nothing_else(form: ReportFormat, data: st.DataObject) -> None:
    whole = bytearray(SAMPLES.get(form, b"[]"))
    places = st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), min_size=1, max_size=4)
    for place, byte in data.draw(places):
        whole[place] = byte
    noise = data.draw(st.binary(min_size=1, max_size=80))
    for text in (bytes(whole), noise, bytes(whole)[: len(whole) // 2] + noise):
        try:
            read(form, text)
        except BadReport as error:
            assert str(error).startswith(NAME)  # noqa: PT017 - reading well is right too


@pytest.mark.parametrize("form", SAMPLES)
@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"  \n",
        b"\xff\xfe[\x00]\x00",
        b"Traceback (most recent call last):\n",
        b"{}",
        b"<html/>",
        b"[" * 100_000,
        b"\x00" * 50,
        b"<a>" * 5_000,
    ],
    ids=["nothing", "space", "utf-16", "traceback", "object", "html", "deep", "zeros", "deep-xml"],
)
def test_what_is_no_report_of_the_format_is_bad(form: ReportFormat, text: bytes) -> None:
    if (form in MAY_BE_EMPTY and not text) or (form is ReportFormat.GO_VET and text == b"{}"):
        assert read(form, text) == ToolReport()
        return
    with pytest.raises(BadReport, match=r"mine's report \(out.txt\) is not readable"):
        read(form, text)


@pytest.mark.parametrize("form", SAMPLES)
def test_a_report_of_another_format_is_bad(form: ReportFormat) -> None:
    for other, text in SAMPLES.items():
        if frozenset({form, other}) not in ALIKE:
            with pytest.raises(BadReport, match="is not readable"):
                read(form, text)


@pytest.mark.parametrize("form", ReportFormat)
def test_a_report_of_50_mb_is_refused(form: ReportFormat) -> None:
    sample = SAMPLES.get(form, b"[]")
    with pytest.raises(BadReport, match=r"bytes, and no more than 33,554,432 are read"):
        read(form, sample + b" " * (50 << 20))
    assert MOST_BYTES < 50 << 20


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        (ReportFormat.SARIF, b'{"version": "2.0.0", "runs": []}', "at 'version'"),
        (ReportFormat.SARIF, b'{"version": "2.1.0", "runs": []}', "no run"),
        (ReportFormat.SARIF, sarif_fix({"startLine": 0}), r"runs\.0\.results\.0\.fixes\.0"),
        (ReportFormat.GITLAB, b'[{"description": "x", "location": {}}]', r"at '0\.location\.path'"),
        (ReportFormat.RDJSONL, json.dumps(DIAGNOSTIC).encode() + b"\n{}", "in line 2 at 'message'"),
        (ReportFormat.CHECKSTYLE, b"<checkstyle>\n<file/></checkstyle>", "at file 1"),
        (ReportFormat.CHECKSTYLE, b"<checkstyle>\n</file>", "in line 2, column 3"),
        (ReportFormat.JUNIT, b"<testsuite failures='1'><testcase name='a'/></testsuite>", "counts 1 failing"),
        (ReportFormat.JUNIT, b"<testsuite/>", "holds no test"),
        (
            ReportFormat.JUNIT,
            b"<testsuite><testcase name='a' line='9999999999999999999999'/></testsuite>",
            "whole number",
        ),
        (
            ReportFormat.CTRF,
            b'{"results": {"summary": {"tests": 1, "failed": 0}, "tests": []}}',
            "counts 1 tests",
        ),
        (ReportFormat.COBERTURA, b"<coverage/>", "no line"),
        (
            ReportFormat.JUNIT,
            b"<!DOCTYPE a [<!ENTITY b 'x'><!ENTITY c '&b;&b;'>]><testsuite name='&c;'/>",
            "entity",
        ),
        (ReportFormat.JUNIT, b"<?xml version='1.0' encoding='no-such'?><testsuite/>", "in line 1"),
        (ReportFormat.LCOV, b"SF:a\nDA:1,x\nend_of_record\n", "in line 2"),
        (ReportFormat.LCOV, b"SF:a\nDA:1,1\n", "has no end"),
    ],
)
def test_an_error_says_in_which_place(form: ReportFormat, text: bytes, said: str) -> None:
    with pytest.raises(BadReport, match=said):
        read(form, text)


@pytest.mark.parametrize("path", ["/etc/hostname", "../out.txt", "a\\u0000b", "x" * 5_000, "."])
def test_nothing_outside_the_tree_is_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "out.txt").write_text("secret\n")
    (tmp_path / "tree").mkdir()
    text = f'[{{"description": "m", "location": {{"path": "{path}", "lines": {{"begin": 1}}}}}}]'
    (finding,) = read(ReportFormat.GITLAB, text, Sources(tree=tmp_path / "tree", report=NAME)).findings
    assert finding.text == ""


def test_a_list_of_files_is_read_and_what_is_not_a_name_is_refused() -> None:
    listed = found(ReportFormat.FILE_LIST)

    assert [(each.file, each.rule) for each in listed] == [
        ("src/calc.go", "unformatted"),
        ("calc_test.go", "unformatted"),
    ]
    hidden = read(ReportFormat.FILE_LIST, ".eslintrc\nsrc/.babelrc\n").findings
    assert [each.file for each in hidden] == [".eslintrc", "src/.babelrc"]
    with pytest.raises(BadReport, match="it is not the name of a file"):
        read(ReportFormat.FILE_LIST, "error: cannot read a.go\n")
