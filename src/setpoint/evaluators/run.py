"""Running checks: static tools side by side, beside them at most one process that runs the project's code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from dataclasses import dataclass

from setpoint.domain.evidence import CheckResult, CheckState
from setpoint.domain.quality import Metric
from setpoint.evaluators import results
from setpoint.evaluators.cache import ResultCache
from setpoint.ports import Check, Measured


@dataclass(frozen=True, kw_only=True)
class Unmeasured:
    """A check that cannot be made, and why."""

    name: str
    reason: str
    state: CheckState = CheckState.NOT_MEASURED
    feeds: tuple[Metric, ...] = ()
    """Metrics it would have measured."""

    async def run(self, measured: Measured) -> CheckResult:
        """Say so."""
        return results.unmeasured(self.name, measured.tree, self.reason, state=self.state, feeds=self.feeds)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Checks that run one after the other and are kept together."""

    checks: tuple[Check, ...]
    identity: tuple[str, ...] | None
    """All that decides their results, but for the tree and the base; none where they are never kept."""


async def measure(
    measured: Measured, static: Iterable[Group], tests: Iterable[Group], cache: ResultCache | None
) -> tuple[CheckResult, ...]:
    """Run all groups; gives the results of the static tools first. Cancelling ends what runs."""
    lanes = asyncio.Semaphore(max(1, (os.cpu_count() or 2) - 1))

    async def beside(group: Group) -> tuple[CheckResult, ...]:
        async with lanes:
            return await run_group(group, measured, cache)

    async def in_order() -> tuple[CheckResult, ...]:
        return tuple([result for group in tests for result in await run_group(group, measured, cache)])

    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(in_order())
        others = [tasks.create_task(beside(group)) for group in static]
    return (*(result for task in others for result in task.result()), *running.result())


async def run_group(group: Group, measured: Measured, cache: ResultCache | None) -> tuple[CheckResult, ...]:
    """Run the checks of a group, or take what they gave earlier on the same tree."""
    key = None if group.identity is None else (measured.tree, measured.copy.base, *group.identity)
    if cache is not None and key is not None and (kept := cache.get(key)) is not None:
        return kept
    made = tuple([await check.run(measured) for check in group.checks])
    if cache is not None and key is not None:
        cache.keep(key, made)
    return made
