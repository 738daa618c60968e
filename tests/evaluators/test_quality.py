from __future__ import annotations

from datetime import UTC, datetime

import pytest

from setpoint.domain.evidence import CheckState, Coverage, Evidence
from setpoint.domain.finding import Category, Finding, Severity
from setpoint.domain.ids import EvidenceId, Tree
from setpoint.evaluators.quality import Measured, documented, vector


def evidence(check: str, state: CheckState = CheckState.PASS) -> Evidence:
    return Evidence(
        id=EvidenceId("ev"),
        check=check,
        state=state,
        tree=Tree("t"),
        argv=(),
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        duration_s=0,
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

    assert documented(base, now) == 2 / 3
    assert documented(now, now) is None
    assert documented({}, {"a.py": "def f(:\n"}) is None
