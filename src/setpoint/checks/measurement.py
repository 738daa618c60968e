"""Measuring one tree: which checks, on which files and tests, and what is remembered of it for the next."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from setpoint.checks.baseline import Measurements, new_findings
from setpoint.checks.built_files import GENERATED, bring
from setpoint.checks.cache.durations import Pace
from setpoint.checks.cache.eviction import SHARED, tools_of
from setpoint.checks.cache.results import ResultCache
from setpoint.checks.discovery.installed_files import installed_files
from setpoint.checks.discovery.linked_packages import link_packages
from setpoint.checks.discovery.project import Project
from setpoint.checks.discovery.workspaces import Touched
from setpoint.checks.flaky.flaky import flaky_tests
from setpoint.checks.goals.performance import Compared
from setpoint.checks.impact import Impact, Reach, ReachFile, choose, fitting
from setpoint.checks.needs.kept_elsewhere import with_parts
from setpoint.checks.needs.veil import veil_of
from setpoint.checks.old_tests.cannot_run import with_faults
from setpoint.checks.old_tests.places import PYTHON, Aside, side_of_tests
from setpoint.checks.old_tests.second_run import with_unstable
from setpoint.checks.plan import Plan
from setpoint.checks.results import unmeasured
from setpoint.checks.run import Bench, Group, measure, run_group
from setpoint.checks.suites.git_hooks import git_hooks
from setpoint.checks.suites.order_dependence import Footing
from setpoint.checks.suites.own_count import INPUTS, own_count
from setpoint.checks.suites.package_suite import owner
from setpoint.checks.suites.touched_packages import MOST_EARLY as MOST_PACKAGES
from setpoint.checks.suites.touched_packages import share_of, touched_tests
from setpoint.checks.target import Target
from setpoint.checks.told_apart import FullCopy
from setpoint.checks.trees.checkout import commit_of, place_beside, repository_of
from setpoint.checks.trees.watched_files import WatchedFiles
from setpoint.checks.unreached_code import with_unreached
from setpoint.model.changes.path_globs import matches
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import OWN_COMMAND, SUITES, CheckResult, CheckState
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.model.proof import Obligation
from setpoint.model.stories.story import Story
from setpoint.ports import Measured
from setpoint.presets import presets
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.git.git import blobs_at, changed_files, contents_of
from setpoint.system.git.repository_names import show_names
from setpoint.system.git.separate_repository import repository_apart
from setpoint.system.processes.hold import ambient

STALE = 0.25
"""Where a change reaches more than this share of the suite's time, the next whole run makes a new map."""

