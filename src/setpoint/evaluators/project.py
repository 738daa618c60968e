"""Measures the trees of a project and judges them by their difference from the base."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.evidence import CheckResult, CheckState
from setpoint.domain.ids import Commit, StoryId, TraceId, Tree, sortable
from setpoint.domain.quarantine import Quarantined
from setpoint.domain.run import RunOrder
from setpoint.domain.story import IntegrityMode, Story
from setpoint.evaluators.baseline import Measurements, flaky_tests, new_findings, red_tests
from setpoint.evaluators.cache import ResultCache
from setpoint.evaluators.custom import reasons
from setpoint.evaluators.detect import Interpreters, Project, choose, find_programs, found_leak, layout_at
from setpoint.evaluators.explain.localise import Localiser
from setpoint.evaluators.explain.steady import TIMES, doubtful, steadily_green
from setpoint.evaluators.failures import is_test_path
from setpoint.evaluators.integrity.guard import Guard, Protection, Seen, parent_of
from setpoint.evaluators.integrity.paths import collected, matches
from setpoint.evaluators.integrity.suppressions import grown
from setpoint.evaluators.interpreter import find_interpreter, own_interpreter
from setpoint.evaluators.isolation import Aside
from setpoint.evaluators.judge import Judge, Reference
from setpoint.evaluators.place import (
    check_out,
    check_out_commit,
    place_beside,
    place_of,
    record_current,
    remove,
    repository_of,
)
from setpoint.evaluators.plan import Plan, Target
from setpoint.evaluators.results import unmeasured
from setpoint.evaluators.run import measure, run_group
from setpoint.evaluators.suite import Runner
from setpoint.evaluators.suites.linked import link_packages
from setpoint.evaluators.unmasked import bare, run_bare
from setpoint.ports import Measured, Toolbox, WorkCopy
from setpoint.presets import presets
from setpoint.processes.git import changed_files, changed_lines, contents, files_at, head, tree_of
from setpoint.settings import Settings
from setpoint.store.artifacts import Artifacts
from setpoint.store.files import write_atomic


@dataclass(frozen=True, kw_only=True)
class Survey:
    """With what a project would be measured."""

    python: str
    """The project's interpreter."""
    reason: str
    """Why it was chosen."""
    checks: dict[str, str]
    """Checks that would be made, with the reason for each."""
    missing: dict[str, str]
    """Those of them that are not installed, with what to do."""
    suggested: dict[str, str]
    """Tools that are not used, though a lock file or a CI server names them, with the reason for each."""


@dataclass(frozen=True, kw_only=True)
class _Task:
    """What the measuring of one tree needs to know beside the tree."""

    project: Project
    story: Story
    base: Measurements | None = None
    """What the base gave; none where there is nothing to compare with, and every file counts as changed."""


