"""What every check of covered files says beside its figures, whatever the language."""

from __future__ import annotations

from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import runs
from setpoint.model.cover import CoverGoals, CoverReport
from setpoint.model.cover_quality import SOURCE, quality
from setpoint.model.finding import Category, Finding, Severity
from setpoint.ports import Measured
from setpoint.system.git.git import changed_files, files_at

_PER_MILLE = 1000
"""Counts are whole numbers: shares are counted in tenths of a percent."""


async def only_tests(measured: Measured, goals: CoverGoals) -> tuple[Finding, ...]:
    """Object to changes of what is not a test, where tests alone are asked for; new data beside tests may be.

    Tests that run code can change files too: a module may delete one when it is imported.
    """
    if not goals.only_tests:
        return ()
    changed = await changed_files(measured.copy.path, measured.copy.base, measured.commit)
    stood = set(await files_at(measured.copy.path, measured.copy.base))
    return tuple(
        Finding(
            source=SOURCE,
            rule="only-tests",
            severity=Severity.CRITICAL,
            category=Category.INTEGRITY,
            message=f"{file} was changed where only tests are asked for; put it back",
            file=file,
        )
        for file in changed
        if not is_test_path(file) and (file in stood or runs(file))
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
