"""The quality vector of a tree, measured on what is new against the base; null where nothing was measured."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from setpoint.domain.evidence import CheckState, Coverage, Evidence
from setpoint.domain.finding import Category, Finding, Severity
from setpoint.domain.quality import QualityVector
from setpoint.evaluators.integrity.mark import mark

LADDER: Mapping[Severity, float] = {
    Severity.INFO: 0.95,
    Severity.WARNING: 0.8,
    Severity.ERROR: 0.4,
    Severity.CRITICAL: 0.0,
}
"""The worst new finding sets the mark; a display scale, as gates decide."""
WEIGHT: Mapping[Severity, float] = {
    Severity.INFO: 1.0,
    Severity.WARNING: 2.5,
    Severity.ERROR: 7.5,
    Severity.CRITICAL: 10.0,
}
"""How much each further finding counts within its step (the weights of OpenSSF Scorecard's risk levels)."""
PER_LINE = 5.0 / 20.0 / math.log(2)
"""Weight per changed line at which the mark is halved: one finding of weight 5 in 20 lines."""
FEWEST_LINES = 100
"""Fewer changed lines count as this many, so that one finding in a small change does not weigh all."""
TYPE_ERRORS_PER_KLOC = 5.0


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the vector is computed from."""

    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]
    """New ones."""
    failing: int = 0
    """Red tests that count."""
    passed: int = 0
    complete: bool = False
    """The whole suite ran."""
    coverage: Coverage | None = None
    coverage_goal: float = 0.8
    changed_lines: int = 0
    documented: float | None = None
    """Share of the changed public definitions that have a docstring."""

    def state(self, *checks: str) -> bool:
        """Whether any of the checks was really made."""
        made = (CheckState.PASS, CheckState.FAIL, CheckState.FLAKY)
        return any(each.check in checks and each.state in made for each in self.evidence)

    def of(self, category: Category) -> tuple[Finding, ...]:
        """Give the new findings of a category."""
        return tuple(finding for finding in self.findings if finding.category is category)


def vector(measured: Measured) -> QualityVector:
    """Compute every metric that was measured."""
    security, types = measured.of(Category.SECURITY), measured.of(Category.TYPES)
    lint = tuple(finding for finding in measured.findings if finding.source in ("ruff", "parse"))
    ran = measured.failing + measured.passed
    with_security = measured.state("bandit")
    with_types = measured.state("mypy")
    return QualityVector(
        tests=measured.passed / ran if ran else None,
        coverage=_coverage(measured.coverage, measured.coverage_goal),
        security=_ladder(security, measured.changed_lines) if with_security else None,
        code_quality=_ladder(lint, measured.changed_lines) if measured.state("ruff") else None,
        documentation=measured.documented,
        types=_types(len(types), measured.changed_lines) if with_types else None,
        integrity=mark(measured.of(Category.INTEGRITY)) if measured.state("integrity") else None,
        test_count=ran if measured.complete and ran else None,
        vulnerabilities=sum(finding.blocking for finding in security) if with_security else None,
        type_errors=len(types) if with_types else None,
    )


def documented(base: Mapping[str, str], now: Mapping[str, str]) -> float | None:
    """Give the share of new or changed public definitions that have a docstring; none where there are none.

    Both maps hold the source of the changed files outside the tests, by path.
    """
    with_docs = without = 0
    for path, source in now.items():
        stood = _public(base.get(path, ""))
        for name, (code, has_docs) in _public(source).items():
            if stood.get(name, ("", False))[0] == code:
                continue
            with_docs, without = with_docs + has_docs, without + (not has_docs)
    total = with_docs + without
    return with_docs / total if total else None


def _coverage(coverage: Coverage | None, goal: float) -> float | None:
    if coverage is None:
        return None
    share = coverage.lines if coverage.changed_lines is None else coverage.changed_lines
    return min(1.0, share / goal)


def _ladder(findings: Iterable[Finding], changed_lines: int) -> float:
    severities = [finding.severity for finding in findings]
    if not severities:
        return 1.0
    weight = sum(WEIGHT[severity] for severity in severities)
    worst = max(severities, key=lambda severity: severity.rank)
    return LADDER[worst] * math.exp(-(weight - WEIGHT[worst]) / (PER_LINE * max(changed_lines, FEWEST_LINES)))


def _types(errors: int, changed_lines: int) -> float:
    return math.exp(-math.log(2) * errors / max(1.0, changed_lines / 1000 * TYPE_ERRORS_PER_KLOC))


def _public(source: str) -> dict[str, tuple[str, bool]]:
    """Give each public definition's code and whether it has a docstring, by its qualified name."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, tuple[str, bool]] = {}
    _collect(module.body, "", found)
    return found


def _collect(statements: Iterable[ast.stmt], inside: str, found: dict[str, tuple[str, bool]]) -> None:
    for node in statements:
        if not isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ) or node.name.startswith("_"):
            continue
        name = f"{inside}{node.name}"
        found[name] = (ast.dump(node), ast.get_docstring(node) is not None)
        if isinstance(node, ast.ClassDef):
            _collect(node.body, f"{name}.", found)
