"""The quality vector: what was measured, null where it was not."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from setpoint.model.value import Value


class Metric(StrEnum):
    """A metric that tools measure by what they find; tests and coverage follow from their reports."""

    SECURITY = "security"
    CODE_QUALITY = "code_quality"
    TYPES = "types"
    DOCUMENTATION = "documentation"
    COMPLEXITY = "complexity"
    DUPLICATION = "duplication"


WEIGHTS: dict[str, float] = {
    "tests": 0.30,
    "coverage": 0.25,
    "security": 0.20,
    "code_quality": 0.15,
    "documentation": 0.05,
    "types": 0.05,
}
"""Default weights of the quality score (R0, see docs/designs.md)."""


class QualityVector(Value):
    """Measures from 0 (worst) to 1 (best); none means that it was not measured, which is neither."""

    tests: float | None = None
    """Share of tests that pass, of those that ran and count (not known-red, not flaky)."""
    coverage: float | None = None
    """Share of changed lines covered, or of all lines where too few were changed, over the goal."""
    security: float | None = None
    """1 without new security findings, lower by the worst new one."""
    code_quality: float | None = None
    """1 without new lint findings, lower by the worst new one."""
    documentation: float | None = None
    """Share of changed public definitions with a docstring."""
    types: float | None = None
    """1 without new type errors, lower by their number."""
    complexity: float | None = None
    """Share of changed functions that are easy to follow, lower by the worst finding about complexity."""
    duplication: float | None = None
    """1 up to 3 % of changed lines that stand elsewhere too, falling to 0 at 20 %."""
    line_coverage: float | None = None
    """Share of all executable lines that the tests reach."""
    branch_coverage: float | None = None
    """Share of all branches that the tests take."""
    diff_coverage: float | None = None
    """Share of changed executable lines that the tests reach; none under ten of them."""
    type_coverage: float | None = None
    """Share of changed functions whose parameters and result all have a type."""
    integrity: float | None = None
    """0 where a test of the base does not run any more, else 1; shown, gated, not weighed by default."""
    mutation: float | None = None
    """Share of the mutants of changed lines that the tests notice; shown, not weighed by default."""
    test_count: int | None = None
    """Number of tests that ran."""
    vulnerabilities: int | None = None
    """Number of new security findings of severity error or critical."""
    type_errors: int | None = None
    """Number of new type errors, by the checker that found most."""
    worst_complexity: int | None = None
    """Highest cyclomatic complexity of a changed function."""
    duplicated_lines: int | None = None
    """Number of changed lines that stand elsewhere too."""

    @property
    def measured(self) -> dict[str, float]:
        """Return every metric that was measured, by name."""
        return {name: value for name in type(self).model_fields if (value := getattr(self, name)) is not None}

    def weighed(self, weights: Mapping[str, float] | None = None) -> tuple[str, ...]:
        """Name the metrics that the score rests on, in words."""
        names = WEIGHTS if weights is None else weights
        return tuple(
            name.replace("_", " ") for name, weight in names.items() if weight and name in self.measured
        )

    def score(self, weights: dict[str, float] | None = None) -> float | None:
        """Return the weighted mean of what was measured, from 0 to 1; none where nothing was.

        Shown, plotted and used for ties; it never halts a run alone.
        """
        weights = WEIGHTS if weights is None else weights
        measured = [
            (value, weight)
            for name, weight in weights.items()
            if (value := getattr(self, name, None)) is not None
        ]
        total = sum(weight for _, weight in measured)
        return sum(value * weight for value, weight in measured) / total if total else None
