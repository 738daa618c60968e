"""Measures what the user's tree changes against a base; what the base has already never counts.

The base is measured only where something is wrong. A fast measurement of it covers what tells whether the
base has it, too: the tests that fail, and the static tools.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from setpoint.checks.baseline import Measurements
from setpoint.checks.cache.eviction import OF_THE_TREE, forget, trim
from setpoint.checks.cancel_all import end
from setpoint.checks.judge import Judge, Reference
from setpoint.checks.measurement import CheckListener, Measuring, Task
from setpoint.checks.survey import Surveyor
from setpoint.checks.trees.checkout import check_out_commit, remove, repository_of
from setpoint.checks.trees.working_tree import EvaluationCache, TreeRecorder
from setpoint.model.cover_quality import SOURCE as COVER
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import SUITES, CheckState, Evidence, TestReport
from setpoint.model.flaky import Quarantined
from setpoint.model.ids import Commit, StoryId, TraceId, sortable
from setpoint.model.stories.story import KnownRed, Story
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import ask, tree_of

_STORY = Story(id=StoryId("check"), title="The change as it is", known_red=KnownRed.TOLERATE)


class ChangeEvaluator:
    """Measures the working tree and judges it by its difference from a base."""

    def __init__(
        self,
        settings: Settings,
        artifacts: Artifacts,
        folders: ProjectFolders,
        told: CheckListener = lambda *_: None,
    ) -> None:
        """Keep raw output and reports in `artifacts`, everything else in the folders of the repository.

        `told` is given each result as soon as it is known, of the tree and of the base.
        """
        self._settings, self._artifacts, self._folders = settings, artifacts, folders
        self._surveyor = Surveyor(settings, artifacts, folders)
        self._measuring = Measuring(settings=settings, artifacts=artifacts, state=folders.state, told=told)

    async def measure(
        self, root: Path, since: str, quarantine: tuple[Quarantined, ...] = (), *, fast: bool
    ) -> Evaluation:
        """Measure the tree at `root` against the merge base of its commit and `since`.

        Neither the tree nor the repository is touched. With `fast` only those tests run that what has changed
        since the last whole run can reach. Cancelling ends all processes.
        """
        standing = TreeRecorder(root, self._folders.state / "standing")
        trace = TraceId(sortable("check", datetime.now(UTC)))
        place = self._folders.measured_of(trace)
        asking = asyncio.create_task(self._surveyor.interpreters(root))
        try:
            with standing.opened() as folder:
                recorded = await standing.record(folder)
                base = await _merge_base(root, recorded[0], since)
                held = tuple(each.model_dump_json() for each in quarantine)
                decides = (*self._surveyor.decides(await asking), *held)
                parts = ("change", *recorded, base, str(fast), *decides)
                kept = EvaluationCache(self._folders.state / "cache" / "evaluations", parts)
                if (found := kept.get()) is not None:
                    return found
                commit = await standing.committed(folder, place, recorded)
                copy = WorkCopy(
                    trace_id=trace, path=str(place), base=base, base_tree=await tree_of(root, base)
                )
                tree = Measured(copy, commit, recorded[1], Stage.EVALUATE if fast else Stage.TEST)
                project = await self._surveyor.look_at(root, copy, commit, asking)
                tools = OF_THE_TREE if standing.lasts(folder) else ""
                task = Task(project=project, story=_STORY, fast=fast, tools=tools, since=base)
                made = await self._judged(task, tree, quarantine)
                if self._surveyor.lasts(project):
                    kept.keep(made)
                return made
        finally:
            await end(asking)
            await asyncio.to_thread(remove, self._folders, trace)
            await asyncio.to_thread(forget, self._folders.state, trace)
            await asyncio.to_thread(trim, self._folders.state)

    async def _judged(self, task: Task, tree: Measured, quarantine: tuple[Quarantined, ...]) -> Evaluation:
        raw = await self._measuring.measure(task, tree)
        against = partial(self._judge(tree, quarantine).against, raw=raw, known=Reference())
        nothing = Measurements(stage=Stage.BASE, commit=tree.copy.base, tree=tree.copy.base_tree, results=())
        seen = await against(_with_suites(nothing, raw))
        if not (seen.failures or seen.blocking or seen.broken):
            return seen
        base = await self._base(task, tree, seen)
        return _excused(await against(_with_suites(base, raw)), base)

    async def _base(self, task: Task, tree: Measured, seen: Evaluation) -> Measurements:
        """Measure at the base what is wrong in the tree."""
        copy, failing = tree.copy, tuple(each.test for each in seen.failures)
        await check_out_commit(self._folders, copy, copy.base)
        place = Measured(copy, copy.base, copy.base_tree, tree.stage, failing)
        # A runner that broke names no test, so at the base it runs whatever it can reach.
        whole = any(each.check in SUITES for each in seen.broken)
        return await self._measuring.measure(replace(task, fast=whole), place)

    def _judge(self, tree: Measured, quarantine: tuple[Quarantined, ...]) -> Judge:
        return Judge(
            story=_STORY,
            base=tree.copy.base,
            root=repository_of(tree.copy),
            artifacts=self._artifacts,
            weights=self._settings.weights,
            coverage_goal=self._settings.checks.coverage_goal,
            quarantine=quarantine,
            tests_may_go=True,  # whose session it is may have asked for it
        )


def _with_suites(base: Measurements, raw: Measurements) -> Measurements:
    """Say that no test failed at the base where none ran there; otherwise every failure would be known."""
    ran = {each.evidence.check for each in base.results if each.tests is not None}
    missing = [each for each in raw.results if each.tests is not None and each.evidence.check not in ran]
    names = {each.evidence.check for each in missing}
    empty = (each.model_copy(update={"tests": TestReport(outcomes={}), "findings": ()}) for each in missing)
    left = (each for each in base.results if each.evidence.check not in names)
    return base.model_copy(update={"results": (*left, *empty)})


def _excused(seen: Evaluation, base: Measurements) -> Evaluation:
    """Take the blame from checks that break at the base too, and for goals of coverage it misses too."""
    missed = {each.fingerprint for result in base.results for each in result.findings if each.source == COVER}
    findings = tuple(each for each in seen.findings if each.fingerprint not in missed)
    evidence = tuple(_blamed(each, base) for each in seen.evidence)
    return seen.model_copy(update={"evidence": evidence, "findings": findings})


def _blamed(evidence: Evidence, base: Measurements) -> Evidence:
    before = base.result(evidence.check)
    if evidence.state is not CheckState.ERROR or before is None or before.state is not CheckState.ERROR:
        return evidence
    reason = f"broke at the base commit too: {evidence.reason}"
    return evidence.model_copy(update={"state": CheckState.NOT_MEASURED, "reason": reason})


async def _merge_base(root: Path, head: Commit, since: str) -> Commit:
    """Return where the work began: the merge base of two commits; the newer one where they have none."""
    if not since or since == head:
        return head
    answer = await ask(root, "merge-base", head, since)
    return Commit(answer.text) if answer.ok and answer.text else head
