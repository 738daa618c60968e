"""Measures the trees of a project and judges them by their difference from the base."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.ids import Commit, StoryId, TraceId, sortable
from setpoint.domain.run import RunOrder
from setpoint.domain.story import Story
from setpoint.evaluators.baseline import Measurements
from setpoint.evaluators.custom import CustomTool, reasons
from setpoint.evaluators.detect import Project, choose, found_leak, layout_at
from setpoint.evaluators.integrity.guard import Guard, Seen, parent_of
from setpoint.evaluators.interpreter import Interpreter, find_interpreter, own_interpreter
from setpoint.evaluators.judge import Judge, Reference
from setpoint.evaluators.measuring import Measuring, Task, Told
from setpoint.evaluators.place import check_out, check_out_commit, place_of, remove, repository_of
from setpoint.evaluators.probes import Probes
from setpoint.evaluators.standing import EvaluationCache, Standing
from setpoint.ports import Measured, Toolbox, WorkCopy
from setpoint.processes.git import head, tree_of
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
        if measured.stage is Stage.BASE:
            return await judge.first(await self._measure_base(order, measured))
        base = await self._base(order, measured.copy)
        place = await check_out(self._state, measured)
        raw = await self._measuring.measure(self._task(order, base), place)
        parent = await parent_of(place.copy.path, measured.commit)
        seen: Seen = self._guard(order, measured.copy).seen(parent, measured.tree)
        return await judge.against(base, raw, Reference(seen=seen, suspects=measured.suspects))

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
        return Survey(python=interpreter.path, reason=interpreter.reason, checks=dict(project.chosen))

    async def measure_tree(
        self, root: Path, story: Story | None = None, *, fast: bool = False, fresh: bool = False
    ) -> Evaluation:
        """Measure the user's tree as it stands, uncommitted work included; compared with nothing: all counts.

        It is measured in a place of its own: neither the tree nor the repository is touched. With `fast`
        only those tests run that what has changed since the last whole run can reach; with `fresh` nothing is
        taken from a cache.
        """
        story = story or Story(id=StoryId("check"), title="The tree as it stands")
        standing = Standing(root, self._state / "standing")
        with standing.opened() as folder:
            recorded, both = await asyncio.gather(standing.record(folder), self._interpreters(root))
            parts = (*recorded, story.model_dump_json(), str(fast), *self._decides(both))
            kept = EvaluationCache(self._state / "cache" / "evaluations", parts)
            if not fresh and (found := kept.get()) is not None:
                return found
            trace = TraceId(sortable("check", datetime.now(UTC)))
            place = place_of(self._state, trace)
            try:
                commit = await standing.committed(folder, place, recorded)
                copy = WorkCopy(trace_id=trace, path=str(place), base=commit, base_tree=recorded[1])
                project = await self._look_at(root, copy, commit)
                task = Task(project=project, story=story, fast=fast, fresh=fresh)
                stage = Stage.EVALUATE if fast else Stage.TEST
                raw = await self._measuring.measure(task, Measured(copy, commit, recorded[1], stage))
                made = await self._judge(story, commit, copy, self._settings.weights).alone(raw)
            finally:
                await asyncio.to_thread(remove, self._state, trace)
            kept.keep(made)
            return made

    def _decides(self, both: tuple[Interpreter, Interpreter]) -> Iterator[str]:
        """Give all that decides what is measured and how, but for the tree."""
        settings = self._settings
        yield from (
            settings.checks.model_dump_json(),
            settings.integrity.model_dump_json(),
            repr(settings.weights),
        )
        yield from (f"{each.path} {each.version} {each.fingerprint}" for each in both)
        for name, asked in settings.check.items():
            tool = CustomTool(name=name, asked=asked, project=both[0], imports=(), artifacts=self._artifacts)
            yield from tool.identity

    async def _interpreters(self, root: Path) -> tuple[Interpreter, Interpreter]:
        ask = self._probes.ask
        return await asyncio.gather(find_interpreter(root, self._settings.checks, ask), own_interpreter(ask))

    async def _look_at(self, root: Path, copy: WorkCopy, base: Commit) -> Project:
        checks = self._settings.checks
        interpreter, own = await self._interpreters(root)
        layout = await layout_at(repository_of(copy), base)
        place = await check_out_commit(self._state, copy, base)
        layout, leak = await found_leak(root, place, interpreter, layout)
        chosen = {
            **choose(checks, layout, interpreter, own),
            **reasons(self._settings.check, interpreter),
        }
        return Project(interpreter=interpreter, own=own, layout=layout, chosen=chosen, leak=leak)

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

    def _guard(self, order: RunOrder, copy: WorkCopy) -> Guard:
        named = (*order.story.protected, *self._settings.integrity.protected)
        return Guard(self._state, copy, order.base, order.story.integrity, named)

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
