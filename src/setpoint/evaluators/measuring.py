"""Measuring one tree: which checks, on which files and tests, and what is remembered of it for the next."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import CheckResult, CheckState
from setpoint.domain.ids import Tree
from setpoint.domain.story import KnownRed, Story
from setpoint.evaluators.baseline import Measurements, new_findings
from setpoint.evaluators.cache import ResultCache
from setpoint.evaluators.detect import Project
from setpoint.evaluators.impact import Impact, Reach, ReachFile, choose
from setpoint.evaluators.pace import Pace
from setpoint.evaluators.plan import Plan, Target
from setpoint.evaluators.results import unmeasured
from setpoint.evaluators.run import Bench, measure, run_group
from setpoint.ports import Measured
from setpoint.processes.git import blobs_at, changed_files, contents_of
from setpoint.settings import Settings
from setpoint.store.artifacts import Artifacts

MOST_EARLY = 0.5
"""Where a change reaches tests of more than this share of the suite's time, they wait for the whole suite."""
STALE = 0.25
"""Where it reaches more than this share, the next whole run makes a new map."""

Told = Callable[[Stage, CheckResult], None]
"""Is given each result as soon as it is known."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What the measuring of one tree needs to know beside the tree."""

    project: Project
    story: Story
    base: Measurements | None = None
    """What the base gave; none where there is nothing to compare with, and every file counts as changed."""
    fast: bool = False
    """Of the tests only those that what has changed since the last whole run can reach."""
    fresh: bool = False
    """Nothing is taken from a cache."""


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """Measures trees of one project."""

    settings: Settings
    artifacts: Artifacts
    state: Path
    told: Told = lambda *_: None

    async def measure(self, task: Task, place: Measured) -> Measurements:
        """Run the checks of a stage on a tree that is checked out."""
        pace = Pace(self.state / "cache" / "pace.json")
        kept = (
            None
            if task.fresh or place.stage is Stage.CONFIRM
            else ResultCache(self.state / "cache" / "checks")
        )
        bench = Bench(cache=kept, pace=pace, told=lambda result: self.told(place.stage, result))
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            plan = self._plan(task, Path(scratch))
            target = await self._target(task, place)
            parsed = await run_group(plan.parse(target), place, bench)
            if _breaks(parsed, task.base):
                rest = _left_out(place.tree, plan, target)
            else:
                rest = await measure(place, plan.static(target), plan.tests(target), bench)
            made = Measurements(
                stage=place.stage, commit=place.commit, tree=place.tree, results=(*parsed, *rest)
            )
            await asyncio.to_thread(self._remember, task, target, plan, made)
        await asyncio.to_thread(pace.keep)
        return made

    async def _target(self, task: Task, place: Measured) -> Target:
        root, base = place.copy.path, task.base
        files = await blobs_at(root, place.commit)
        changed = files if base is None else await changed_files(root, base.commit, place.commit)
        target = Target(
            stage=place.stage,
            files=files,
            changed=frozenset(changed),
            only=None,
            settled=_settled(base, task.story.known_red),
        )
        if place.stage is Stage.CONFIRM or "pytest" not in task.project.chosen:
            return replace(target, only=() if place.stage is Stage.EVALUATE else None)
        reach = await asyncio.to_thread(self._map(task.project).load)
        impact = await self._impact(reach, task, place, files)
        stale = impact.everything or impact.share > STALE
        if place.stage is not Stage.EVALUATE:
            return replace(target, record=stale)
        if task.fast and (reach is None or impact.everything):
            return replace(target, record=True)
        named = _early(impact, reach, fast=task.fast) | set(place.suspects)
        return replace(target, only=tuple(sorted(each for each in named if each.partition("::")[0] in files)))

    async def _impact(
        self, reach: Reach | None, task: Task, place: Measured, files: dict[str, str]
    ) -> Impact:
        if reach is None:
            return Impact(everything=True, why="no whole run has made a map yet")
        roots = task.project.layout.imports
        return await choose(reach, files, roots, lambda blobs: contents_of(place.copy.path, blobs))

    def _remember(self, task: Task, target: Target, plan: Plan, made: Measurements) -> None:
        tests = made.result("pytest")
        if not target.record or tests is None or tests.tests is None or not tests.tests.complete:
            return
        if tests.state is not CheckState.ERROR:
            self._map(task.project).keep(plan.reach, target.files, tests.tests.red)

    def _map(self, project: Project) -> ReachFile:
        decides = (
            project.interpreter.fingerprint,
            *project.layout.imports,
            *self.settings.checks.pytest_args,
        )
        return ReachFile(self.state / "cache" / "reach", decides)

    def _plan(self, task: Task, scratch: Path) -> Plan:
        return Plan(
            project=task.project,
            settings=self.settings,
            artifacts=self.artifacts,
            story=task.story,
            scratch=scratch,
            cache=self.state / "cache" / "tools",
            fresh=task.fresh,
        )


def _early(impact: Impact, reach: Reach | None, *, fast: bool) -> set[str]:
    """Name the tests that are worth running before all others."""
    if fast:
        return {*impact.names, *(reach.red if reach else ())}
    worth = not impact.everything and impact.share <= MOST_EARLY
    return set(impact.names) if worth else set()


def _settled(base: Measurements | None, known_red: KnownRed) -> dict[str, str | None]:
    """Name the tests that were red at the base; what is to be mended counts as settled only unchanged."""
    if base is None or base.tests is None:
        return {}
    tolerated = known_red is KnownRed.TOLERATE
    said: dict[str, str | None] = dict.fromkeys(base.tests.red) if tolerated else {}
    return said or {failure.test: failure.message for failure in base.tests.failures}


def _left_out(tree: Tree, plan: Plan, target: Target) -> tuple[CheckResult, ...]:
    groups = (*plan.static(target), *plan.tests(target))
    names = [check.name for group in groups for check in group.checks]
    return tuple(unmeasured(name, tree, "not run: the tree does not parse") for name in names)


def _breaks(parsed: tuple[CheckResult, ...], base: Measurements | None) -> bool:
    """Whether the work made files that do not parse; those of the base are its own affair."""
    if base is None or any(result.state is CheckState.ERROR for result in parsed):
        return False
    stood = base.result("parse")
    found = [finding for result in parsed for finding in result.findings]
    return bool(new_findings(found, stood.findings if stood else ()))
