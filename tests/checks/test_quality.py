from __future__ import annotations

from datetime import UTC, datetime

import pytest

from setpoint.checks.quality import Measured, vector
from setpoint.checks.tools.definitions import Shape, shape
from setpoint.checks.tree_diff import Work
from setpoint.model.evidence import CheckResult, CheckState, Coverage, Evidence
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.ids import EvidenceId, Tree
from setpoint.model.quality import Metric

FEEDS = {"ruff": (Metric.CODE_QUALITY,), "mypy": (Metric.TYPES,), "bandit": (Metric.SECURITY,)}


def evidence(check: str, state: CheckState = CheckState.PASS) -> Evidence:
    return Evidence(
        id=EvidenceId("ev"),
        check=check,
        state=state,
        tree=Tree("t"),
        argv=(),
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        duration_s=0,
        feeds=FEEDS.get(check, ()),
    )


def finding(severity: Severity, category: Category, source: str = "ruff") -> Finding:
    return Finding(source=source, severity=severity, category=category, message="x")


def test_nothing_measured_is_null_throughout() -> None:
    broken = vector(
        Measured(
            evidence=(evidence("bandit", CheckState.ERROR), evidence("ruff", CheckState.NOT_MEASURED)),
            findings=(),
        )
    )

    assert set(broken.model_dump().values()) == {None}
    assert broken.score() is None


def test_clean_is_one() -> None:
    checks = tuple(evidence(check) for check in ("ruff", "bandit", "mypy", "integrity"))
    clean = vector(Measured(evidence=checks, findings=(), passed=3, complete=True))

    assert (clean.security, clean.code_quality, clean.types, clean.integrity, clean.tests) == (1, 1, 1, 1, 1)
    assert (clean.test_count, clean.vulnerabilities, clean.type_errors) == (3, 0, 0)
    assert clean.coverage is None


def test_the_worst_finding_decides_and_more_of_them_weigh() -> None:
    def quality(*severities: Severity) -> float:
        found = tuple(finding(severity, Category.STYLE) for severity in severities)
        return vector(Measured(evidence=(evidence("ruff"),), findings=found)).code_quality

    assert quality(Severity.WARNING) == 0.8
    assert quality(Severity.ERROR) == 0.4
    assert quality(Severity.CRITICAL) == 0.0
    assert 0.4 < quality(Severity.WARNING, Severity.WARNING) < 0.8
    assert quality(Severity.ERROR, Severity.INFO) < quality(Severity.ERROR)


@pytest.mark.parametrize(
    ("coverage", "expected"),
    [
        (Coverage(lines=0.4), 0.5),
        (Coverage(lines=0.9), 1.0),
        (Coverage(lines=0.9, changed_lines=0.2), 0.25),
        (None, None),
    ],
)
def test_coverage_over_its_goal(coverage: Coverage | None, expected: float | None) -> None:
    assert vector(Measured(evidence=(), findings=(), coverage=coverage)).coverage == expected


def test_docstrings_of_what_changed() -> None:
    base = {"a.py": "def old():\n    pass\n\ndef _private():\n    pass\n"}
    added = 'def new():\n    """Does."""\n\nclass C:\n    """Is."""\n    def m(self):\n        pass\n'
    now = {"a.py": base["a.py"].partition("def _")[0] + added}

    assert shape(base, now).documented == 2 / 3
    assert shape(now, now) == Shape()
    assert shape({}, {"a.py": "def f(:\n"}) == Shape()


ADDED = """
class A:
    def __init__(self, x: int):
        self.x = x

    def many(self, a, b):
        if a and b or a:
            return [i for i in a if i if b]
        for _ in a:
            while b:
                assert a if b else a
        try:
            return 1
        except ValueError:
            return 2
        except OSError:
            return 3

    @staticmethod
    def typed(a: int, *rest: int, key: str = "", **more: int) -> int:
        return a
"""


def test_shape_of_what_changed() -> None:
    got = shape({}, {"a.py": ADDED})

    assert got.annotated == 2 / 3
    assert got.simple == 2 / 3
    assert got.worst == 12
    assert shape({"a.py": ADDED}, {"a.py": ADDED + "# a comment\n"}) == Shape()


