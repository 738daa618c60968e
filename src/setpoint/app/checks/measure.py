"""Measure the working tree as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from setpoint.app.checks.watch import measure_once
from setpoint.checks.under_way import checks_now as checks_now  # noqa: PLC0414 - for the verbs
from setpoint.errors import ExitCode
from setpoint.model.evaluation import Evaluation
from setpoint.wiring.project import Project

if TYPE_CHECKING:
    from setpoint.checks.measurement import CheckListener


def measure_tree(
    project: Project,
    told: CheckListener = lambda *_: None,
    *,
    fast: bool = False,
    fresh: bool = False,
    since: str | None = "",
    runner: Callable[[Coroutine[Any, Any, Evaluation]], Evaluation] = asyncio.run,
) -> Evaluation:
    """Measure the user's tree, including uncommitted changes.

    Findings of the merge base with `since` do not count; empty: with the default branch; none: all
    count. Raises `UsageError` where `since` is not a commit.

    With `fast` of the tests only those that what has changed since the last whole run can reach; with `fresh`
    nothing is taken from a cache. `told` is given each check's result as soon as it is known.
    """
    return runner(measure_once(project, told, fast=fast, fresh=fresh, since=since))


def exit_of(evaluation: Evaluation) -> ExitCode:
    """Return `FINDINGS` where a test fails, a finding blocks or a check broke.

    `UNPROVABLE` where there is code, and neither a test nor a type checker nor a linter measured it.
    """
    if evaluation.failures or evaluation.blocking or evaluation.broken:
        return ExitCode.FINDINGS
    return ExitCode.UNPROVABLE if evaluation.proves_nothing else ExitCode.OK
