"""Check the change of a job of continuous integration against its merge base."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

from setpoint.app.ci.base_project import base_checkout, changed_settings, open_base
from setpoint.app.ci.change import Change, Skipped
from setpoint.app.ci.measure import measure_against_base
from setpoint.app.ci.merge_base import base_of
from setpoint.app.ci.report import report_of, skipped_report
from setpoint.checks.measurement import CheckListener
from setpoint.errors import ExitCode, UsageError
from setpoint.model.ci_report import CiReport
from setpoint.system.git.git import head, repository_root

FAIL_ON = ("new", "unproven", "never")
"""What fails the job: problems that the base does not have; an unproven change too; nothing."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def check_change(
    here: Path, change: Change | Skipped, variables: Mapping[str, str], base: str, told: CheckListener
) -> CiReport:
    """Measure what is checked out against its merge base.

    `base` names the other side in place of what the event says.
    """
    if isinstance(change, Skipped):
        return skipped_report(change)
    return asyncio.run(_checked(here, change, variables, base, told))


async def _checked(
    here: Path, change: Change, variables: Mapping[str, str], asked: str, told: CheckListener
) -> CiReport:
    root = repository_root(here)
    base = await base_of(root, change, variables, asked)
    commit = await head(root)
    if base is None:
        reason = "the repository has one commit, so there is nothing to compare with"
        return skipped_report(Skipped(change.event, change.head, reason), commit)
    async with base_checkout(root, base, commit) as place:
        slug = _UNSAFE.sub("-", variables.get("GITHUB_REPOSITORY") or root.name)[:100] or "project"
        project = await asyncio.to_thread(open_base, place, slug)
        try:
            found = await measure_against_base(project, change, base, commit, told)
        finally:
            project.store.close()
    return report_of(change, found, base, commit, await changed_settings(root, base, commit))


def refuse_unknown(fail_on: str) -> None:
    """Raise `UsageError` for a reason to fail that Setpoint does not know."""
    if fail_on not in FAIL_ON:
        raise UsageError(f"'{fail_on}' is not a reason to fail", hint=f"take one of {', '.join(FAIL_ON)}")


def exit_of(report: CiReport, fail_on: str) -> ExitCode:
    """Return the exit code of the job."""
    if fail_on == "never":
        return ExitCode.OK
    if report.blocking:
        return ExitCode.FINDINGS
    return ExitCode.UNPROVEN if fail_on == "unproven" and report.unproven else ExitCode.OK
