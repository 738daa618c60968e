"""What `cargo-mutants` 27 and `gremlins` 0.6 report, read from recorded output: neither was run here."""

from __future__ import annotations

import json

import pytest

from setpoint.checks.cover import cargo_mutants, gremlins
from setpoint.checks.formats.bad_report import BadReport
from setpoint.model.mutation import Fate

RUST = "pub fn sign(v: i64) -> i64 {\n    if v < 0 {\n        return -1;\n    }\n    1\n}\n"
GO = "package calc\n\nfunc Sign(v int) int {\n\tif v < 0 && v != -9 {\n\t\treturn -1\n\t}\n\treturn 1\n}\n"


def rust(at: tuple[int, int, int, int], replacement: str, **more: str) -> dict[str, object]:
    line, column, last, behind = at
    return {
        "name": f"src/lib.rs:{line}:{column}: replace with {replacement}",
        "package": "calc",
        "file": "src/lib.rs",
        "function": {"function_name": "sign", "return_type": "-> i64", "span": {}},
        "span": {"start": {"line": line, "column": column}, "end": {"line": last, "column": behind}},
        "replacement": replacement,
        "genre": "BinaryOperator",
        **more,
    }


MADE = [
    rust((2, 5, 5, 6), "0", genre="FnValue"),
    rust((2, 10, 2, 11), "<="),
    rust((2, 10, 2, 11), "=="),
    rust((3, 16, 3, 17), "", genre="UnaryOperator"),
    rust((1, 1, 1, 4), "no"),
    rust((5, 5, 5, 6), "9"),
]
SUMMARIES = ["CaughtMutant", "MissedMutant", "Timeout", "MissedMutant", "Unviable"]


def outcomes(baseline: str = "Success") -> bytes:
    told = [
        {"scenario": "Baseline", "summary": baseline, "log_path": "log/baseline.log", "phase_results": []},
        *(
            {"scenario": {"Mutant": mutant}, "summary": summary, "log_path": "log/x.log", "phase_results": []}
            for mutant, summary in zip(MADE, SUMMARIES, strict=False)
        ),
    ]
    return json.dumps({"outcomes": told, "total_mutants": 5, "caught": 1, "missed": 2}).encode()


def test_mutants_of_rust_are_told_by_fate_with_the_line_as_it_would_read() -> None:
    made = json.dumps(MADE).encode()

    report = cargo_mutants.read_outcomes(made, outcomes(), {"src/lib.rs": ()}, lambda _: RUST)

    assert [each.verdict for each in report.mutants] == [
        Fate.KILLED,
        Fate.SURVIVED,
        Fate.TIMEOUT,
        Fate.SURVIVED,
        Fate.UNTRIED,  # it has no outcome: the time was over
    ]
    assert (report.score, report.same) == (0.5, 1)
    body, survived, _, sign, _ = report.mutants
    assert (survived.line, survived.before, survived.after) == (2, "    if v < 0 {", "    if v <= 0 {")
    assert sign.after == "        return 1;"
    assert body.after == "    0"


def test_only_the_lines_that_are_wanted_count_in_rust() -> None:
    made = json.dumps(MADE).encode()

    report = cargo_mutants.read_outcomes(made, outcomes(), {"src/lib.rs": range(3, 4)}, lambda _: RUST)

    assert [each.line for each in report.mutants] == [3]
    assert list(cargo_mutants.words_of({"src/lib.rs": range(3, 5), "a[b].rs": ()})) == [
        "--file", "a[[]b].rs", "--re", r"^a\[b\]\.rs:(?:\d+):",
        "--file", "src/lib.rs", "--re", r"^src/lib\.rs:(?:3|4):",
    ]  # fmt: skip


def test_a_base_whose_tests_fail_judges_nothing_in_rust() -> None:
    with pytest.raises(BadReport, match="do not pass on the original"):
        cargo_mutants.read_outcomes(
            json.dumps(MADE).encode(), outcomes("Failure"), {"src/lib.rs": ()}, str.upper
        )


def test_no_mutants_of_rust_are_no_figures() -> None:
    assert cargo_mutants.read_outcomes(b"[]", b"", {"src/lib.rs": ()}, str.upper).score is None


@pytest.mark.parametrize("text", [b"", b"{}", b'[{"name": "x"}]'])
def test_what_is_no_report_of_cargo_mutants_is_refused(text: bytes) -> None:
    with pytest.raises(BadReport, match="cargo-mutants"):
        cargo_mutants.read_outcomes(text, outcomes(), {"src/lib.rs": ()}, str.upper)


def go(line: int, column: int, kind: str, status: str) -> dict[str, object]:
    return {"type": kind, "status": status, "line": line, "column": column}


MUTATIONS = [
    go(5, 10, "INVERT_NEGATIVES", "KILLED"),
    go(4, 7, "CONDITIONALS_BOUNDARY", "LIVED"),
    go(4, 7, "CONDITIONALS_NEGATION", "KILLED"),
    go(4, 11, "INVERT_LOGICAL", "TIMED OUT"),
    go(4, 16, "CONDITIONALS_NEGATION", "NOT COVERED"),
    go(4, 19, "INVERT_NEGATIVES", "NOT VIABLE"),
    go(4, 19, "ARITHMETIC_BASE", "SKIPPED"),
]
REPORT = {
    "go_module": "example.com/calc",
    "files": [
        {"file_name": "calc.go", "mutations": MUTATIONS},
        {"file_name": "other.go", "mutations": MUTATIONS},
    ],
    "test_efficacy": 66.7,
    "mutants_total": 4,
    "elapsed_time": 1.5,
    "mutator_statistics": {"invert_logical": 1},
}


def test_mutants_of_go_are_told_by_fate_with_the_line_as_it_would_read() -> None:
    report = gremlins.read_mutations(json.dumps(REPORT).encode(), {"calc.go": ()}, lambda _: GO)

    told = [(each.line, each.verdict, each.after.strip()) for each in report.mutants]
    assert told == [
        (4, Fate.SURVIVED, "if v <= 0 && v != -9 {"),
        (4, Fate.KILLED, "if v >= 0 && v != -9 {"),
        (4, Fate.TIMEOUT, "if v < 0 || v != -9 {"),
        (4, Fate.UNCOVERED, "if v < 0 && v == -9 {"),
        (5, Fate.KILLED, "return +1"),
    ]
    assert (report.score, report.same) == (0.6, 2)


def test_only_the_lines_that_are_wanted_count_in_go() -> None:
    text = json.dumps(REPORT).encode()

    assert len(gremlins.read_mutations(text, {"calc.go": {5}}, lambda _: GO).mutants) == 1
    assert list(gremlins.words_of({"b/x.go"})) == ["--exclude-files", r"^b/x\.go$"]


def test_columns_of_go_count_bytes_and_an_unknown_kind_is_named() -> None:
    held = [go(1, 10, "ARITHMETIC_BASE", "LIVED"), go(1, 10, "NEW_KIND", "LIVED")]
    text = json.dumps({"files": [{"file_name": "a.go", "mutations": held}]}).encode()

    report = gremlins.read_mutations(text, {"a.go": ()}, lambda _: 'x := "é"+y')

    assert [each.after for each in report.mutants] == ['x := "é"-y', 'x := "é"+y  // new kind at column 10']


@pytest.mark.parametrize("text", [b"", b"[]", b'{"files": [{"file_name": "a.go"}]}'])
def test_what_is_no_report_of_gremlins_is_refused(text: bytes) -> None:
    with pytest.raises(BadReport, match="gremlins"):
        gremlins.read_mutations(text, {"a.go": ()}, str.upper)