CheckListener = Callable[[Stage, CheckResult | Obligation], None]
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
    since: Commit | None = None
    """From where a fast measurement without a base counts what changed; none: every package counts."""
    tools: str = ""
    """Whose caches of the tools are used; empty: those of the run."""


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """Measures trees of one project."""

    settings: Settings
    artifacts: Artifacts
    state: Path
    told: CheckListener = lambda *_: None

    async def measure(self, task: Task, place: Measured) -> Measurements:
        """Run the checks of a stage on a tree that is checked out."""
        bench = self.bench(task, place.stage)
        lack = await _furnished(task.project, Path(place.copy.path))
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            plan = self.plan(task, place.copy.trace_id, Path(scratch))
            target = await self.target(task, place)
            results = await self._results(plan, target, place, task, bench)
            results += (unmeasured(GENERATED, place.tree, lack),) if lack else ()
            made = Measurements(stage=place.stage, commit=place.commit, tree=place.tree, results=results)
            if task.base is None and not task.fast:
                mine = _second_place(task, place, "mine")
                full = FullCopy(plan=plan, target=target, measured=place, place=mine, told=bench.told)
                made = await full.told_apart(made)
            if place.stage is Stage.BASE:
                made = await with_unreached(plan, target, place, made, task.story)
                made = await with_faults(made, place, task.project.root, task.story.wish)
                there = _second_place(task, place, "again")
                made = await with_unstable(plan.suites(target), made, place, there, bench)
            await asyncio.to_thread(self._remember, task, target, plan, made)
        await asyncio.to_thread(bench.pace.keep)
        return made

    async def _results(
        self, plan: Plan, target: Target, place: Measured, task: Task, bench: Bench
    ) -> tuple[CheckResult, ...]:
        """Run all checks; where the work made files that do not parse, no more than that is found out."""
        base = task.base
        heard, hooks = list[CheckResult](), self._hooks(plan, target, task, place)
        tests = (*plan.tests(target), *self.own_count(plan, target, heard, base))
        if base is None:  # with nothing to compare with, nothing has to wait for it
            static = (plan.parse(target), *plan.static(target), *hooks)
            return await measure(place, static, tests, bench.also(heard.append))
        parsed = await run_group(plan.parse(target), place, bench)
        if _breaks(parsed, base):
            return (*parsed, *_left_out(place.tree, plan, target))
        static = (*plan.static(target), *hooks)
        return (*parsed, *await measure(place, static, tests, bench.also(heard.append)))

    def _hooks(self, plan: Plan, target: Target, task: Task, place: Measured) -> tuple[Group, ...]:
        """Run the user's pre-commit hook on what differs from the base; a confirmation has its answer."""
        since = task.base.commit if task.base else task.since
        unasked = (
            task.fast or target.stage in (Stage.BASE, Stage.CONFIRM) or not self.settings.checks.git_hooks
        )
        if unasked or since is None or since == place.commit:
            return ()
        limit_s = self.settings.checks.timeout_s
        found = git_hooks(plan.project, self.artifacts, limit_s, since, partial(furnish, task.project))
        return (found.group,) if found else ()

    def own_count(
        self, plan: Plan, target: Target, heard: Sequence[CheckResult], base: Measurements | None
    ) -> tuple[Group, ...]:
        """Compare what is read with the own command; `heard` is looked at when the tests have run.

        After a change it runs once more where its exit code says more than the tests, and was 0 at the base.
        """
        if target.stage is Stage.EVALUATE or not self.settings.checks.own_command:
            return ()
        if base is not None:
            stood = base.result(OWN_COMMAND)
            asks = plan.project.layout.gate and target.stage is Stage.TEST
            if not asks or stood is None or stood.evidence.exit_code != 0:
                return ()
        limit_s, digest = self.settings.checks.timeout_s, target.digest(INPUTS)
        return tuple(own_count(plan.project, plan.artifacts, limit_s, digest, heard))

    def bench(self, task: Task, stage: Stage) -> Bench:
        """Say where results are kept, and who receives them."""
        kept = ResultCache(self.state / "cache" / "checks")
        cold = task.fresh or stage is Stage.CONFIRM
        pace = Pace(self.state / "cache" / "pace.json")
        compared = stage is Stage.BASE or (task.base is not None and stage is not Stage.EVALUATE)
        return Bench(
            cache=None if cold else kept,
            pace=pace,
            told=lambda result: self.told(stage, result),
            veil=veil_of(task.project.root, task.project.needs).result,
            watch=WatchedFiles(installed_files(task.project).writable(ambient())) if compared else None,
        )

    async def target(self, task: Task, place: Measured) -> Target:
        """Say what of a tree is measured: its files, what of them changed, and which tests are run."""
        root, base = place.copy.path, task.base
        files = await blobs_at(root, place.commit)
        changed = files if base is None else await changed_files(root, base.commit, place.commit)
        tests = base.tests if base is not None else None
        target = Target(
            stage=place.stage,
            files=files,
            changed=frozenset(changed),
            suspects=place.suspects,
            only=None,
            settled=tests.red if tests else frozenset(),
            shaky=frozenset(flaky_tests(tests)) if tests else frozenset(),
            aside=None if base is None else await _aside(task, place, base, changed),
            compared=self._compared(task, place),
            touched=await self._touched(task, place),
            fast=task.fast,
        )
        own_s = None if task.fast else _suites_s(task.base)
        if place.stage is Stage.EVALUATE and own_s is not None and own_s <= self.settings.checks.evaluate_s:
            return replace(target, whole=True)
        return await self._with_tests(target, task, place)

    async def _touched(self, task: Task, place: Measured) -> Touched | None:
        """Say which packages a change reaches, where not everything has to be measured."""
        known, since = task.project.layout.workspaces, task.base.commit if task.base else task.since
        if place.stage is not Stage.EVALUATE or not known.several or since is None:
            return None
        if since == place.commit and task.base is None:
            return None  # at the base itself the tests that failed decide what runs
        return known.touched(await changed_files(place.copy.path, since, place.commit))

    def _compared(self, task: Task, place: Measured) -> Compared | None:
        """Say where the trees lie on which commands are timed; none where no goal names one."""
        if place.stage is Stage.EVALUATE or not self.settings.goals.overlaid(task.story.goals).timed:
            return None
        return Compared(
            repository=repository_of(place.copy),
            base=task.base.commit if task.base else None,
            link=partial(furnish, task.project),
        )

    async def _with_tests(self, target: Target, task: Task, place: Measured) -> Target:
        """Choose the tests of Python: all, or those that a change can reach and those that failed before."""
        early = place.stage is Stage.EVALUATE
        suspects = {test for test in place.suspects if not owner(test, task.project.chosen)}
        if place.stage is Stage.CONFIRM or "pytest" not in task.project.chosen:
            if not early or task.fast:
                return target
            footing = await self._footing(None, task, place)
            return replace(target, only=tuple(sorted(suspects)), footing=footing)
        if task.project.layout.test_roots:
            return await self._of_packages(target, suspects, task, place) if early else target
        reach = await asyncio.to_thread(self._map(task.project).load, target.files)
        impact = await self._impact(reach, task, place, target.files)
        if reach is not None and task.base is None and not task.fresh:
            target = replace(target, known=frozenset(reach.red))
        if not early:
            stale = impact.everything or impact.share > STALE
            return replace(target, record=stale and target.aside is None)
        if task.fast and (reach is None or impact.everything):
            return replace(target, record=reach is None)
        named = {*impact.names, *(reach.red if reach else ())} if task.fast else set[str]()
        own_s, most_s = None if task.fast else _suites_s(task.base), self.settings.checks.evaluate_s
        if own_s and reach is not None:
            named = {*fitting(reach, impact, most_s / own_s)}
            left = len(reach.raw.durations) - len(named)
            words = f"{len(named)} tests that fit {most_s:g} s, those that the change reaches first"
            target = replace(target, left=f"{words}; {left} wait for the test phase" if left else "")
        there = {each for each in named if each.partition("::")[0] in target.files}
        footing = await self._footing(reach, task, place)
        return replace(target, only=tuple(sorted(there | suspects)), footing=footing)

    async def _of_packages(self, target: Target, suspects: set[str], task: Task, place: Measured) -> Target:
        """Choose the tests of the packages that a change touches, where each runs pytest by itself."""
        layout, touched = task.project.layout, target.touched
        whole = touched is None or touched.everything
        if task.fast and whole:
            return target
        named: set[str] = set()
        if touched is not None and not whole and (task.fast or share_of(layout, touched) <= MOST_PACKAGES):
            named = {*touched_tests(layout, touched, target.files)}
        footing = await self._footing(None, task, place)
        return replace(target, only=tuple(sorted(named | suspects)), footing=footing)

    async def _footing(self, reach: Reach | None, task: Task, place: Measured) -> Footing | None:
        """Say where a selection is compared: at the base, or else at the tree of the map."""
        root, tests = Path(place.copy.path), task.base.tests if task.base is not None else None
        if task.base is not None and tests is not None:
            commit, repository = task.base.commit, repository_of(place.copy)
            known, failures = tests.outcomes.keys() - tests.red, tests.failures
        elif reach is not None and (made := await commit_of(root, reach.tree)) is not None:
            commit, repository = made, root
            known, failures = reach.raw.tests.keys() - set(reach.red), ()
        else:
            return None
        return Footing(
            place=place_beside(root, "base"),
            repository=repository,
            commit=commit,
            known=frozenset(known),
            failures=failures,
            link=partial(furnish, task.project),
        )

    async def _impact(
        self, reach: Reach | None, task: Task, place: Measured, files: Mapping[str, str]
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
            self._map(task.project).keep(plan.reach, made.tree, target.files, tests.tests.red)

    def _map(self, project: Project) -> ReachFile:
        decides = (
            project.interpreter.fingerprint,
            *project.layout.imports,
            *self.settings.checks.pytest_args,
        )
        return ReachFile(self.state / "cache" / "reach", decides)

    def plan(self, task: Task, trace: TraceId, scratch: Path) -> Plan:
        """Make the checks of a project; `scratch` is for what they hand to each other."""
        return Plan(
            project=task.project,
            settings=self.settings,
            artifacts=veil_of(task.project.root, task.project.needs).artifacts(self.artifacts),
            story=task.story,
            scratch=scratch,
            cache=tools_of(self.state, task.tools or trace),
            shared=tools_of(self.state, SHARED),
            fresh=task.fresh,
        )


def _suites_s(base: Measurements | None) -> float | None:
    """Return the seconds that the suites of the base took; none where none was measured."""
    taken = (
        [each.evidence.duration_s for each in base.results if each.evidence.check in SUITES] if base else []
    )
    return sum(taken) if taken else None


async def _aside(task: Task, place: Measured, base: Measurements, changed: Iterable[str]) -> Aside | None:
    """Say what is as it was at the base where its tests run; what a person released is not."""
    suites = (each for each in base.results if each.evidence.check in SUITES)
    stood = {each.evidence.check: each.tests for each in suites if each.tests is not None}
    if not stood:
        return None
    root, known = Path(place.copy.path), tests_of(base)
    kept = [path for path in changed if not matches(path, task.story.may_change)]
    every = [test for report in stood.values() for test in report.outcomes]
    side = await side_of_tests(root, base.commit, place.commit, kept, every)
    if not side.paths and not side.inline:
        return None
    return Aside(
        place=place_beside(root, "tests"),
        base=base.commit,
        paths=side.paths,
        known=known,
        inline=side.inline,
        reaching=side.reaching,
        stood=stood,
        link=partial(furnish, task.project),
    )


def _second_place(task: Task, place: Measured, name: str) -> Footing:
    """Say where a tree lies when its tests run a second time."""
    return Footing(
        place=place_beside(Path(place.copy.path), name),
        repository=repository_of(place.copy),
        commit=place.commit,
        known=frozenset(),
        link=partial(furnish, task.project),
    )


def tests_of(base: Measurements) -> frozenset[str]:
    """Return the tests of the base that a Python runner of ours ran."""
    made = [base.result(name) for name in PYTHON]
    return frozenset(test for each in made if each and each.tests for test in each.tests.outcomes)


async def furnish(project: Project, place: Path) -> None:
    """Bring to a measured tree what belongs to it and git does not hold there.

    These are branch and remotes, submodules, files of git LFS, installed packages, and ignored files that
    checks need, carried or made by a build.
    """
    await _furnished(project, place)


async def _furnished(project: Project, place: Path) -> str:
    """Furnish a tree; return what to say of its build step where that fails."""
    await asyncio.to_thread(show_names, place / ".git", project.names)
    await with_parts(project.root, place, repository_apart(place), "HEAD", project.apart)
    folders, committed = project.layout.package_folders, project.layout.committed_packages
    await asyncio.to_thread(link_packages, project.root, place, folders, committed)
    return await bring(project, place, project.needs)


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