class ProjectEvaluator:
    """Runs the checks of one project's runs; holds nothing that a new process could not find again."""

    def __init__(self, settings: Settings, artifacts: Artifacts, state: Path) -> None:
        """Keep raw output and reports in `artifacts`, everything else under `state`."""
        self._settings = settings
        self._artifacts = artifacts
        self._state = state
        self._cache = ResultCache(state / "cache" / "checks")
        self._projects: dict[TraceId, Project] = {}
        self._bases: dict[TraceId, Measurements] = {}

    def interpreter(self) -> str:
        """Give the project's interpreter, known after `prepare`; empty before."""
        last = next(reversed(self._projects.values()), None)
        return last.interpreter.path if last else ""

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> Toolbox:
        """Choose the checks for the project; done again when a run is resumed."""
        project = await self._look_at(Path(order.root), copy, order.base)
        self._projects[order.trace_id] = project
        return Toolbox(checks=dict(project.chosen), python=project.interpreter.path)

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Put protected files that the maker changed back as they stood at base; gives their paths."""
        return await self._guard(order, copy).protect()

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree and keep the full report."""
        if order.trace_id not in self._projects:
            await self.prepare(order, measured.copy)
        judge = self._judge(order.story, order.base, measured.copy, order.weights)
        judge = replace(judge, quarantine=order.quarantine)
        if measured.stage is Stage.BASE:
            first = await judge.first(await self._measure_base(order, measured))
            return await self._located(order, first, measured)
        base = await self._base(order, measured.copy)
        place = await check_out(self._state, measured)
        raw = await self._measure(self._task(order, base), place)
        parent = await parent_of(place.copy.path, measured.commit)
        seen: Seen = self._guard(order, measured.copy).seen(parent, measured.tree)
        judge = replace(judge, broken=await self._broken(order, base, raw, place))
        hidden = await self._hidden(self._task(order, base), place, raw)
        known = Reference(seen=seen, suspects=measured.suspects, hidden=hidden)
        return await self._located(order, await judge.against(base, raw, known), measured)

    async def _hidden(self, task: _Task, place: Measured, raw: Measurements) -> dict[str, tuple[str, ...]]:
        """Say what suppressions hide that the work brought in, by path."""
        root, base = place.copy.path, task.base
        if base is None:
            return {}
        changed = await changed_files(root, base.commit, place.commit)
        before = {path: _text(held) for path, held in (await contents(root, base.commit, changed)).items()}
        after = {path: _text(held) for path, held in (await contents(root, place.commit, changed)).items()}
        new = await asyncio.to_thread(grown, before, after)
        if not new or raw.stage is Stage.BASE:
            return {}
        folder = place_beside(place_of(self._state, place.copy.trace_id), "bare")
        there, files = await bare(folder, place, new, after)
        target = await _target(task, there)
        cache = None if place.stage is Stage.CONFIRM else self._cache
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            groups = self._plan(task, place.copy.trace_id, Path(scratch)).static(target)
            return (await run_bare(groups, there, files, cache)).hidden(raw.results)

    async def survey(self, root: Path) -> Survey:
        """Say with what the project's last commit would be measured, and measure nothing."""
        trace = TraceId(sortable("check", datetime.now(UTC)))
        base = await head(root)
        copy = WorkCopy(trace_id=trace, path=str(root), base=base, base_tree=await tree_of(root, base))
        try:
            project = await self._look_at(root, copy, copy.base)
        finally:
            await asyncio.to_thread(remove, self._state, trace)
        interpreter = project.interpreter
        chosen = dict(project.chosen)
        suggested = {name: why for name, why in project.layout.suggested.items() if name not in chosen}
        return Survey(
            python=interpreter.path,
            reason=interpreter.reason,
            checks=chosen,
            missing=project.missing,
            suggested=suggested,
        )

    async def measure_tree(
        self, root: Path, story: Story | None = None, quarantine: tuple[Quarantined, ...] = ()
    ) -> Evaluation:
        """Measure the user's tree as it stands, uncommitted work included; compared with nothing: all counts.

        It is measured in a place of its own: neither the tree nor the repository is touched.
        """
        story = story or Story(id=StoryId("check"), title="The tree as it stands")
        trace = TraceId(sortable("check", datetime.now(UTC)))
        place = place_of(self._state, trace)
        try:
            commit = await record_current(root, place)
            tree = await tree_of(place, commit)
            copy = WorkCopy(trace_id=trace, path=str(place), base=commit, base_tree=tree)
            project = await self._look_at(root, copy, commit)
            measured = Measured(copy=copy, commit=commit, tree=tree, stage=Stage.TEST)
            raw = await self._measure(_Task(project=project, story=story), measured)
            judge = self._judge(story, commit, copy, self._settings.weights)
            return await replace(judge, quarantine=quarantine).alone(raw)
        finally:
            await asyncio.to_thread(remove, self._state, trace)

    async def _look_at(self, root: Path, copy: WorkCopy, base: Commit) -> Project:
        checks = self._settings.checks
        interpreter, own = await asyncio.gather(find_interpreter(root, checks), own_interpreter())
        layout = await layout_at(repository_of(copy), base)
        place = await check_out_commit(self._state, copy, base)
        layout, leak = await found_leak(root, place, interpreter, layout)
        both = Interpreters(project=interpreter, own=own)
        chosen = choose(checks, layout, both)
        programs = await find_programs(root, chosen, both, layout.package_folders)
        chosen |= reasons(self._settings.check, interpreter)
        return Project(
            root=root, interpreter=interpreter, layout=layout, chosen=chosen, programs=programs, leak=leak
        )

    def _task(self, order: RunOrder, base: Measurements | None) -> _Task:
        return _Task(project=self._projects[order.trace_id], story=order.story, base=base)

    async def _measure_base(self, order: RunOrder, measured: Measured) -> Measurements:
        place = await check_out(self._state, measured)
        raw = await self._measure(self._task(order, None), place)
        write_atomic(self._base_file(order.trace_id), raw.model_dump_json())
        self._bases[order.trace_id] = raw
        return raw

    async def _base(self, order: RunOrder, copy: WorkCopy) -> Measurements:
        """Give the base's measurements: remembered, read where another process made them, or made again."""
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
        if raw.tests is None or runner is None or self._settings.checks.reruns + 1 < TIMES:
            return frozenset()
        red = red_tests(raw.tests, base.tests, order.story.known_red)
        tests = doubtful(red.failures, order.quarantine)
        if not tests:
            return frozenset()
        await check_out_commit(self._state, place.copy, order.base)
        found = await steadily_green(runner, place, tests)
        await check_out_commit(self._state, place.copy, place.commit)
        return found

    def _python_tests(self, order: RunOrder) -> Runner | None:
        """Say how pytest is started; none where the project does not use it."""
        task = self._task(order, None)
        if "pytest" not in task.project.chosen:
            return None
        return self._plan(task, order.trace_id, self._state).runner()

    async def _located(self, order: RunOrder, judged: Evaluation, measured: Measured) -> Evaluation:
        """Where tests are red, look which lines are at fault; the tree is checked out anew for it."""
        runner = self._python_tests(order)
        if not judged.failures or runner is None:
            return judged
        place = await check_out_commit(self._state, measured.copy, measured.commit)
        localiser = Localiser(
            runner=runner,
            limit_s=self._settings.failures.localise_s,
            files=await files_at(place, measured.commit),
            changed=await changed_lines(place, order.base, measured.commit),
        )
        tree = measured._replace(copy=measured.copy._replace(path=str(place)))
        found = await localiser.look(tree, judged.failures)
        return judged.model_copy(update={"suspects": found.suspects, "localised": found.how})

    async def _measure(self, task: _Task, place: Measured) -> Measurements:
        target = await _target(task, place)
        await asyncio.to_thread(_link, task.project, Path(place.copy.path))
        cache = None if place.stage is Stage.CONFIRM else self._cache
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            plan = self._plan(task, place.copy.trace_id, Path(scratch))
            parsed = await run_group(plan.parse(target), place, cache)
            if _breaks(parsed, task.base):
                rest = _left_out(place.tree, plan, target)
            else:
                rest = await measure(place, plan.static(target), plan.tests(target), cache)
        return Measurements(stage=place.stage, commit=place.commit, tree=place.tree, results=(*parsed, *rest))

    def _plan(self, task: _Task, trace: TraceId, scratch: Path) -> Plan:
        return Plan(
            project=task.project,
            settings=self._settings,
            artifacts=self._artifacts,
            story=task.story,
            scratch=scratch,
            cache=self._state / "cache" / "tools" / trace,
        )

    def _guard(self, order: RunOrder, copy: WorkCopy) -> Guard:
        named = (*order.story.protected, *self._settings.integrity.protected)
        if self._settings.failures.quarantine_file:
            named = (*named, self._settings.failures.quarantine_file)
        protection = Protection(
            mode=order.story.integrity,
            named=named,
            granted=order.story.granted,
            tests=self._collected(order.trace_id),
        )
        return Guard(self._state, copy, order.base, protection)

    def _collected(self, trace: TraceId) -> frozenset[str]:
        """Give the files from which tests were collected at the base, as far as it was measured."""
        base = self._bases.get(trace)
        if base is None:
            try:
                base = Measurements.model_validate_json(self._base_file(trace).read_bytes())
            except (FileNotFoundError, ValueError):  # not measured yet, or by another version
                return frozenset()
        return collected(_ran(base))

    def _judge(self, story: Story, base: Commit, copy: WorkCopy, weights: Mapping[str, float]) -> Judge:
        return Judge(
            story=story,
            base=base,
            root=repository_of(copy),
            artifacts=self._artifacts,
            weights=weights,
            coverage_goal=self._settings.checks.coverage_goal,
        )

    def _base_file(self, trace: TraceId) -> Path:
        return self._state / "measured" / f"{trace}.base.json"


