"""What every check of covered files says beside its figures, whatever the language."""

from __future__ import annotations

from collections.abc import Collection

from setpoint.model.cover import CoverGoals, CoverReport
from setpoint.model.cover_quality import SOURCE, quality
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Measured
from setpoint.system.git.git import changed_files

_PER_MILLE = 1000
"""Counts are whole numbers: shares are counted in tenths of a percent."""


async def only_tests(measured: Measured, goals: CoverGoals, files: Collection[str]) -> tuple[Finding, ...]:
    """Object to changes of the files under test, where tests alone are asked for."""
    if not goals.only_tests:
        return ()
    changed = await changed_files(measured.copy.path, measured.copy.base, measured.commit)
    return tuple(
        Finding(
            source=SOURCE,
            rule="only-tests",
            severity=Severity.CRITICAL,
            category=Category.INTEGRITY,
            message="code was changed where only tests are asked for; put it back",
            file=file,
        )
        for file in changed
        if file in files
    )


def counts_of(report: CoverReport) -> dict[str, int]:
    """Return the figures of a report as whole numbers."""
    shares = {
        "coverage": report.coverage,
        "success": report.success,
        "quality": quality(report),
        "functions": report.functions,
        "methods": report.methods,
        "mutation": report.mutation,
    }
    told = {
        f"{name}_per_mille": round(share * _PER_MILLE) for name, share in shares.items() if share is not None
    }
    return {**told, "files": len(report.files), "tests": sum(report.tests.values())}
