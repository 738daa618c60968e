"""What `setpoint check` prints of hundreds of failures: each cause once, and how to see the rest."""

from __future__ import annotations

import pytest

from setpoint.cli.render.check_lines import checks_in_words, measured_line, raw_line
from setpoint.cli.render.problem_lines import every_line, problem_lines
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import Cause, CheckResult, CheckState, Failure
from setpoint.model.finding import Category, Finding, Severity
from setpoint.testing import Scene, evaluation


def failure(number: int, line: int) -> Failure:
    test = f"tests/test_a.py::test_{number}"
    message = f"KeyError: {number}"
    return Failure(
        test=test, cause=Cause.RUNTIME, message=message, file="a.py", line=line, error="builtins.KeyError"
    )


def finding(line: int, rule: str = "F401") -> Finding:
    return Finding(
        source="ruff",
        rule=rule,
        severity=Severity.WARNING,
        category=Category.STYLE,
        message=f"`m{line}` imported but unused",
        file="a.py",
        line=line,
    )


def test_hundreds_of_failures_with_one_cause_are_one_line() -> None:
    shown = list(problem_lines([failure(number, 7) for number in range(300)], [], "setpoint check --all"))

    assert shown == [
        "  tests/test_a.py::test_0: runtime: KeyError: 0 (a.py:7); 299 more like it",
        "hint: `setpoint check --all` lists every one",
    ]


def test_ten_causes_are_shown_and_the_others_counted() -> None:
    failures = [failure(10 * line + each, line) for line in range(1, 14) for each in range(2)]
    findings = [finding(line, f"R{line}") for line in range(1, 13)]

    shown = list(problem_lines(failures, findings, "setpoint check --fast --all"))

    assert [line for line in shown if "..." in line] == [
        "  ... 6 more failing tests in 3 groups",
        "  ... 2 more findings in 2 groups",
    ]
    assert len(shown) == 10 + 1 + 10 + 1 + 1
    assert shown[-1] == "hint: `setpoint check --fast --all` lists every one"


def test_findings_of_one_rule_are_one_line() -> None:
    shown = list(problem_lines([], [finding(line) for line in (1, 2, 3)], "setpoint check --all"))

    assert shown[0] == "  warning a.py:1 ruff F401: `m1` imported but unused; 2 more like it"


def test_what_stands_alone_needs_no_hint() -> None:
    failures, findings = [failure(1, 7)], [finding(3)]

    assert list(problem_lines(failures, findings, "-")) == list(every_line(failures, findings))


def measured(stage: Stage, state: CheckState, **counts: int):
    plain = evaluation(stage, "c", "t", Scene())
    held = {"state": state, "counts": counts, "exit_code": 1}
    evidence = tuple(
        each.model_copy(update=held) if each.check == "ruff" else each for each in plain.evidence
    )
    return plain.model_copy(update={"evidence": evidence})


@pytest.mark.parametrize(
    ("stage", "state", "counts", "said"),
    [
        (Stage.TEST, CheckState.PASS, {"findings": 12, "new": 0}, "ruff: nothing new (12 known at the base)"),
        (Stage.TEST, CheckState.FAIL, {"findings": 14, "new": 2}, "ruff: 2 new (12 known at the base)"),
        (Stage.TEST, CheckState.FAIL, {"findings": 2, "new": 2}, "ruff: 2 new"),
        (Stage.TEST, CheckState.FLAKY, {}, "ruff flaky"),
        (Stage.BASE, CheckState.PASS, {"findings": 12, "new": 0}, "ruff: 12 known"),
    ],
)
def test_what_a_check_found_is_told_against_the_base(stage, state, counts, said) -> None:
    shown = checks_in_words(measured(stage, state, **counts))

    assert shown[0] == "parse, integrity, mypy, bandit pass"
    assert said in shown


def test_a_check_without_findings_is_among_those_that_passed() -> None:
    shown = checks_in_words(measured(Stage.TEST, CheckState.PASS, findings=0, new=0))

    assert shown[0] == "parse, integrity, ruff, mypy, bandit pass"


def test_a_raw_result_is_no_failure_before_it_is_compared() -> None:
    evidence = measured(Stage.TEST, CheckState.FAIL, findings=12).evidence_of("ruff")
    result = CheckResult(evidence=evidence, findings=(finding(1),))

    assert raw_line(result).startswith("ruff ran, not yet compared with the base: findings=12 (")
    assert measured_line(result).startswith("ruff fail findings=12 (")