async def _target(task: _Task, place: Measured) -> Target:
    files = await files_at(place.copy.path, place.commit)
    base = task.base
    changed = files if base is None else await changed_files(place.copy.path, base.commit, place.commit)
    return Target(
        stage=place.stage,
        files=files,
        changed=frozenset(changed),
        suspects=place.suspects,
        settled=base.tests.red if base is not None and base.tests is not None else frozenset(),
        shaky=frozenset(flaky_tests(base.tests)) if base is not None and base.tests else frozenset(),
        aside=None if base is None else _aside(task.story, place, base, changed),
    )


def _aside(story: Story, place: Measured, base: Measurements, changed: Iterable[str]) -> Aside | None:
    """Say what has to be set aside, so that nothing the work did to the tests reaches those of the base."""
    known = _ran(base)
    if story.integrity is IntegrityMode.FREE or not known:
        return None
    of_tests = collected(known)
    paths = [path for path in changed if is_test_path(path) or path in of_tests]
    paths = [path for path in paths if not matches(path, story.granted)]
    if not paths:
        return None
    beside = place_beside(Path(place.copy.path), "tests")
    return Aside(place=beside, base=base.commit, paths=tuple(paths), known=known)


def _ran(base: Measurements) -> frozenset[str]:
    """Give the tests of the base that a Python runner of ours ran."""
    made = [base.result(name) for name in ("pytest", "unittest")]
    return frozenset(test for each in made if each and each.tests for test in each.tests.outcomes)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _link(project: Project, place: Path) -> None:
    """Bring the packages that the user has installed to the measured tree."""
    folders, committed = project.layout.package_folders, project.layout.committed_packages
    link_packages(project.root, place, folders, committed)


def _left_out(tree: Tree, plan: Plan, target: Target) -> tuple[CheckResult, ...]:
    groups = (*plan.static(target), *plan.tests(target))
    names = [check.name for group in groups for check in group.checks]
    feeds = {name: preset.feeds for name, preset in presets().items()}
    reason = "not run: the tree does not parse"
    return tuple(unmeasured(name, tree, reason, feeds=feeds.get(name, ())) for name in names)


def _breaks(parsed: tuple[CheckResult, ...], base: Measurements | None) -> bool:
    """Whether the work made files that do not parse; those of the base are its own affair."""
    if base is None or any(result.state is CheckState.ERROR for result in parsed):
        return False
    stood = base.result("parse")
    found = [finding for result in parsed for finding in result.findings]
    return bool(new_findings(found, stood.findings if stood else ()))