def test_complexity_is_the_worse_of_shape_and_findings() -> None:
    def complexity(simple: float | None, *found: Severity) -> float | None:
        checks = (evidence("lizard").model_copy(update={"feeds": (Metric.COMPLEXITY,)}),) if found else ()
        findings = tuple(finding(each, Category.DESIGN, "lizard") for each in found)
        return vector(Measured(evidence=checks, findings=findings, shape=Shape(simple=simple))).complexity

    assert complexity(None) is None
    assert complexity(0.5) == 0.5
    assert complexity(0.9, Severity.WARNING) == 0.8
    assert complexity(0.5, Severity.WARNING) == 0.5


@pytest.mark.parametrize(
    ("lines", "changed", "mark"),
    [(None, 100, None), (0, 19, None), (0, 100, 1), (3, 100, 1), (20, 100, 0), (90, 100, 0)],
)
def test_duplication_of_changed_lines(lines: int | None, changed: int, mark: float | None) -> None:
    got = vector(Measured(evidence=(), findings=(), duplicated_lines=lines, changed_lines=changed))

    assert got.duplication == mark
    assert got.duplicated_lines == lines


def test_a_finding_counts_for_what_its_check_measures() -> None:
    checks = (
        evidence("mine").model_copy(update={"feeds": (Metric.SECURITY,)}),
        evidence("ruff"),
        evidence("mypy"),
    )
    found = (
        finding(Severity.ERROR, Category.STYLE, "mine"),
        finding(Severity.WARNING, Category.TYPES, "ruff"),
    )
    got = vector(Measured(evidence=checks, findings=found))

    assert (got.security, got.vulnerabilities) == (0.4, 1)
    assert (got.code_quality, got.types, got.type_errors) == (0.8, 1.0, 0)


def test_changed_lines_of_code_that_stand_elsewhere_too_are_counted() -> None:
    def looked(duplicated: dict[str, tuple[int, ...]] | None) -> CheckResult:
        return CheckResult(evidence=evidence("jscpd"), duplicated=duplicated)

    lines = {"a.py": {1, 2, 3}, "tests/test_a.py": {1}, "a.md": {1}, "b.go": {7}}
    work = Work(lines=lines, before={}, after={})

    assert work.repeated([looked(None)]) is None
    assert work.repeated([looked({})]) == 0
    every = {"a.py": (2, 3, 4), "tests/test_a.py": (1,), "a.md": (1,), "b.go": (7,)}
    assert work.repeated([looked(None), looked(every)]) == 3


def test_two_type_checkers_do_not_count_an_error_twice() -> None:
    other = evidence("pyright").model_copy(update={"feeds": (Metric.TYPES,)})
    found = [finding(Severity.ERROR, Category.TYPES, name) for name in ("mypy", "pyright", "pyright")]

    got = vector(Measured(evidence=(evidence("mypy"), other), findings=tuple(found)))

    assert (got.type_errors, got.types) == (2, 0.25)


@pytest.mark.parametrize(
    ("source", "documented", "annotated"),
    [
        ('def shipping(w: int) -> int:\n    """shipping"""\n', 0, 1),
        ('def total_of(w: int) -> int:\n    """Total of."""\n', 0, 1),
        ('def shipping(w: int) -> int:\n    """TODO: document this function."""\n', 0, 1),
        ('def shipping(w: int) -> int:\n    """Return the price."""\n', 1, 1),
        ("shipping = lambda w: w\n", 0, 0),
        ("def shipping(w: Any) -> int: ...\n", 0, 0),
        ("def shipping(w: int) -> typing.Any: ...\n", 0, 0),
        ("def shipping(w: ..., x: 0) -> 'int': ...\n", 0, 0),
        ("def shipping(w: None) -> 'int': ...\n", 0, 1),
        ("_shipping = lambda w: w\n", None, 0),
    ],
)
def test_what_says_nothing_is_neither_documentation_nor_a_type(source, documented, annotated) -> None:
    got = shape({}, {"a.py": source})
    assert (got.documented, got.annotated) == (documented, annotated)


def test_the_ways_of_a_function_without_def_count() -> None:
    assert shape({}, {"a.py": "f = lambda w: 1 if w < 1 else 2 if w < 2 else 3\n"}).worst == 3
