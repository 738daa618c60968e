"""Measure what the working tree changes against a base, within a time limit."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import NamedTuple

from setpoint.app.checks.quarantine import quarantine_entries
from setpoint.app.people.suppressions import without_suppressed
from setpoint.checks.change_evaluator import ChangeEvaluator
from setpoint.checks.measurement import CheckListener
from setpoint.errors import UsageError
from setpoint.model.evaluation import Evaluation
from setpoint.model.hooks import CheckState
from setpoint.model.ids import Commit
from setpoint.system.git.git import commit_of
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks


class ChangeCheck(NamedTuple):
    """What a check of a change gave."""

    state: CheckState
    evaluation: Evaluation | None = None
    """None where nothing was measured."""
    reason: str = ""
    """Why nothing was measured."""


def commit_named(project: Project, name: str) -> Commit:
    """Return the commit that a name stands for; `UsageError` where it stands for none."""
    commit = asyncio.run(commit_of(project.root, name))
    if commit is None:
        raise UsageError(f"'{name}' names no commit in {project.root}", hint="`git log --all` lists them")
    return commit


async def check_change(
    project: Project,
    since: str,
    *,
    fast: bool,
    limit_s: float,
    told: CheckListener = lambda *_: None,
) -> ChangeCheck:
    """Measure as `measure_change` does; `told` is given each result as soon as it is known.

    Cancelling ends all processes of the check.
    """
    try:
        return await _within(project, since, fast=fast, limit_s=limit_s, told=told)
    except TimeoutError:
        return ChangeCheck(CheckState.NOT_MEASURED, reason=f"the check took longer than {limit_s:g} s")


def measure_change(project: Project, since: str, *, fast: bool, limit_s: float) -> ChangeCheck:
    """Measure the working tree against the merge base of its commit and `since`.

    After `limit_s` seconds all processes of the check are ended, and nothing counts as measured.
    """
    return asyncio.run(check_change(project, since, fast=fast, limit_s=limit_s))


async def _within(
    project: Project, since: str, *, fast: bool, limit_s: float, told: CheckListener
) -> ChangeCheck:
    evaluator = ChangeEvaluator(project.settings, project.artifacts, project.folders, told)
    now = datetime.now(UTC)
    held = tuple(each for each in quarantine_entries(project) if each.active(now))
    async with asyncio.timeout(limit_s), held_checks(project, project.settings):
        seen = await evaluator.measure(project.root, since, held, fast=fast)
        seen = without_suppressed(project, seen)
    wrong = seen.failures or seen.blocking or seen.broken
    return ChangeCheck(CheckState.FAILED if wrong else CheckState.PASSED, seen)
