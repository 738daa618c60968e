"""What is read of the reports of tools for JavaScript, Go and Rust."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checks.formats.samples_languages import (
    BIOME,
    CARGO,
    CARGO_TEST,
    GO_TEST,
    JEST,
    LANGUAGES,
    PYRIGHT,
    SONARQUBE,
    TSC,
)
from setpoint.checks.formats import registry
from setpoint.checks.formats.bad_report import BadReport
from setpoint.checks.formats.report import Sources
from setpoint.checks.formats.tests import cargo_test
from setpoint.model.config.custom_check import ReportFormat
from setpoint.model.evidence import Cause, Outcome
from setpoint.model.finding import Category, Severity

SOURCES = Sources(tree=Path("/nowhere"), report="mine's report")


def read(form: ReportFormat, text: bytes | str | None = None, sources: Sources = SOURCES):
    text = LANGUAGES[form] if text is None else text
    return registry.read(form, text.encode() if isinstance(text, str) else text, sources)


def test_eslint_gives_severities_syntax_errors_and_what_was_suppressed() -> None:
    report = read(ReportFormat.ESLINT)

    var, equal, fatal = report.findings
    assert (var.rule, var.severity, var.file, var.line) == ("no-var", Severity.ERROR, "src/calc.ts", 2)
    assert equal.severity is Severity.WARNING
    assert (fatal.rule, fatal.severity, fatal.category) == ("syntax", Severity.ERROR, Category.CORRECTNESS)
    assert report.left_out == 1
    assert read(ReportFormat.ESLINT, "[]").errors == ("eslint looked at no file",)


def test_eslints_fixes_are_counted_in_utf_16_and_in_lines(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("const s = '\U0001f600';\n  var x = 1;\n", "utf-8")
    message = {
        "ruleId": "no-var",
        "severity": 2,
        "message": "m",
        "line": 2,
        "fix": {"range": [18, 21], "text": "let"},
    }
    text = json.dumps([{"filePath": str(tmp_path / "a.js"), "messages": [message]}])

    (found,) = read(ReportFormat.ESLINT, text, Sources(tree=tmp_path, report="r")).findings

    assert found.fix is not None
    (edit,) = found.fix.edits
    assert (edit.start_line, edit.start_column, edit.end_line, edit.end_column) == (2, 3, 2, 6)
    assert found.fix.safe
    message["fix"] = {"range": [18, 999], "text": ""}
    text = json.dumps([{"filePath": str(tmp_path / "a.js"), "messages": [message]}])
    assert read(ReportFormat.ESLINT, text, Sources(tree=tmp_path, report="r")).findings[0].fix is None


def test_tsc_tells_types_from_syntax_and_findings_from_a_bad_configuration() -> None:
    types, syntax = read(ReportFormat.TSC).findings

    assert (types.rule, types.category, types.file, types.line) == (
        "TS2322",
        Category.TYPES,
        "src/calc.ts",
        5,
    )
    assert (syntax.category, syntax.severity) == (Category.CORRECTNESS, Severity.ERROR)
    assert read(ReportFormat.TSC, "error TS5023: Unknown compiler option '--x'.\n").errors
    assert read(ReportFormat.TSC, "/nowhere/src/a.ts\n").errors == ()
    lib = "/nowhere/node_modules/typescript/lib/lib.d.ts\n"
    assert read(ReportFormat.TSC, lib).errors == ("tsc looked at no file of the project",)
    with pytest.raises(BadReport, match="in line 4: it is not a line of tsc: 'Version"):
        read(ReportFormat.TSC, TSC + "Version 5.9.3\n")


def test_pyright_counts_from_0_and_says_how_many_files_it_saw() -> None:
    wrong, told = read(ReportFormat.PYRIGHT).findings

    assert (wrong.file, wrong.line, wrong.severity, wrong.message) == (
        "a.py",
        1,
        Severity.ERROR,
        '"x" is wrong',
    )
    assert (told.line, told.severity) == (0, Severity.INFO)
    empty = {**PYRIGHT, "generalDiagnostics": [], "summary": {"filesAnalyzed": 0, "errorCount": 0}}
    assert read(ReportFormat.PYRIGHT, json.dumps(empty)).errors
    with pytest.raises(BadReport, match="counts 1 errors and names 0"):
        read(ReportFormat.PYRIGHT, json.dumps({**PYRIGHT, "generalDiagnostics": []}))


def test_what_biome_could_not_read_is_an_error() -> None:
    report = read(ReportFormat.BIOME)

    assert [each.rule for each in report.findings] == ["lint/suspicious/noDebugger"]
    assert report.errors == ("a.js: fs/cantRead: m",)
    assert len(BIOME["runs"][0]["results"]) == 2


def test_biome_before_2_4_writes_the_report_of_gitlab() -> None:
    place = {"path": "/nowhere/a.js", "lines": {"begin": 2}}
    issues = [
        {"description": "m", "check_name": rule, "severity": "critical", "location": place}
        for rule in ("lint/suspicious/noDebugger", "internalError/fs")
    ]

    report = read(ReportFormat.BIOME, json.dumps(issues))

    assert [(each.rule, each.line) for each in report.findings] == [("lint/suspicious/noDebugger", 2)]
    assert report.errors == ("a.js: internalError/fs: m",)


def test_go_vet_gives_analyses_and_what_does_not_compile() -> None:
    printf, compiler = read(ReportFormat.GO_VET).findings

    assert (printf.rule, printf.file, printf.line) == ("printf", "calc.go", 5)
    assert (compiler.rule, compiler.file, compiler.line) == ("compile", "pkg/p.go", 2)
    assert read(ReportFormat.GO_VET, '{"p": {"printf": {"error": "broke"}}}').errors == ("p: printf: broke",)
    with pytest.raises(BadReport, match="in line 1: it is not a line of go vet: 'stat"):
        read(ReportFormat.GO_VET, "stat /nowhere/missing: directory not found\n")


def test_cargo_gives_each_finding_once_and_marks_what_a_machine_may_apply() -> None:
    unused, style = read(ReportFormat.CARGO).findings

    assert (unused.rule, unused.category, unused.file, unused.line) == (
        "unused_variables", Category.CORRECTNESS, "src/lib.rs", 2,
    )  # fmt: skip
    assert unused.fix is not None
    assert unused.fix.safe
    assert [each.text for each in unused.fix.edits] == ["_x"]
    assert (style.category, style.severity, style.fix) == (Category.STYLE, Severity.WARNING, None)
    broken = CARGO.replace('"success": true', '"success": false')
    assert read(ReportFormat.CARGO, broken).errors == ("the build failed and names no error",)
    with pytest.raises(BadReport, match="does not tell how the build ended"):
        read(ReportFormat.CARGO, "\n".join(CARGO.splitlines()[:-1]))


def test_sonarqube_takes_the_worst_scale_and_wants_every_page() -> None:
    report = read(ReportFormat.SONARQUBE)

    (found,) = report.findings
    assert (found.file, found.line, found.severity, found.category) == (
        "web/src/a.js", 3, Severity.ERROR, Category.SECURITY,
    )  # fmt: skip
    assert report.left_out == 1
    more = {**SONARQUBE, "paging": {"total": 3}}
    with pytest.raises(BadReport, match="counts 3 issues and holds 2"):
        read(ReportFormat.SONARQUBE, json.dumps([SONARQUBE, more]))


def test_jest_names_tests_by_file_and_title_and_files_that_did_not_load(tmp_path: Path) -> None:
    for name in ("src/calc.ts", "test/calc.test.ts", "test/broken.test.ts"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    text = json.dumps(JEST).replace("/nowhere", str(tmp_path))

    report = read(ReportFormat.JEST, text, Sources(tree=tmp_path, report="r"))

    assert report.outcomes == {
        "test/calc.test.ts::calc > adds": Outcome.FAILED,
        "test/calc.test.ts::calc > later": Outcome.SKIPPED,
        "test/calc.test.ts::calc > fine": Outcome.PASSED,
        "test/broken.test.ts": Outcome.ERROR,
    }
    adds, broken = report.failures
    assert (adds.file, adds.line, adds.cause) == ("src/calc.ts", 2, Cause.ASSERTION)
    assert adds.message == "AssertionError: expected -1 to be 3 // Object.is equality"
    assert (broken.message, broken.cause) == (
        "Cannot find module './none' from 'broken.test.js'", Cause.IMPORT,
    )  # fmt: skip
    assert len(report.collection_errors) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"numFailedTests": 0}, "counts 4 tests, 0 failed, and lists 4, 1"),
        ({"testResults": [], "numTotalTests": 0, "numFailedTests": 0}, "holds no test"),
    ],
)
def test_a_report_of_jest_that_contradicts_itself_is_bad(change: dict, said: str) -> None:
    with pytest.raises(BadReport, match=said):
        read(ReportFormat.JEST, json.dumps({**JEST, **change}))


def test_go_test_tells_packages_that_do_not_build_and_tests_that_died(tmp_path: Path) -> None:
    (tmp_path / "calc_test.go").touch()
    report = read(ReportFormat.GO_TEST, None, Sources(tree=tmp_path, report="r"))

    assert report.outcomes == {
        "example.com/calc::TestAdd": Outcome.FAILED,
        "example.com/calc::TestFine": Outcome.PASSED,
        "example.com/calc::TestLater": Outcome.SKIPPED,
        "example.com/calc/pan::TestPanic": Outcome.ERROR,
        "example.com/calc/pkg": Outcome.ERROR,
    }
    add, panic, unbuilt = report.failures
    assert (add.file, add.line, add.message) == ("calc_test.go", 7, "Add(1, 2) = -1, want 3")
    assert (panic.cause, unbuilt.cause) == (Cause.CRASH, Cause.SYNTAX)
    with pytest.raises(BadReport, match=r"does not tell how package example\.com/calc ended"):
        read(ReportFormat.GO_TEST, "\n".join(GO_TEST.splitlines()[:4]))


def test_go_since_1_24_tells_a_failed_build_in_json() -> None:
    lines = [
        {"ImportPath": "m/p [m/p.test]", "Action": "build-output", "Output": "p.go:2:1: syntax error\n"},
        {"ImportPath": "m/p [m/p.test]", "Action": "build-fail"},
        {"Action": "fail", "Package": "m/p", "FailedBuild": "m/p [m/p.test]"},
    ]
    report = read(ReportFormat.GO_TEST, "\n".join(map(json.dumps, lines)))

    assert report.outcomes == {"m/p": Outcome.ERROR}
    assert report.failures[0].message == "p.go:2:1: syntax error"


@pytest.mark.parametrize(
    "said",
    [
        "note: test did not panic as expected at tests/limit.rs:10:4",
        "thread 'above' (7) panicked at src/lib.rs:4:9:\nno\nnote: panic did not contain expected string",
    ],
)
def test_a_test_of_rust_that_should_panic_and_does_not_fails_by_assertion(tmp_path, said):
    text = (
        "     Running tests/limit.rs (target/debug/deps/limit-71ea8a4f33211ea8)\n\nrunning 1 test\n"
        f"test above - should panic ... FAILED\n\nfailures:\n\n---- above stdout ----\n{said}\n\n\n"
        "failures:\n    above\n\n"
        "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
    )
    (failure,) = read(ReportFormat.CARGO_TEST, text, Sources(tree=tmp_path, report="r")).failures
    assert (failure.test, failure.cause) == ("tests/limit.rs::above", Cause.ASSERTION)


def test_cargo_test_names_tests_by_target_and_is_not_fooled_by_what_a_test_prints(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "lib.rs").touch()
    sources = Sources(tree=tmp_path, report="r")
    report = read(ReportFormat.CARGO_TEST, None, sources)

    assert report.outcomes == {
        "src/lib.rs::tests::fine": Outcome.PASSED,
        "src/lib.rs::tests::panics": Outcome.PASSED,
        "src/lib.rs::tests::adds": Outcome.FAILED,
        "src/lib.rs::tests::slow": Outcome.SKIPPED,
        "doc calc::src/lib.rs - add": Outcome.PASSED,
    }
    (adds,) = report.failures
    assert (adds.file, adds.line, adds.cause) == ("src/lib.rs", 14, Cause.ASSERTION)
    assert adds.message == "assertion `left == right` failed"
    named = {"target/debug/deps/calc-c6626fb655a8d231": "calc/src/lib.rs"}
    by_target = cargo_test.report_by_target(LANGUAGES[ReportFormat.CARGO_TEST], sources, named)
    assert "calc/src/lib.rs::tests::fine" in by_target.outcomes


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("test tests::fine ... ok", "test tests::fine ... ok\ntest tests::fake ... ok", "counts .2, 1, 1."),
        ("test result: ok. 1", "test result: ok. 2", "section of line 29"),
        ("\ntest result: ok", "\n     Running tests/it.rs (x)\ntest result: ok", "ended before it told"),
    ],
)
def test_a_section_whose_counts_differ_from_its_lines_is_bad(old: str, new: str, said: str) -> None:
    with pytest.raises(BadReport, match=said):
        read(ReportFormat.CARGO_TEST, CARGO_TEST.replace(old, new, 1))


def test_the_list_of_cargos_tests_has_the_names_of_its_report() -> None:
    text = """     Running unittests src/lib.rs (target/debug/deps/calc-1)
