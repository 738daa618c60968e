"""Measures the trees of a project and judges them by their difference from the base."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from setpoint.domain.evaluation import Evaluation, Stage
from setpoint.domain.evidence import CheckResult, CheckState
from setpoint.domain.ids import Commit, TraceId, Tree
from setpoint.domain.run import RunOrder
from setpoint.domain.story import KnownRed, Story
from setpoint.evaluators.baseline import Measurements, new_findings
from setpoint.evaluators.cache import ResultCache
from setpoint.evaluators.detect import Project, choose, found_leak, layout_at
from setpoint.evaluators.integrity.guard import Guard, Seen, parent_of
from setpoint.evaluators.interpreter import find_interpreter, own_interpreter
from setpoint.evaluators.judge import Judge, Reference
from setpoint.evaluators.place import check_out, check_out_commit
from setpoint.evaluators.plan import Plan, Target
from setpoint.evaluators.results import unmeasured
from setpoint.evaluators.run import measure, run_group
from setpoint.ports import Measured, WorkCopy
from setpoint.processes.git import changed_files, files_at, tree_of
from setpoint.settings import Settings
from setpoint.store.artifacts import Artifacts
from setpoint.store.files import write_atomic


class ProjectEvaluator:
    """Runs the checks of one project's runs; keeps no state that a new process could not find again."""

    def __init__(self, settings: Settings, artifacts: Artifacts, state: Path) -> None:
        """Keep raw output and reports in `artifacts`, everything else under `state`."""
        self._settings = settings
        self._artifacts = artifacts
        self._state = state
        self._cache = ResultCache(state / "cache" / "checks")
        self._projects: dict[TraceId, Project] = {}

    def interpreter(self) -> str:
        """Give the project's interpreter, known after `prepare`; empty before."""
        last = next(reversed(self._projects.values()), None)
        return last.interpreter.path if last else ""

    async def prepare(self, order: RunOrder, copy: WorkCopy) -> dict[str, str]:
        """Choose the checks for the project, with a reason for each; done again when a run is resumed."""
        project = await self._look_at(Path(order.root), copy, order.base)
        self._projects[order.trace_id] = project
        return dict(project.chosen)

    async def protect(self, order: RunOrder, copy: WorkCopy) -> tuple[str, ...]:
        """Put protected files that the maker changed back as they stood at base; gives their paths."""
        return await self._guard(order, copy).protect()

    async def evaluate(self, order: RunOrder, measured: Measured) -> Evaluation:
        """Measure a tree and keep the full report."""
        if order.trace_id not in self._projects:
            await self.prepare(order, measured.copy)
        if measured.stage is Stage.BASE:
            base = await self._measure_base(order, measured)
            return await self._judge(order, measured.copy).first(base)
        base = await self._base(order, measured.copy)
        place = await check_out(self._state, measured)
        settled = _settled(base, order.story.known_red)
        raw = await self._measure(order, place, base=base, settled=settled)
        seen = await self._seen(order, measured)
        judge = self._judge(order, place.copy)
        return await judge.against(base, raw, Reference(seen=seen, suspects=measured.suspects))

    async def measure_tree(self, root: Path, commit: Commit, story: Story) -> Evaluation:
        """Measure a commit of the user's repository once, compared with nothing: every finding counts."""
        raise NotImplementedError

    async def _look_at(self, root: Path, copy: WorkCopy, base: Commit) -> Project:
        checks = self._settings.checks
        interpreter, own = await asyncio.gather(find_interpreter(root, checks), own_interpreter())
        layout = await layout_at(copy.path, base)
        place = await check_out_commit(self._state, copy, base)
        layout, leak = await found_leak(root, place, interpreter, layout)
        chosen = choose(checks, layout, interpreter, own)
        return Project(interpreter=interpreter, own=own, layout=layout, chosen=chosen, leak=leak)

    async def _measure_base(self, order: RunOrder, measured: Measured) -> Measurements:
        raw = await self._measure(
            order, await check_out(self._state, measured), base=None, settled=frozenset()
        )
        write_atomic(self._base_file(order.trace_id), raw.model_dump_json())
        return raw

    async def _base(self, order: RunOrder, copy: WorkCopy) -> Measurements:
        """Give the base's measurements; made again where somebody removed them."""
        try:
            return Measurements.model_validate_json(self._base_file(order.trace_id).read_bytes())
        except (FileNotFoundError, ValueError):  # removed, or written by another version
            tree = await tree_of(copy.path, order.base)
            return await self._measure_base(
                order, Measured(copy=copy, commit=order.base, tree=tree, stage=Stage.BASE)
            )

    async def _measure(
        self, order: RunOrder, place: Measured, *, base: Measurements | None, settled: frozenset[str]
    ) -> Measurements:
        files = await files_at(place.copy.path, place.commit)
        changed = files if base is None else await changed_files(place.copy.path, order.base, place.commit)
        target = Target(
            stage=place.stage,
            files=files,
            changed=frozenset(changed),
            suspects=place.suspects,
            settled=settled,
        )
        cache = None if place.stage is Stage.CONFIRM else self._cache
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            plan = self._plan(order, Path(scratch))
            parsed = await run_group(plan.parse(target), place, cache)
            if _breaks(parsed, base):
                rest = self._left_out(place.tree, plan, target)
            else:
                rest = await measure(place, plan.static(target), plan.tests(target), cache)
        return Measurements(stage=place.stage, commit=place.commit, tree=place.tree, results=(*parsed, *rest))

    def _left_out(self, tree: Tree, plan: Plan, target: Target) -> tuple[CheckResult, ...]:
        groups = (*plan.static(target), *plan.tests(target))
        names = [check.name for group in groups for check in group.checks]
        return tuple(unmeasured(name, tree, "not run: the tree does not parse") for name in names)

    def _plan(self, order: RunOrder, scratch: Path) -> Plan:
        return Plan(
            project=self._projects[order.trace_id],
            settings=self._settings,
            artifacts=self._artifacts,
            story=order.story,
            scratch=scratch,
            cache=self._state / "cache" / "tools" / order.trace_id,
        )

    async def _seen(self, order: RunOrder, measured: Measured) -> Seen:
        parent = await parent_of(measured.copy.path, measured.commit)
        return self._guard(order, measured.copy).seen(parent, measured.tree)

    def _guard(self, order: RunOrder, copy: WorkCopy) -> Guard:
        named = (*order.story.protected, *self._settings.integrity.protected)
        return Guard(self._state, copy, order.base, order.story.integrity, named)

    def _judge(self, order: RunOrder, copy: WorkCopy) -> Judge:
        return Judge(
            story=order.story,
            base=order.base,
            root=Path(copy.path),
            artifacts=self._artifacts,
            weights=order.weights,
            coverage_goal=self._settings.checks.coverage_goal,
        )

    def _base_file(self, trace: TraceId) -> Path:
        return self._state / "measured" / f"{trace}.base.json"


def _breaks(parsed: tuple[CheckResult, ...], base: Measurements | None) -> bool:
    """Whether the work made files that do not parse; those of the base are its own affair."""
    if any(result.state is CheckState.ERROR for result in parsed):
        return False
    stood = base.result("parse") if base else None
    found = [finding for result in parsed for finding in result.findings]
    return base is not None and bool(new_findings(found, stood.findings if stood else ()))


def _settled(base: Measurements, known_red: KnownRed) -> frozenset[str]:
    return frozenset() if base.tests is None or known_red is KnownRed.FIX else base.tests.red
