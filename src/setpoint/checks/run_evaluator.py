"""Measures the trees of a project and judges them by their difference from the base."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from setpoint.checks.advice.offer import command, server
from setpoint.checks.baseline import Measurements, ours, red_tests
from setpoint.checks.cache.eviction import tools_of
from setpoint.checks.discovery.project import Project
from setpoint.checks.discovery.work_environment import commands, equip, variables
from setpoint.checks.flaky.flaky import STEADY, doubtful, steadily_green
from setpoint.checks.judge import Judge, Reference
from setpoint.checks.localise.work_copy_paths import from_the_root
from setpoint.checks.measurement import CheckListener, Measuring, Task, furnish, tests_of
from setpoint.checks.needs.carried_files import MOST_FOUND, carry, remember
from setpoint.checks.needs.kept_elsewhere import with_parts
from setpoint.checks.old_tests.places import collected
from setpoint.checks.old_tests.read_only import Protection, ReadOnly, restored_before
from setpoint.checks.show_product import ProductStage
from setpoint.checks.suites.git_hooks import git_hooks
from setpoint.checks.suites.pytest import Runner, outcomes_of
from setpoint.checks.suites.reproduction import reproduction
from setpoint.checks.suites.suite_commands import suite_commands
from setpoint.checks.survey import Surveyor
from setpoint.checks.suspects import with_suspects
from setpoint.checks.trees.checkout import (
    check_out,
    check_out_commit,
    kept_of,
    place_beside,
    put_at,
    repository_of,
)
from setpoint.checks.trees.line_ends import keep_line_ends
from setpoint.checks.trees.whole import in_whole
from setpoint.checks.verdict.prove import Prover
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import Outcome
from setpoint.model.ids import Commit, TraceId
from setpoint.model.product import ProductView, Shown
from setpoint.model.proof import NOBODY, HiddenTests, HiddenTrial, Obligation, Proof, Vouched
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import Story
from setpoint.ports import Measured, Toolbox, WorkCopy
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.atomic import write_atomic
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.system.git.git import ask, changed_lines
from setpoint.system.git.repository_names import show_names
from setpoint.system.processes import without_network

StepListener = Callable[[RunOrder, Measured, Obligation], None]
"""Is given what one run of a proof found."""


class ProjectEvaluator:
    """Runs the checks of one project's runs; holds nothing that a new process could not find again."""

    def __init__(
        self,
        settings: Settings,
        artifacts: Artifacts,
        folders: ProjectFolders,
        told: CheckListener = lambda *_: None,
        stepped: StepListener = lambda *_: None,
    ) -> None:
        """Keep raw output and reports in `artifacts`, everything else in the folders of the repository.

        `told` is given each check's raw result as soon as it is known, and `stepped` what each run of a proof
        found.
        """
        self._stepped = stepped
        self._settings = settings
        self._artifacts = artifacts
        self._folders = folders
        self._surveyor = Surveyor(settings, artifacts, folders)
        self._measuring = Measuring(settings=settings, artifacts=artifacts, state=folders.state, told=told)
        self._projects: dict[TraceId, Project] = {}
        self._bases: dict[TraceId, Measurements] = {}

    def interpreter(self) -> str:
        """Return the project's interpreter, known after `prepare`; empty before."""
        last = next(reversed(self._projects.values()), None)
        return last.interpreter.path if last else ""

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Choose the checks for the project; done again when a run is resumed."""
        project = await self._surveyor.look_at(self._folders.root, copy, order.base)
        self._projects[order.trace_id] = project
        return Toolbox(
            checks=dict(project.chosen),
            python=project.interpreter.path,
            environment=variables(project),
            commands=commands(project, self._settings.checks),
            self_check=server(self._settings.self_check),
            suite_commands=suite_commands(
                project,
                self._settings.checks,
                self._artifacts,
                tools_of(self._folders.state, order.trace_id),
            ),
        )

    async def equip(self, order: RunOrder, copy: WorkCopy) -> None:
        """Bring to a work copy the programs and packages with which commands there run as the checks do."""
        if order.trace_id in self._projects:
            project, terms = self._projects[order.trace_id], self._settings.self_check
            place, apart = (
                Path(copy.path),
                project.apart._replace(pointers=False),
            )  # content would be a change
            await with_parts(project.root, place, repository_of(copy), copy.base, apart)
            await asyncio.to_thread(show_names, place / ".git", project.names)
            await carry(project.root, place, project.to_agents.files)
            await asyncio.to_thread(equip, project, place, command(terms))

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Keep line ends, take over what the pre-commit hook rewrites, and restore protected files.

        Gives the paths of the last.
        """
        await keep_line_ends(copy, order.base, order.story.wish)
        if (project := self._projects.get(order.trace_id)) and self._settings.checks.git_hooks:
            limit_s, brought = self._settings.checks.timeout_s, partial(furnish, project)
            if hooks := git_hooks(project, self._artifacts, limit_s, order.base, brought):
                await hooks.take_over(copy, self._folders)
        return await self.restore_protected(order, copy)

    async def restore_protected(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Restore protected files that the work changed; return their paths."""
        named = (*order.story.protected, *self._settings.integrity.protected)
        if self._settings.failures.quarantine_file:
            named = (*named, self._settings.failures.quarantine_file)
        protection = Protection(
            mode=order.story.integrity,
            named=named,
            released=order.story.may_change,
            tests=self._collected(order.trace_id),
        )
        return await ReadOnly(self._folders.state, copy, order.base, protection).protect()

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree and keep the full report."""
        seen = await in_whole(self._folders.copies, partial(self._evaluated, order, measured))
        return from_the_root(seen, self._folders.measured_of(measured.copy.trace_id))

    async def _evaluated(self, order: RunOrder, measured: Measured) -> Evaluation:
        if order.trace_id not in self._projects:
            await self.prepare(order, measured.copy)
        alone = partial(reproduction, project=self._projects[order.trace_id])
        judge = self._judge(order.story, order.base, measured.copy, order.weights)
        judge = replace(judge, quarantine=order.quarantine, held=order.suppressed, command_of=alone)
        if measured.stage is Stage.BASE:
            raw = await self._measure_base(order, measured)
            first = await judge.first(raw)
            first = first.model_copy(
                update={
                    "ours": ours(raw.tests.failures if raw.tests else ()),
                    "carried": self._projects[order.trace_id].needs.words,
                    "lacking": raw.needs.lacking if self._settings.copied.found == "hold" else "",
                }
            )
            return await self._located(order, first, measured)
        base = await self._base(order, measured.copy)
        place = await check_out(self._folders, measured)
        raw = await self._measuring.measure(self._task(order, base), place)
        judge = replace(judge, broken=await self._broken(order, base, raw, place))
        known = Reference(restored=await self._restored(measured, place))
        return await self._located(order, await judge.against(base, raw, known), measured)

    async def preview(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree for advice: nothing is taken from a cache, and nothing is kept."""
        base = await self._base(order, measured.copy)
        place = await check_out(self._folders, measured)
        measuring = replace(self._measuring, told=lambda *_: None)
        raw = await measuring.measure(replace(self._task(order, base), fresh=True), place)
        judge = self._judge(order.story, order.base, measured.copy, order.weights)
        judge = replace(judge, quarantine=order.quarantine, held=order.suppressed)
        seen = await judge.against(base, raw, Reference())
        return from_the_root(seen, Path(place.copy.path))

    async def prove(self, order: RunOrder, measured: Measured, vouched: Vouched = NOBODY) -> Proof:
        """Measure what proves a tree that has passed every check."""
        return await in_whole(self._folders.copies, partial(self._proved, order, measured, vouched))

    async def _proved(self, order: RunOrder, measured: Measured, vouched: Vouched) -> Proof:
        if order.trace_id not in self._projects:
            await self.prepare(order, measured.copy)
        # First the base: where another machine measured it, it is measured again, in the same place.
        task = self._task(order, await self._base(order, measured.copy))
        place = await check_out(self._folders, measured)
        told = partial(self._stepped, order, measured)
        return await Prover(measuring=self._measuring, told=told).prove(task, place, order.proof, vouched)

    async def try_hidden(self, order: RunOrder, copy: WorkCopy | Measured, tests: HiddenTests) -> HiddenTrial:
        """Run tests that were written from the request alone at the base, where they must fail.

        Tests that show objections to a measured tree run on both.
        """
        objected, copy = (copy, copy.copy) if isinstance(copy, Measured) else (None, copy)
        if order.trace_id not in self._projects:
            await self.prepare(order, copy)
        at_base = Measured(copy=copy, commit=order.base, tree=copy.base_tree, stage=Stage.BASE)
        task = self._task(order, await self._base(order, copy))
        place = await check_out(self._folders, objected or at_base)
        async with without_network():
            prover = Prover(measuring=self._measuring)
            return await (prover.reproduce if objected else prover.try_hidden)(task, place, tests)

    async def show(self, order: RunOrder, tree: Measured, asked: Shown) -> ProductView:
        """Run a command on a tree, or take the picture of a page, in a place of its own."""
        if order.trace_id not in self._projects:
            await self.prepare(order, tree.copy)
        project = self._projects[order.trace_id]
        place = place_beside(self._folders.measured_of(order.trace_id), "shown")
        try:
            await put_at(place, repository_of(tree.copy), tree.commit)
            await furnish(project, place)
            return await ProductStage(project=project, tree=place, artifacts=self._artifacts).show(asked)
        finally:
            await asyncio.to_thread(shutil.rmtree, place, ignore_errors=True)

    async def without(
        self, order: RunOrder, measured: Measured, changes: Sequence[str], tests: tuple[str, ...]
    ) -> tuple[frozenset[str] | None, ...]:
        """Run tests on a tree, each time with one of its changes, a unified diff, taken back."""
        if order.trace_id not in self._projects:
            await self.prepare(order, measured.copy)
        runner, found = self._python_tests(order), list[frozenset[str] | None]()
        for change in changes if runner else ():
            place = await check_out(self._folders, measured)
            done = await ask(
                place.copy.path, "apply", "-R", "--whitespace=nowarn", "-", stdin=change.encode()
            )
            came = await outcomes_of(runner, place, tests) if runner and done.ok else None
            red = (
                None
                if came is None
                else frozenset(test for test in tests if came.get(test, Outcome.ERROR).red)
            )
            found.append(red)
        return tuple(found) or tuple(None for _ in changes)

    async def _restored(self, measured: Measured, place: Measured) -> tuple[str, ...]:
        """Return what was restored before a tree was recorded."""
        return await restored_before(self._folders.state, measured, place.copy.path)

    def _task(self, order: RunOrder, base: Measurements | None) -> Task:
        return Task(project=self._projects[order.trace_id], story=order.story, base=base)

    async def _measure_base(self, order: RunOrder, measured: Measured) -> Measurements:
        place = await check_out(self._folders, measured)
        raw = await self._measuring.measure(self._task(order, None), place)
        for _ in range(MOST_FOUND):
            if not raw.needs or self._settings.copied.found != "carry":
                break
            await asyncio.to_thread(remember, self._folders.state, raw.needs)
            await self.prepare(order, measured.copy)
            place = await check_out(self._folders, measured)
            raw = await self._measuring.measure(self._task(order, None), place)
        write_atomic(self._base_file(order.trace_id), raw.model_dump_json())
        self._bases[order.trace_id] = raw
        return raw

    async def _base(self, order: RunOrder, copy: WorkCopy) -> Measurements:
        """Return the base's measurements: remembered, read where another process made them, or made again."""
        if order.trace_id in self._bases:
            return self._bases[order.trace_id]
        try:
            return Measurements.model_validate_json(self._base_file(order.trace_id).read_bytes())
        except (FileNotFoundError, ValueError):  # removed, or written by another version
            measured = Measured(copy=copy, commit=order.base, tree=copy.base_tree, stage=Stage.BASE)
            return await self._measure_base(order, measured)

    async def _broken(
        self, order: RunOrder, base: Measurements, raw: Measurements, place: Measured
    ) -> frozenset[str]:
        """Name tests that the quarantine would excuse though the work broke them: red here, green at base."""
        runner = self._python_tests(order)
        if raw.tests is None or runner is None or self._settings.checks.reruns + 1 < STEADY:
            return frozenset()
        red = red_tests(raw.tests, base.tests, order.story.known_red)
        tests = doubtful(red.failures, order.quarantine)
        if not tests:
            return frozenset()
        await check_out_commit(self._folders, place.copy, order.base)
        found = await steadily_green(tests, partial(outcomes_of, runner, place))
        await check_out_commit(self._folders, place.copy, place.commit)
        return found

    def _python_tests(self, order: RunOrder) -> Runner | None:
        """Say how pytest is started; none where the project does not use it."""
        task = self._task(order, None)
        if "pytest" not in task.project.chosen:
            return None
        return self._measuring.plan(task, order.trace_id, self._folders.state).runner()

    async def _located(self, order: RunOrder, judged: Evaluation, measured: Measured) -> Evaluation:
        """If tests fail, find the lines at fault; the tree is checked out again for it."""
        if not judged.failures:
            return judged
        place = await check_out_commit(self._folders, measured.copy, measured.commit)
        tree = measured._replace(copy=measured.copy._replace(path=str(place)))
        changed = await changed_lines(place, order.base, measured.commit)
        return await with_suspects(judged, self._measuring, self._task(order, None), tree, changed)

    def _collected(self, trace: TraceId) -> frozenset[str]:
        """Return the files from which tests were collected at the base, as far as it was measured."""
        base = self._bases.get(trace)
        if base is None:
            try:
                base = Measurements.model_validate_json(self._base_file(trace).read_bytes())
            except (FileNotFoundError, ValueError):  # not measured yet, or by another version
                return frozenset()
        return collected(tests_of(base))

    def _judge(self, story: Story, base: Commit, copy: WorkCopy, weights: Mapping[str, float]) -> Judge:
        return Judge(
            story=story,
            base=base,
            root=repository_of(copy),
            artifacts=self._artifacts,
            weights=weights,
            coverage_goal=self._settings.checks.coverage_goal,
            goals=self._settings.goals,
        )

    def _base_file(self, trace: TraceId) -> Path:
        return kept_of(self._folders.state, trace, "base")
