"""The quality vector of a tree, measured on what is new against the base; null where nothing was measured."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from setpoint.checks.tools.definitions import Shape
from setpoint.model.evidence import CheckState, Coverage, Evidence
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.quality import Metric, QualityVector

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
FEWEST_TO_REPEAT = 20
"""With fewer changed lines duplication is not measured."""
SOME_REPEATED, ALL_REPEATED = 0.03, 0.20
"""Shares of changed lines that are duplicated: the mark is 1 up to the first, 0 from the second."""
_MADE = (CheckState.PASS, CheckState.FAIL, CheckState.FLAKY)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What the vector is computed from."""

    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]
    """New ones."""
    failing: int = 0
    """Failing tests that count."""
    passed: int = 0
    complete: bool = False
    """The whole suite ran."""
    coverage: Coverage | None = None
    coverage_goal: float = 0.8
    changed_lines: int = 0
    duplicated_lines: int | None = None
    """Changed lines that are duplicated; none where nobody looked."""
    shape: Shape = field(default_factory=Shape)
    """What the changed definitions are like."""

    def made(self, metric: Metric) -> bool:
        """Whether a check that measures the metric was really made."""
        return any(metric in each.feeds and each.state in _MADE for each in self.evidence)

    def of(self, metric: Metric) -> tuple[Finding, ...]:
        """Return the new findings of the checks that measure a metric."""
        sources = {each.check for each in self.evidence if metric in each.feeds}
        return tuple(finding for finding in self.findings if finding.source in sources)

    def about(self, category: Category) -> tuple[Finding, ...]:
        """Return the new findings of a category, whoever found them."""
        return tuple(finding for finding in self.findings if finding.category is category)

    def mark(self, metric: Metric, findings: tuple[Finding, ...] = ()) -> float | None:
        """Return the mark that a metric's findings set, with others; none where it was not measured."""
        if not self.made(metric):
            return None
        return _ladder((*self.of(metric), *findings), self.changed_lines)


def vector(measured: Measured) -> QualityVector:
    """Compute every metric that was measured."""
    types, shape = _most_of_one(measured.of(Metric.TYPES)), measured.shape
    about = tuple(
        each for each in measured.about(Category.SECURITY) if each not in measured.of(Metric.SECURITY)
    )
    security = (*measured.of(Metric.SECURITY), *about)
    unparsed = tuple(finding for finding in measured.findings if finding.source == "parse")
    ran, coverage = measured.failing + measured.passed, measured.coverage
    integrity = any(each.check == "integrity" and each.state in _MADE for each in measured.evidence)
    return QualityVector(
        tests=measured.passed / ran if ran else None,
        coverage=_coverage(coverage, measured.coverage_goal),
        security=measured.mark(Metric.SECURITY, about),
        code_quality=measured.mark(Metric.CODE_QUALITY, unparsed),
        documentation=_lower(shape.documented, measured.mark(Metric.DOCUMENTATION)),
        types=_types(types, measured.changed_lines) if measured.made(Metric.TYPES) else None,
        complexity=_lower(shape.simple, measured.mark(Metric.COMPLEXITY)),
        duplication=_duplication(measured),
        line_coverage=coverage.lines if coverage else None,
        branch_coverage=coverage.branches if coverage else None,
        diff_coverage=coverage.changed_lines if coverage else None,
        type_coverage=shape.annotated,
        integrity=_integrity(measured) if integrity else None,
        mutation=_noticed(measured.evidence),
        test_count=ran if measured.complete and ran else None,
        vulnerabilities=sum(each.blocking for each in security) if measured.made(Metric.SECURITY) else None,
        type_errors=types if measured.made(Metric.TYPES) else None,
        worst_complexity=shape.worst,
        duplicated_lines=measured.duplicated_lines,
    )


def _integrity(measured: Measured) -> float:
    """Return 0 where a test of the base does not run any more, else 1."""
    return 0.0 if any(each.blocking for each in measured.about(Category.INTEGRITY)) else 1.0


def _most_of_one(findings: Iterable[Finding]) -> int:
    """Count what the one check found that found most: two type checkers see the same error twice."""
    return max(Counter(finding.source for finding in findings).values(), default=0)


def _lower(*marks: float | None) -> float | None:
    """Return the lower of the marks that there are: the worst decides."""
    return min((mark for mark in marks if mark is not None), default=None)


def _duplication(measured: Measured) -> float | None:
    """Go by the lines where a tool told them, else by the findings."""
    if measured.duplicated_lines is None:
        return measured.mark(Metric.DUPLICATION)
    if measured.changed_lines < FEWEST_TO_REPEAT:
        return None
    share = min(1.0, measured.duplicated_lines / measured.changed_lines)
    return min(1.0, max(0.0, (ALL_REPEATED - share) / (ALL_REPEATED - SOME_REPEATED)))


def _coverage(coverage: Coverage | None, goal: float) -> float | None:
    if coverage is None:
        return None
    share = coverage.lines if coverage.changed_lines is None else coverage.changed_lines
    return min(1.0, share / goal)


def _noticed(evidence: Iterable[Evidence]) -> float | None:
    """Return the share of mutants that tests noticed; those that were not tried count neither way."""
    counts = next((each.counts for each in evidence if each.check == "mutation"), {})
    noticed = counts.get("killed", 0) + counts.get("timeout", 0)
    tried = noticed + counts.get("survived", 0) + counts.get("uncovered", 0)
    return noticed / tried if tried else None


def _ladder(findings: Iterable[Finding], changed_lines: int) -> float:
    severities = [finding.severity for finding in findings]
    if not severities:
        return 1.0
    weight = sum(WEIGHT[severity] for severity in severities)
    worst = max(severities, key=lambda severity: severity.rank)
    return LADDER[worst] * math.exp(-(weight - WEIGHT[worst]) / (PER_LINE * max(changed_lines, FEWEST_LINES)))


def _types(errors: int, changed_lines: int) -> float:
    return math.exp(-math.log(2) * errors / max(1.0, changed_lines / 1000 * TYPE_ERRORS_PER_KLOC))
