"""The quality vector: what was measured, null where it was not."""

from __future__ import annotations

from setpoint.domain.value import Value

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
    integrity: float | None = None
    """1 without signs of tampering; shown, gated, not weighed by default."""
    mutation: float | None = None
    """Share of the mutants of changed lines that the tests notice; shown, not weighed by default."""
    test_count: int | None = None
    """Number of tests that ran."""
    vulnerabilities: int | None = None
    """Number of new security findings of severity error or critical."""
    type_errors: int | None = None
    """Number of new type errors."""

    def score(self, weights: dict[str, float] | None = None) -> float | None:
        """Give the weighted mean of what was measured, from 0 to 1; none where nothing was.

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