tests::adds: test

1 test, 0 benchmarks
   Doc-tests calc
src/lib.rs - add (line 3): test
"""
    assert cargo_test.listed(text.encode(), SOURCES, {}) == {
        "src/lib.rs::tests::adds", "doc calc::src/lib.rs - add",
    }  # fmt: skip


NEXTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="nextest-run" tests="3" failures="1" errors="0" uuid="2f0c" time="0.009">
    <testsuite name="calc" tests="2" disabled="0" errors="0" failures="1">
        <testcase name="tests::adds" classname="calc" time="0.003">
            <failure message="thread 'tests::adds' panicked at src/lib.rs:12:9" type="test failure with exit \
code 101">thread 'tests::adds' panicked at src/lib.rs:12:9:
assertion `left == right` failed
  left: 4
 right: 3</failure>
            <system-err>note: run with `RUST_BACKTRACE=1` to display a backtrace</system-err>
        </testcase>
        <testcase name="tests::none" classname="calc" time="0.003"/>
    </testsuite>
    <testsuite name="calc::whole" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="adds" classname="calc::whole" time="0.003"/>
    </testsuite>
</testsuites>
"""


def test_junit_of_nextest_names_each_test_by_its_program_and_the_place_of_a_panic(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").write_text("\n" * 20)

    report = read(ReportFormat.JUNIT, NEXTEST, Sources(tree=tmp_path, report="nextest's report"))

    assert set(report.outcomes) == {"calc::tests::adds", "calc::tests::none", "calc::whole::adds"}
    (failure,) = report.failures
    assert (failure.test, failure.file, failure.line) == ("calc::tests::adds", "src/lib.rs", 12)
