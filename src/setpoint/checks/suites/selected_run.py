"""Run some tests of a suite once, among them tests in files that the suite does not know."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.pytest import TestSuite, run_once
from setpoint.model.evidence import Outcome
from setpoint.ports import Check, Measured


class SelectedRun(NamedTuple):
    """What a selection gave; nothing is run again."""

    outcomes: Mapping[str, Outcome]
    broken: str = ""
    """Why the runner as a whole cannot be believed; empty where it can."""


async def run_selected(
    check: Check, there: Measured, tests: Collection[str], files: Collection[str], limit_s: float
) -> SelectedRun:
    """Run tests of a suite in a place; `files` are new files that hold some of them."""
    only = tuple(tests)
    if isinstance(check, TestSuite):
        runner = replace(check.runner, timeout_s=min(check.runner.timeout_s, limit_s), files=tuple(files))
        _, suite, why = await run_once(runner, there, only)
        died = (
            "" if suite.exit is not None else f"the test process did not come to its end in {suite.running}"
        )
        return SelectedRun(dict(suite.outcomes), why or suite.internal_error or died)
    if not isinstance(check, PackageSuite):
        return SelectedRun({}, f"{check.name} runs no selection")
    tree = Path(there.copy.path)
    short = replace(check, timeout_s=limit_s)
    outcomes: dict[str, Outcome] = {}
    broken: list[str] = []
    for folder, share in short.shares(tree, only):
        once = await short.once(tree, folder, share)
        outcomes |= once.report.outcomes if once.report else {}
        broken += [once.broken] if once.broken else []
    return SelectedRun(outcomes, "; ".join(broken))


def folders_of(check: Check) -> tuple[str, ...]:
    """Return the folders in which a suite starts; empty text for the root."""
    return check.folders if isinstance(check, PackageSuite) else ("",)


def limited(check: Check, limit_s: float, alone_s: float | None = None) -> Check:
    """Return a check of tests with a tighter limit of time than its own."""
    if isinstance(check, TestSuite):
        return replace(check, runner=replace(check.runner, timeout_s=min(check.runner.timeout_s, limit_s)))
    if isinstance(check, PackageSuite):
        own_s = min(check.asked.timeout_s or check.timeout_s, limit_s)
        args = check.asked.args
        if alone_s is not None and check.name == "go_test":
            args = (*args, f"-timeout={alone_s:.0f}s")
        return replace(check, asked=check.asked.model_copy(update={"timeout_s": own_s, "args": args}))
    return check
