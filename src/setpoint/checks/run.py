"""Running checks: static tools side by side, beside them at most one process that runs the project's code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from setpoint.checks import results
from setpoint.checks.cache.durations import Pace
from setpoint.checks.cache.results import ResultCache
from setpoint.checks.tree_scope import of_tree
from setpoint.checks.under_way import under_way
from setpoint.model.evidence import CheckResult, CheckState, Fault
from setpoint.model.quality import Metric
from setpoint.ports import Check, Measured
from setpoint.system.files.kept_folder import KeptFolder


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
        fault = Fault.MISSING_TOOL if self.state is CheckState.ERROR else None
        return results.unmeasured(
            self.name, measured.tree, self.reason, state=self.state, feeds=self.feeds, fault=fault
        )


@dataclass(frozen=True, kw_only=True)
class Group:
    """Checks that run one after the other and are kept together."""

    checks: tuple[Check, ...]
    identity: tuple[str, ...] | None
    """Everything that decides their results, except the tree and the base; none where they are never kept."""
    inputs: str = ""
    """A digest of all files that they look at; empty: the whole tree, and the base it is compared with."""
    files: Collection[str] | None = None
    """Files of the tree, in which alone findings count; none: wherever they are."""
    rooted: bool = True
    """Whether the checks name files from the root of the tree."""

    def key(self, measured: Measured) -> tuple[str, ...] | None:
        """Return all that decides their results on a tree."""
        if self.identity is None:
            return None
        if self.inputs:
            return ("inputs", self.inputs, *self.identity)
        return (measured.tree, measured.copy.base_tree, *self.identity)


BACK_OFF_S = (1.0, 5.0)
ResultListener = Callable[[CheckResult], None]
"""Is given each result as soon as it is known."""


class Watch(Protocol):
    """Sees what a check that runs the project's code changes beside its result."""

    async def begin(self, measured: Measured) -> None:
        """Look before the first of them."""

    async def changed(self, measured: Measured) -> tuple[str, ...]:
        """Name what changed since then or since the last time, and restore what is tracked."""


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What running checks needs beside the checks."""

    cache: ResultCache | None
    pace: Pace
    told: ResultListener = lambda _: None
    back_off_s: tuple[float, ...] = BACK_OFF_S
    """Pauses before each new try of a check that was killed."""
    veil: Callable[[CheckResult], CheckResult] = lambda result: result
    """Keeps out of each result what must not be recorded."""
    watch: Watch | None = None
    """Looks at the files around each check that runs the project's code; none: nobody does."""

    def also(self, listener: ResultListener) -> Bench:
        """Let one more listener hear each result."""

        def told(result: CheckResult) -> None:
            self.told(result)
            listener(result)

        return replace(self, told=told)


async def measure(
    measured: Measured, static: Iterable[Group], tests: Iterable[Group], bench: Bench
) -> tuple[CheckResult, ...]:
    """Run all groups; gives the results of the static tools first. Cancelling ends what runs.

    What took longest the last time begins first, so that nothing long is left for the end.
    """
    lanes = asyncio.Semaphore(max(1, (os.cpu_count() or 2) - 1))
    groups, in_turn = tuple(static), tuple(tests)

    async def beside(group: Group) -> tuple[CheckResult, ...]:
        async with lanes:
            return await run_group(group, measured, bench)

    async def in_order() -> list[tuple[CheckResult, ...]]:
        made = [await run_group(group, measured, bench, watched=True) for group in in_turn]
        lanes.release()  # where no test runs any more, one more static tool may
        return made

    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(in_order())
        first = sorted(groups, key=lambda group: -bench.pace.expected_s(check.name for check in group.checks))
        made = {id(group): tasks.create_task(beside(group)) for group in first}
    first_tries = [*(made[id(group)].result() for group in groups), *running.result()]
    pairs = zip((*groups, *in_turn), first_tries, strict=True)
    answers = [await _again_alone(group, results, measured, bench) for group, results in pairs]
    return tuple(result for results in answers for result in results)


async def _again_alone(
    group: Group, made: tuple[CheckResult, ...], measured: Measured, bench: Bench
) -> tuple[CheckResult, ...]:
    """Try a group that was killed again, now that nothing else runs; memory may have been short."""
    for pause in bench.back_off_s:
        if all(result.evidence.fault is not Fault.KILLED for result in made):
            break
        await asyncio.sleep(pause)
        made = await run_group(group, measured, bench)
    return made


async def run_group(
    group: Group, measured: Measured, bench: Bench, *, watched: bool = False
) -> tuple[CheckResult, ...]:
    """Run the checks of a group, or take what they gave earlier on the same tree or the same inputs.

    With `watched` the files are looked at around each of them.
    """
    key = group.key(measured)
    if bench.cache is not None and key is not None and (kept := bench.cache.get(key)) is not None:
        made = tuple(_of_tree(result, measured) for result in kept)
        for result in made:
            bench.told(result)
        return made
    watch = bench.watch if watched else None
    place = KeptFolder(Path(measured.copy.path))
    made = tuple([await _run(check, group, measured, bench, watch) for check in group.checks])
    answered = not place.gone and all(result.evidence.fault is None for result in made)
    place.close()
    if bench.cache is not None and key is not None and answered:
        bench.cache.keep(key, made)
    return made


async def _run(
    check: Check, group: Group, measured: Measured, bench: Bench, watch: Watch | None
) -> CheckResult:
    if watch is not None:
        await watch.begin(measured)
    with under_way(check.name, bench.pace.last_s(check.name)):
        result = bench.veil(await check.run(measured))
    if watch is not None and result.evidence.argv and (changed := await watch.changed(measured)):
        evidence = result.evidence.model_copy(update={"changed_files": changed})
        result = result.model_copy(update={"evidence": evidence})
    if group.files is not None:
        place = Path(measured.copy.path)
        result = await asyncio.to_thread(of_tree, result, group.files, place, rooted=group.rooted)
    bench.told(result)
    bench.pace.took(result)
    return result


def _of_tree(result: CheckResult, measured: Measured) -> CheckResult:
    """A result holds for each tree with the same inputs."""
    evidence = result.evidence.model_copy(update={"tree": measured.tree})
    return result.model_copy(update={"evidence": evidence})
