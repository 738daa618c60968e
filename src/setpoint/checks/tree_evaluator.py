"""Measures the user's own tree as it is, in a place of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setpoint.checks.cache.eviction import OF_THE_TREE, forget, trim
from setpoint.checks.cancel_all import end
from setpoint.checks.discovery.interpreter import Interpreters
from setpoint.checks.merge_base import MergePoint, compared, measured_at, merge_base_of, wrong
from setpoint.checks.needs.carried_files import MOST_FOUND, remember
from setpoint.checks.survey import Surveyor
from setpoint.checks.trees.checkout import check_out_commit, clone, remove, repository_of
from setpoint.checks.trees.working_tree import EvaluationCache, TreeRecorder
from setpoint.model.config.local_needs import Needs
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.flaky import Quarantined
from setpoint.model.ids import Commit, StoryId, TraceId, Tree, sortable
from setpoint.model.stories.story import Story
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import changed_lines

if TYPE_CHECKING:
    from setpoint.checks.baseline import Measurements
    from setpoint.checks.discovery.project import Project
    from setpoint.checks.measurement import CheckListener, Measuring, Task
    from setpoint.ports import Measured

_HINT = (
    "add tests for a runner that Setpoint reads, or a check of your own ([check.NAME] in setpoint.toml; "
    "docs/how-to/checks.md)"
)
_STORY = Story(id=StoryId("check"), title="The tree as it is")
_NO_TOOL = "no type checker and no linter ran either"


class TreeEvaluator:
    """Measures trees as they are; findings of a merge base are left out where that is asked."""

    def __init__(
        self,
        settings: Settings,
        artifacts: Artifacts,
        folders: ProjectFolders,
        told: CheckListener = lambda *_: None,
    ) -> None:
        """Keep raw output and reports in `artifacts`, everything else in the folders of the repository.

        `told` is given each check's raw result as soon as it is known.
        """
        self._settings = settings
        self._artifacts = artifacts
        self._folders = folders
        self._surveyor = Surveyor(settings, artifacts, folders)
        self._told = told

    @cached_property
    def _measuring(self) -> Measuring:
        from setpoint.checks.measurement import Measuring

        state = self._folders.state
        return Measuring(settings=self._settings, artifacts=self._artifacts, state=state, told=self._told)

    async def measure(
        self,
        root: Path,
        since: str | None = None,
        quarantine: tuple[Quarantined, ...] = (),
        *,
        fast: bool = False,
        fresh: bool = False,
    ) -> Evaluation:
        """Measure the user's tree as it is, uncommitted work included.

        `since` is as in `merge_base_of`; none: all count. Nothing of the user's is touched. `fast` runs only
        tests that what has changed since the last whole run can reach; `fresh` uses no cache.
        """
        standing = TreeRecorder(root, self._folders.state / "standing")
        trace = TraceId(sortable("check", datetime.now(UTC)))
        place = self._folders.measured_of(trace)
        evaluations = self._folders.state / "cache" / "evaluations"
        with standing.opened() as folder:
            asking = asyncio.create_task(self._surveyor.interpreters(root))
            new = fresh or not evaluations.exists()  # then the place will be needed
            making = asyncio.create_task(clone(root, place)) if new else None
            ahead: list[asyncio.Task[Any]] = [making] if making else []
            try:
                recorded = await standing.record(folder)
                committing = partial(standing.committed, folder, place, recorded, making)
                standing_at = partial(self._stood, root, trace, recorded[1], committing, asking)
                # Where they are new to us, the place is made meanwhile.
                stood = None if asking.done() else asyncio.create_task(standing_at())
                ahead += [stood] if stood else []
                base = await merge_base_of(root, recorded[0], since)
                decides = self._surveyor.decides(await asking)
                parts = (*recorded, *(base.identity if base else ()), str(fast), *decides)
                kept = EvaluationCache(evaluations, (*parts, *map(_as_text, quarantine)))
                if not fresh and (found := kept.get()) is not None:
                    return found
                from setpoint.checks.measurement import Task

                project, measured = await (stood or standing_at())
                tools = OF_THE_TREE if standing.lasts(folder) else ""
                task = Task(project=project, story=_STORY, fast=fast, fresh=fresh, tools=tools)
                made = await self._judged(task, measured, quarantine, base)
            finally:
                await end(asking, *ahead)
                await asyncio.to_thread(remove, self._folders, trace)
                await asyncio.to_thread(forget, self._folders.state, trace)
            await asyncio.to_thread(trim, self._folders.state)
            if self._surveyor.lasts(project):
                kept.keep(made)
            return made

    async def _stood(
        self,
        root: Path,
        trace: TraceId,
        tree: Tree,
        committing: Callable[[], Awaitable[Commit]],
        asking: Awaitable[Interpreters],
    ) -> tuple[Project, Measured]:
        """Put the tree as it is into a place for measuring, and look at the project there."""
        from setpoint.ports import Measured, WorkCopy

        commit = await committing()
        copy = WorkCopy(
            trace_id=trace, path=str(self._folders.measured_of(trace)), base=commit, base_tree=tree
        )
        project = await self._surveyor.look_at(root, copy, commit, asking)
        return project, Measured(copy, commit, tree, Stage.TEST)

    async def _judged(
        self, task: Task, measured: Measured, quarantine: tuple[Quarantined, ...], base: MergePoint | None
    ) -> Evaluation:
        """Measure a tree, and the base where it may be to blame for what is found."""
        from setpoint.checks.discovery.generated_files import generated_since
        from setpoint.checks.judge import Judge

        measured = measured._replace(stage=Stage.EVALUATE if task.fast else Stage.TEST)
        task = replace(task, since=base.commit if base else None)
        judge = Judge(
            story=task.story,
            base=measured.commit,
            root=repository_of(measured.copy),
            artifacts=self._artifacts,
            weights=self._settings.weights,
            coverage_goal=self._settings.checks.coverage_goal,
            goals=self._settings.goals,
            quarantine=quarantine,
        )
        here, generated = measured.commit, frozenset[str]()
        if base is not None:
            generated = await generated_since(judge.root, base.commit, here)
        reading = asyncio.create_task(judge.whole(here, generated))  # while the tools run
        try:
            raw = await self._measuring.measure(task, measured)
            for _ in range(MOST_FOUND):
                if raw.needs and self._settings.copied.found == "carry":
                    task, raw = await self._with_needs(task, measured, raw.needs)
            work, stood = await reading, None
            if base is not None and wrong(raw):
                stood = await measured_at(base, self._measuring, task, measured, self._folders, raw)
            seen = await judge.alone(raw, work, stood)
            seen = compared(seen, raw, stood, base.words) if base else seen
            lacking = raw.needs.lacking if self._settings.copied.found == "hold" else ""
            seen = seen.model_copy(update={"carried": task.project.needs.words, "lacking": lacking})
            return await self._located(_with_untested(seen), task, measured, base)
        finally:
            reading.cancel()

    async def _with_needs(self, task: Task, measured: Measured, found: Needs) -> tuple[Task, Measurements]:
        """Measure once more with what failing tests turned out to need."""
        await asyncio.to_thread(remember, self._folders.state, found)
        project = await self._surveyor.look_at(task.project.root, measured.copy, measured.commit)
        task = replace(task, project=project)
        return task, await self._measuring.measure(task, measured)

    async def _located(
        self, seen: Evaluation, task: Task, measured: Measured, base: MergePoint | None
    ) -> Evaluation:
        """Name the lines at fault if tests fail; a fast measurement leaves them out."""
        if task.fast or not seen.failures or not self._settings.failures.localise_s:
            return seen
        from setpoint.checks.suspects import with_suspects

        place = await check_out_commit(self._folders, measured.copy, measured.commit)
        changed = await changed_lines(place, base.commit, measured.commit) if base else {}
        return await with_suspects(seen, self._measuring, task, measured, changed)


def _with_untested(seen: Evaluation) -> Evaluation:
    """Say why no test showed what the code does, and whether no other tool did."""
    lack = seen.without_tests
    if seen.ours and not seen.test_counts.get("passed"):
        lack = "the tests fail in the copy alone, so nothing is known of them"
    if not lack:
        return seen
    hint = "" if "hint:" in lack else f"; hint: {_HINT}"
    seen = seen.model_copy(update={"untested": f"{lack}{hint}"})
    if not seen.proves_nothing:
        return seen
    beside = f", only {', '.join(seen.beside_code)}" if seen.beside_code else ""
    return seen.model_copy(update={"untested": f"{lack}; {_NO_TOOL}{beside}{hint}"})


def _as_text(excused: Quarantined) -> str:
    return excused.model_dump_json()
