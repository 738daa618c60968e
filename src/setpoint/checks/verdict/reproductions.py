"""Run what a reviewer says shows an objection, on the base and on the result; its word decides nothing.

It binds if it runs and fails on the result, twice, and the change is why: it passes at the base, or fails in
other words where all functions of the change raise. What fails in the same words whatever these do tells
nothing of the change: it may be nonsense, or about code that the change should have touched and did not.
"""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.languages.all import language_of
from setpoint.checks.languages.changed_function import RAISES
from setpoint.checks.measurement import Measuring, Task, furnish
from setpoint.checks.plan import Plan
from setpoint.checks.target import Target
from setpoint.checks.trees.checkout import place_beside, put_at, repository_of
from setpoint.checks.verdict.broken_code import new_mark
from setpoint.checks.verdict.hidden_tests import misplaced, put, run_hidden
from setpoint.checks.verdict.witness import failure_of, other_cause, passed_in
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.changes.work_kind import runs
from setpoint.model.evidence import Cause, TestReport
from setpoint.model.finding import normalised
from setpoint.model.ids import Commit
from setpoint.model.proof import HiddenTest, Reproduced
from setpoint.model.wording import shortened
from setpoint.ports import Measured
from setpoint.system.git.git import changed_files, contents

_MOST_TOLD = 300
_SAME = "it fails in the same words whatever the changed functions do"
_NOT_LOADED = (Cause.ENVIRONMENT, Cause.IMPORT, Cause.SYNTAX)
"""Causes for which a file of tests does not load, where it is itself their place."""


class _Came(NamedTuple):
    """What one run gave."""

    failed: bool = False
    """Whether it ran and failed by itself."""
    passed: bool = False
    told: str = ""
    """How it failed, or why it did not run."""


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """One reproduction, and where it is run."""

    test: HiddenTest
    task: Task
    plan: Plan
    bare: Plan
    """What broken code is run by: without carried files and named variables."""
    target: Target
    place: Measured
    """The result, checked out."""

    @property
    def tree(self) -> Path:
        """Return the place beside, which is removed behind it."""
        return place_beside(Path(self.place.copy.path), "other")

    async def ran(self, commit: Commit, *, broken: bool = False) -> _Came | None:
        """Run it on a commit; none where its changed functions are to raise and there are none."""
        tree = self.tree
        await put_at(tree, repository_of(self.place.copy), commit)
        project = self.task.project
        await furnish(project.bare if broken else project, tree)
        there = self.place._replace(copy=self.place.copy._replace(path=str(tree)))
        if broken and not await self._break(there):
            return None
        put((self.test,), tree, self.plan.artifacts)
        plan = self.bare if broken else self.plan
        return _came(await run_hidden(plan, self.target, self.test, there), self.test)

    async def _break(self, there: Measured) -> bool:
        """Let every function raise that the change adds or changes; false where there is none."""
        base, tree, found = self.place.copy.base, there.copy.path, False
        changed = await changed_files(tree, base, there.commit)
        before, after = [await contents(tree, each, changed) for each in (base, there.commit)]
        for path, text in after.items():
            language = None if is_test_path(path) or not runs(path) else language_of(path)
            own = language.changed(path, before.get(path), text).functions if language else ()
            if way := tuple(one for each in own for one in each.sabotages.get(RAISES, ())):
                source, found = own[0].sabotaged(text, way, new_mark(there)), True
                await asyncio.to_thread((Path(tree) / path).write_bytes, source)
        return found

    async def judged(self) -> Reproduced:
        """Run it twice on the result, then on the base, and with the changed functions broken."""
        first, second = [await self.ran(self.place.commit) or _Came() for _ in range(2)]
        if not (first.failed and second.failed):
            told = next(each for each in (first, second) if not each.failed)
            why = "it passes on the change" if told.passed else f"it cannot be run: {told.told}"
            return Reproduced(test=self.test, passes=True, told=why)
        at_base = await self.ran(self.place.copy.base) or _Came()
        if not at_base.passed:
            other = await self.ran(self.place.commit, broken=True) or at_base
            if normalised(other.told) == normalised(first.told):
                return Reproduced(test=self.test, told=f"{_SAME}: {first.told}")
        reason = "" if at_base.passed else at_base.told
        test = self.test.model_copy(update={"reason": reason})
        return Reproduced(test=test, binds=True, told=first.told)


async def reproduced(
    measuring: Measuring, task: Task, place: Measured, test: HiddenTest, scratch: Path
) -> Reproduced:
    """Run a reproduction on the base and on the result, checked out at `place`, in a place beside it."""
    quiet = replace(measuring, told=lambda *_: None)
    plan, target = quiet.plan(task, place.copy.trace_id, scratch), await quiet.target(task, place)
    if not test.command and (why := misplaced(test.path, target.files, task)):
        return Reproduced(test=test, passes=True, told=f"{test.path} {why}")
    bare = quiet.plan(replace(task, project=task.project.bare), place.copy.trace_id, scratch)
    trial = _Trial(test=test, task=task, plan=plan, bare=bare, target=target, place=place)
    try:
        return await trial.judged()
    except (OSError, ValueError) as error:
        return Reproduced(test=test, passes=True, told=f"it cannot be written: {error}")
    finally:
        await asyncio.to_thread(shutil.rmtree, trial.tree, ignore_errors=True)


def _came(report: TestReport, test: HiddenTest) -> _Came:
    """Judge a run: what does not load, what misses something and what takes too long has not failed."""
    failures = [each for each in (failure_of(name, report) for name in sorted(report.red)) if each]
    if not failures:
        why = next(iter(report.collection_errors), "no test of it ran")
        return _Came(
            passed=bool(passed_in(report)), told="" if passed_in(report) else shortened(why, _MOST_TOLD)
        )
    for each in failures:
        unloaded = each.cause in _NOT_LOADED and each.file in ("", test.path)
        if not (unloaded or other_cause(each, report.outcomes.get(each.test))):
            return _Came(failed=True, told=shortened(each.message, _MOST_TOLD))
    return _Came(told=shortened(failures[0].message, _MOST_TOLD))
