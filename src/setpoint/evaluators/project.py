"""Measures the trees of a project and judges them by their difference from the base."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.ids import Commit, StoryId, TraceId, Tree, sortable
from setpoint.domain.quarantine import Quarantined
from setpoint.domain.run import RunOrder
from setpoint.domain.story import Story
from setpoint.evaluators.baseline import Measurements, red_tests
from setpoint.evaluators.caches import OF_THE_TREE, forget, trim
from setpoint.evaluators.discovery.detect import (
    Interpreters,
    Project,
    choose,
    find_programs,
    found_leak,
    layout_at,
)
from setpoint.evaluators.discovery.interpreter import find_interpreter, own_interpreter
from setpoint.evaluators.discovery.probes import Probes
from setpoint.evaluators.discovery.unseen import unseen
from setpoint.evaluators.explain.localise import Localiser
from setpoint.evaluators.explain.steady import TIMES, doubtful, steadily_green
from setpoint.evaluators.integrity.guard import Guard, Protection, Seen, parent_of
from setpoint.evaluators.integrity.paths import collected
from setpoint.evaluators.integrity.suppressions import grown
from setpoint.evaluators.integrity.unmasked import bare, run_bare
from setpoint.evaluators.judge import Judge, Reference
from setpoint.evaluators.measuring import Measuring, Task, Told, tests_of
from setpoint.evaluators.place import (
    check_out,
    check_out_commit,
    clone,
    kept_of,
    place_beside,
    place_of,
    remove,
    repository_of,
)
from setpoint.evaluators.standing import EvaluationCache, Standing
from setpoint.evaluators.suites.python import Runner
from setpoint.evaluators.together import end
from setpoint.evaluators.tools.custom import CustomTool, lasting, reasons
from setpoint.ports import Measured, Toolbox, WorkCopy
from setpoint.presets import Via, presets
from setpoint.processes.git import changed_files, changed_lines, contents, files_at, head, tree_of
from setpoint.settings import Settings
from setpoint.store.artifacts import Artifacts
from setpoint.store.files import write_atomic

_Stood = tuple[Project, Measured]


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


class ProjectEvaluator:
    """Runs the checks of one project's runs; holds nothing that a new process could not find again."""

    def __init__(
        self, settings: Settings, artifacts: Artifacts, state: Path, told: Told = lambda *_: None
    ) -> None:
        """Keep raw output and reports in `artifacts`, everything else under `state`.

        `told` is given each check's raw result as soon as it is known.
        """
        self._settings = settings
        self._artifacts = artifacts
        self._state = state
        self._probes = Probes(state / "cache" / "interpreters.json")
        self._measuring = Measuring(settings=settings, artifacts=artifacts, state=state, told=told)
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
        raw = await self._measuring.measure(self._task(order, base), place)
        parent = await parent_of(place.copy.path, measured.commit)
        seen: Seen = self._guard(order, measured.copy).seen(parent, measured.tree)
        judge = replace(judge, broken=await self._broken(order, base, raw, place))
        hidden = await self._hidden(self._task(order, base), place, raw)
        known = Reference(seen=seen, suspects=measured.suspects, hidden=hidden)
        return await self._located(order, await judge.against(base, raw, known), measured)

    async def _hidden(self, task: Task, place: Measured, raw: Measurements) -> dict[str, tuple[str, ...]]:
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
        target = await self._measuring.target(task, there)
        bench = replace(self._measuring.bench(task, place.stage), told=lambda _: None)
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            groups = self._measuring.plan(task, place.copy.trace_id, Path(scratch)).static(target)
            return (await run_bare(groups, there, files, bench)).hidden(raw.results)

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
        self,
        root: Path,
        story: Story | None = None,
        quarantine: tuple[Quarantined, ...] = (),
        *,
        fast: bool = False,
        fresh: bool = False,
    ) -> Evaluation:
        """Measure the user's tree as it stands, uncommitted work included; compared with nothing: all counts.

        It is measured in a place of its own: neither the tree nor the repository is touched. With `fast`
        only those tests run that what has changed since the last whole run can reach; with `fresh` nothing is
        taken from a cache.
        """
        story = story or Story(id=StoryId("check"), title="The tree as it stands")
        standing = Standing(root, self._state / "standing")
        trace = TraceId(sortable("check", datetime.now(UTC)))
        place, evaluations = place_of(self._state, trace), self._state / "cache" / "evaluations"
        with standing.opened() as folder:
            asking = asyncio.create_task(self._interpreters(root))
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
                held = (each.model_dump_json() for each in quarantine)
                parts = (*recorded, story.model_dump_json(), str(fast), *self._decides(await asking), *held)
                kept = EvaluationCache(evaluations, parts)
                if not fresh and (found := kept.get()) is not None:
                    return found
                project, measured = await (stood or standing_at())
                tools = OF_THE_TREE if standing.lasts(folder) else ""
                task = Task(project=project, story=story, fast=fast, fresh=fresh, tools=tools)
                made = await self._alone(task, measured, quarantine)
            finally:
                await end(asking, *ahead)
                await asyncio.to_thread(remove, self._state, trace)
                await asyncio.to_thread(forget, self._state, trace)
            await asyncio.to_thread(trim, self._state)
            if self._lasts(project):
                kept.keep(made)
            return made

    async def _stood(
        self,
        root: Path,
        trace: TraceId,
        tree: Tree,
        committing: Callable[[], Awaitable[Commit]],
        asking: Awaitable[Interpreters],
    ) -> _Stood:
        """Put the tree as it stands into a place for measuring, and look at the project there."""
        commit = await committing()
        copy = WorkCopy(trace_id=trace, path=str(place_of(self._state, trace)), base=commit, base_tree=tree)
        project = await self._look_at(root, copy, commit, asking)
        return project, Measured(copy, commit, tree, Stage.TEST)

    async def _alone(self, task: Task, measured: Measured, quarantine: tuple[Quarantined, ...]) -> Evaluation:
        """Measure a tree that is compared with nothing."""
        measured = measured._replace(stage=Stage.EVALUATE if task.fast else Stage.TEST)
        judge = self._judge(task.story, measured.commit, measured.copy, self._settings.weights)
        reading = asyncio.create_task(judge.whole(measured.commit))  # while the tools run
        try:
            raw = await self._measuring.measure(task, measured)
            return await replace(judge, quarantine=quarantine).alone(raw, await reading)
        finally:
            reading.cancel()

    def _decides(self, both: Interpreters) -> Iterator[str]:
        """Give all that decides what is measured and how, but for the tree; for projects that `_lasts`."""
        settings = self._settings
        yield settings.model_dump_json()
        yield from (f"{each.path} {each.version} {each.fingerprint}" for each in (both.project, both.own))
        for name, asked in settings.check.items():
            tool = CustomTool(
                name=name, asked=asked, project=both.project, imports=(), artifacts=self._artifacts
            )
            yield from tool.identity

    def _lasts(self, project: Project) -> bool:
        """Whether an evaluation holds until the tree, the settings or an interpreter's packages change.

        It does not where anything comes from elsewhere: a server, programs and packages of other languages.
        """
        known, chosen = presets(), project.chosen
        outside = [name for name in chosen if name in known and known[name].via in (Via.NODE, Via.PATH)]
        asking = not all(lasting(asked) for asked in self._settings.check.values())
        return not (outside or asking or project.layout.package_folders or self._settings.sonarqube.url)

    async def _interpreters(self, root: Path) -> Interpreters:
        checks, ask = self._settings.checks, self._probes.ask
        project, own = await asyncio.gather(find_interpreter(root, checks, ask), own_interpreter(ask))
        return Interpreters(project=project, own=own)

    async def _look_at(
        self, root: Path, copy: WorkCopy, base: Commit, asking: Awaitable[Interpreters] | None = None
    ) -> Project:
        """Choose the checks; `asking` gives the interpreters where they are asked already."""
        checks = self._settings.checks
        answer = asyncio.ensure_future(asking or self._interpreters(root))
        if asking is None:
            await answer  # what is no working interpreter is said before anything is made
        tasks = (
            asyncio.create_task(layout_at(repository_of(copy), base)),
            asyncio.create_task(check_out_commit(self._state, copy, base)),
            asyncio.create_task(unseen(repository_of(copy), base)),
        )
        try:
            layout, place, missing = await asyncio.gather(*tasks)
            both = await answer
        finally:  # nothing goes on in a place that may be removed
            await end(*tasks)
        interpreter = both.project
        layout, leak = await found_leak(root, place, interpreter, layout)
        chosen = choose(checks, layout, both)
        programs = await find_programs(root, chosen, both, layout.package_folders)
        chosen |= reasons(self._settings.check, interpreter) | missing
        return Project(
            root=root,
            interpreter=interpreter,
            layout=layout,
            chosen=chosen,
            programs=programs,
            unseen=missing,
            leak=leak,
        )

    def _task(self, order: RunOrder, base: Measurements | None) -> Task:
        return Task(project=self._projects[order.trace_id], story=order.story, base=base)

    async def _measure_base(self, order: RunOrder, measured: Measured) -> Measurements:
        place = await check_out(self._state, measured)
        raw = await self._measuring.measure(self._task(order, None), place)
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
        return self._measuring.plan(task, order.trace_id, self._state).runner()

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
        return collected(tests_of(base))

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
        return kept_of(self._state, trace, "base")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")
