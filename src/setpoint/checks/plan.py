"""Which checks are run on a tree at which stage, and what each is pointed at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from setpoint.checks.cover.check import covering
from setpoint.checks.cover.script_suite import covering_scripts
from setpoint.checks.discovery.package_suites import fits
from setpoint.checks.discovery.project import ADVICE, OWN_CHECKS, Project
from setpoint.checks.discovery.tool_folders import tool_folders, tool_options
from setpoint.checks.flaky.flaky import FlakyRule, Selection
from setpoint.checks.goals.performance import timing_checks
from setpoint.checks.mutation.check import MutationEngine, MutationScore
from setpoint.checks.old_tests.both_versions import in_both_versions, packages_in_both
from setpoint.checks.run import Group, Unmeasured
from setpoint.checks.suites.coverage import CoverageReport, run_options
from setpoint.checks.suites.package_coverage import coverage_beside
from setpoint.checks.suites.package_suite import RUNNERS, owner, suite_of
from setpoint.checks.suites.pytest import Runner, TestSuite
from setpoint.checks.suites.touched_packages import FastLane
from setpoint.checks.target import Target
from setpoint.checks.tools.acceptance import Acceptance
from setpoint.checks.tools.by_file import ByFile
from setpoint.checks.tools.custom import CustomTool, lasting
from setpoint.checks.tools.own_check import own_checks
from setpoint.checks.tools.parse import Parse
from setpoint.checks.tools.shared_cache import WarmTool
from setpoint.checks.tools.sonarqube import SonarQube
from setpoint.checks.tools.targets import narrowed, targets_of
from setpoint.checks.tools.tool import Tool
from setpoint.model.evaluation import Stage
from setpoint.model.evidence import COVERAGE_OF, NO_SUITE, OWN_TESTS, CheckState
from setpoint.model.stories.story import KnownRed, Story
from setpoint.ports import Check
from setpoint.presets import Preset, presets
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts

_OF_SUITE = "suite"
"""Folder that the tests write to; what other checks hand on lies beside it."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Makes the checks of one project."""

    project: Project
    settings: Settings
    artifacts: Artifacts
    story: Story
    scratch: Path
    """A folder for what checks hand to each other, outside the tree."""
    cache: Path
    """A folder for the tools' own caches."""
    shared: Path
    """A folder for those of them that all runs of the project use."""
    fresh: bool = False
    """Whether no tool may begin where it was the last time."""

    def parse(self, target: Target) -> Group:
        """Parse what the work changed."""
        python = tuple(
            sorted(file for file in target.files if file.endswith(".py") and file in target.changed)
        )
        check = Parse(
            interpreter=self.project.interpreter,
            targets=python,
            artifacts=self.artifacts,
            timeout_s=self.settings.checks.timeout_s,
        )
        interpreter = self.project.interpreter
        told = self._by_file(check, target, (interpreter.path, interpreter.version))
        return Group(checks=(told,), identity=("parse", interpreter.version, str(target.fast), *python))

    def static(self, target: Target) -> tuple[Group, ...]:
        """Make the static tools' checks."""
        known = (
            self._tool(name, preset, target)
            for name, preset in presets().items()
            if name in self.project.chosen and name not in RUNNERS and name not in OWN_CHECKS
        )
        missing = (
            Group(checks=(Unmeasured(name=name, reason=reason),), identity=None)
            for name, reason in self.project.unseen.items()
            if name != NO_SUITE or target.fast or target.stage is not Stage.EVALUATE
        )
        limit_s = self.settings.checks.timeout_s
        own = (
            Group(checks=(each,), identity=each.identity)
            for each in own_checks(self.project, self.artifacts, limit_s)
        )
        groups = (*known, *own, *self._custom(runs_code=False), *self._sonarqube(), *missing)
        return tuple(replace(group, files=target.files) for group in groups)

    def tests(self, target: Target) -> tuple[Group, ...]:
        """Make the checks that run the project's code, in the order in which they run."""
        groups = [*self._suite(target), *self._package_suites(target)]
        if target.stage is not Stage.EVALUATE:
            groups += self._custom(runs_code=True)
            cannot = self.cannot_test("pytest")
            groups += covering(
                self.project, self.settings, self.artifacts, target.stage, target.files, cannot
            )
            groups += covering_scripts(groups, self.settings.cover, target.files)
        if target.stage is not Stage.EVALUATE:
            fingerprint = self.project.interpreter.fingerprint
            asked = (replace(each, told_apart=True) for each in self.acceptance())
            groups += [
                Group(checks=(each,), identity=(each.name, each.command, fingerprint)) for each in asked
            ]
            groups += self._mutation(target)
        if target.compared is not None:  # last, when the fewest static tools still run beside
            goals = self.settings.goals.overlaid(self.story.goals).timed
            groups += timing_checks(goals, target.compared, self.runner())
        return tuple(groups)

    def _sonarqube(self) -> Iterator[Group]:
        asked = self.settings.sonarqube
        if asked.url and asked.project:
            check = SonarQube(asked=asked, project=self.project.interpreter, artifacts=self.artifacts)
            yield Group(checks=(check,), identity=None, rooted=False)

    def _custom(self, *, runs_code: bool) -> Iterator[Group]:
        for name, asked in self.settings.check.items():
            if asked.runs_code is runs_code:
                check = CustomTool(
                    name=name,
                    asked=asked,
                    project=self.project.interpreter,
                    imports=self.project.layout.imports,
                    artifacts=self.artifacts,
                )
                # What is asked of a database that others change holds for now alone.
                yield Group(
                    checks=(check,), identity=check.identity if lasting(asked) else None, rooted=False
                )

    def _tool(self, name: str, preset: Preset, target: Target) -> Group:
        program = self.project.programs.get(name)
        if program is None or program.fault:
            forced = self.project.chosen[name].startswith("setting")
            state = CheckState.ERROR if forced else CheckState.NOT_MEASURED
            reason = self.unusable(name)
            unmeasured = Unmeasured(name=name, reason=reason, state=state, feeds=preset.feeds)
            return Group(checks=(unmeasured,), identity=None)
        if not any(fits(file, preset) for file in target.files):
            return _not_run(name, preset, f"there is no file that {name} looks at")
        layout = self.project.layout
        targets = targets_of(name, preset, layout, target.files, target.changed)
        whole = Tool(
            name=name,
            preset=preset.for_version(program.version),
            program=program,
            project=self.project.interpreter,
            targets=targets,
            cache=self._cache_of(name, target),
            artifacts=self.artifacts,
            timeout_s=self.settings.checks.timeout_s,
            asked=self.settings.checks.tool(name),
            config=layout.configured.get(preset.shares or name, ""),
            nested=(preset.shares or name) in layout.nested and preset.nested,
            types_block=self.settings.checks.require_types,
            search=layout.imports,
            advice=self.project.chosen[name].startswith(ADVICE),
            parsed=target.python_under(targets) if preset.silent else (),
            folders=tool_folders(preset, layout.files, layout.packages_said) or ("",),
            options=tool_options(name, preset.options_of, layout.own),
            unused=layout.workspaces.unused,
        )
        if (tool := narrowed(whole, target.touched, target.files)) is None:
            return _not_run(name, preset, f"not run: the change touches {target.touched_words}")
        identity = (*replace(tool, cache="").identity, tool.config, *tool.search)
        if preset.by_file:
            identity = (*identity, f"by file: {target.fast}")
        return Group(
            checks=(self._warmed(tool, target),),
            identity=identity,
            inputs=target.digest(preset.inputs),
            rooted=preset.rooted,
        )

    def unusable(self, name: str) -> str:
        """Say why a chosen tool cannot be used, and what to do."""
        return f"{self.project.unusable(name)}, or switch checks.{name} off"

    def _warmed(self, tool: Tool, target: Target) -> Check:
        """Let a tool begin where it was the last time, where all runs of a project may share its cache."""
        if self._cold(target) or not (tool.preset.shared or tool.preset.by_file):
            return tool
        if tool.preset.shared:
            return WarmTool(tool=tool, folder=self.shared / tool.name, scratch=self.scratch)
        preset = tool.preset
        around = target.digest(tuple(each for each in preset.inputs if each not in preset.globs))
        decides = (*replace(tool, cache="", targets=()).identity, tool.config, *tool.search, around)
        return self._by_file(tool, target, decides)

    def _by_file(self, check: Parse | Tool, target: Target, decides: tuple[str, ...]) -> Check:
        """Spare a check the files that it looked at before; what a verdict rests on looks at all."""
        if self._cold(target):
            return check
        folder = self.shared.parents[1] / "by_file"
        return ByFile(check=check, files=target.files, folder=folder, decides=decides, take=target.fast)

    def _cold(self, target: Target) -> bool:
        return self.fresh or target.stage is Stage.CONFIRM

    def _cache_of(self, name: str, target: Target) -> str:
        """Return the folder of a tool's own cache; a confirmation starts with an empty one."""
        folder = self.scratch / "fresh" if self._cold(target) else self.cache
        return str(folder / name.partition("_")[0])

    def _package_suites(self, target: Target) -> Iterator[Group]:
        """Make the checks that run tests in other languages than Python."""
        for name in RUNNERS:
            if name not in self.project.chosen:
                continue
            group = self._package_suite(name, target, None)
            if target.stage is Stage.EVALUATE and not target.whole:
                only = tuple(test for test in target.suspects if owner(test, self.project.chosen) == name)
                again = self._package_suite(name, target, only) if only else None
                lane = FastLane(layout=self.project.layout, touched=target.touched, alone=target.fast)
                yield from (packages_in_both(each, target.aside) for each in lane.suite(group, only, again))
                continue
            yield packages_in_both(group, target.aside)
            if f"{COVERAGE_OF}{name}" in self.project.chosen and target.stage is not Stage.EVALUATE:
                yield from coverage_beside(group)

    def _package_suite(self, name: str, target: Target, only: Selection) -> Group:
        suite = suite_of(name, self.project, self.settings.checks, self.artifacts, self.cache)
        if suite is None:
            broken = Unmeasured(name=name, reason=self.unusable(name), state=CheckState.ERROR)
            return Group(checks=(broken,), identity=None)
        check = replace(suite, only=only, flaky=self._flaky_rule(target), footing=target.footing)
        check = replace(check, wish=self.story.wish) if name == OWN_TESTS else check
        return Group(checks=(check,), identity=check.identity)

    def _flaky_rule(self, target: Target) -> FlakyRule:
        return FlakyRule(reruns=self.settings.checks.reruns, settled=target.settled, shaky=target.shaky)

    def _suite(self, target: Target) -> Iterator[Group]:
        name: Literal["pytest", "unittest"] = "unittest" if "unittest" in self.project.chosen else "pytest"
        if name not in self.project.chosen or target.only == ():
            return
        if reason := self.cannot_test(name):
            yield Group(checks=(Unmeasured(name=name, reason=reason, state=CheckState.ERROR),), identity=None)
            return
        whole = target.stage is not Stage.EVALUATE
        cover = self.cover() if whole else None
        reach = self.reach if target.record else None
        runner, lasting = replace(self.runner(cover, name), reach=reach), self._flaky_rule(target)
        suite = TestSuite(
            runner=runner,
            only=target.only,
            flaky=replace(lasting, settled=lasting.settled | target.known),
            footing=target.footing,
            part=target.touched.words if target.only and target.touched and runner.roots else target.left,
        )
        identity = (*self._identity(runner), str(cover), *lasting.identity)
        identity = (*identity, "all") if suite.only is None else (*identity, "only", *suite.only)
        identity = (*identity, *(target.aside.identity if target.aside else ()))
        identity = (*identity, "footing", target.footing.commit if target.footing else "")
        after = () if cover is None else (CoverageReport(runner=runner),)
        yield Group(checks=in_both_versions(suite, target.aside, after), identity=identity)
        if cover is None and whole and "coverage" in self.project.chosen:
            reason = "coverage is not installed in the project's environment; install it there"
            yield Group(checks=(Unmeasured(name="coverage", reason=reason),), identity=None)

    def runner(
        self, cover: tuple[str, ...] | None = None, name: Literal["pytest", "unittest"] = "pytest"
    ) -> Runner:
        """Say how the project's tests are started; `cover` are options of `coverage run`."""
        checks = self.settings.checks
        return Runner(
            interpreter=self.project.interpreter,
            layout=self.project.layout,
            artifacts=self.artifacts,
            timeout_s=checks.timeout_s,
            args=checks.pytest_args,
            name=name,
            cover=cover,
            data_file=self.scratch / _OF_SUITE / "coverage.data",
            memory_bytes=checks.memory_mb << 20 if checks.memory_mb else None,
        )

    def _identity(self, runner: Runner) -> tuple[str, ...]:
        own, memory = str(self.project.layout.python_call), str(runner.memory_bytes)
        return (runner.name, self.project.interpreter.fingerprint, own, memory, *runner.args)

    def engine(self, budget_s: float) -> MutationEngine | str:
        """Make the engine that judges mutants, or say why there is none."""
        if needs := self.project.needs:
            return f"mutants never get {needs.words}, which tests need"
        if "pytest" not in self.project.chosen:
            return "mutants are judged with pytest alone"
        if self.project.layout.test_roots:
            return "mutants are not judged where several packages run pytest apart"
        if reason := self.cannot_test("pytest"):
            return reason
        return MutationEngine(
            interpreter=self.project.interpreter,
            layout=self.project.layout,
            budget_s=budget_s,
            jobs=max(1, (os.cpu_count() or 2) - 1),
            args=self.settings.checks.pytest_args,
        )

    def _mutation(self, target: Target) -> Iterator[Group]:
        if not self.settings.checks.mutation:
            return
        checks, interpreter = self.settings.checks, self.project.interpreter
        engine = self.engine(checks.mutation_budget_s)
        if isinstance(engine, str):
            yield Group(checks=(Unmeasured(name="mutation", reason=engine),), identity=None)
            return
        if target.stage is Stage.BASE:  # no line is changed yet
            return
        # Tests that have to be repaired must not be left out: while they fail, the score is unknown.
        settled = (
            target.settled | target.known if self.story.known_red is KnownRed.TOLERATE else frozenset[str]()
        )
        check = MutationScore(
            engine=engine, artifacts=self.artifacts, goal=checks.mutation_goal, settled=settled
        )
        bounds = (str(checks.mutation_budget_s), str(checks.mutation_goal))
        identity = ("mutation", interpreter.fingerprint, *bounds, *checks.pytest_args)
        yield Group(checks=(check,), identity=(*identity, "settled", *sorted(settled)))

    @property
    def reach(self) -> Path:
        """Name where the map of what each test reached is written."""
        return self.scratch / _OF_SUITE / "reach.json"

    def cover(self) -> tuple[str, ...] | None:
        """Return the options with which coverage watches the whole suite; none without coverage."""
        if "coverage" not in self.project.chosen or not self.project.interpreter.has("coverage"):
            return None
        return run_options(self.project.layout)

    def cannot_test(self, name: str) -> str:
        """Say why Python's tests cannot run, and what to do; empty where they can."""
        interpreter = self.project.interpreter
        if name == "pytest" and not interpreter.has("pytest"):
            return (
                f"pytest is not installed in {interpreter.path} ({interpreter.reason}); "
                "hint: install it there, or name the interpreter that runs the project's tests in "
                "the setting checks.python"
            )
        return self.project.leak

    def acceptance(self) -> tuple[Acceptance, ...]:
        """Make the checks of the story's acceptance commands."""
        return tuple(
            Acceptance(
                number=number,
                command=command,
                interpreter=self.project.interpreter,
                layout=self.project.layout,
                artifacts=self.artifacts,
                timeout_s=self.settings.checks.timeout_s,
                memory_bytes=self.runner().memory_bytes,
            )
            for number, command in enumerate(self.story.acceptance, start=1)
        )

    def suites(self, target: Target) -> tuple[Group, ...]:
        """Make the checks that run each suite whole, which nothing watches and nothing compares."""
        alone, found = replace(target, footing=None, aside=None), list[Group]()
        names: tuple[Literal["pytest", "unittest"], ...] = ("pytest", "unittest")
        for name in names:
            if name in self.project.chosen and not self.cannot_test(name):
                suite = TestSuite(runner=self.runner(None, name))
                found.append(Group(checks=(suite,), identity=self._identity(suite.runner)))
        packages = (each for each in RUNNERS if each in self.project.chosen)
        return (*found, *(self._package_suite(each, alone, None) for each in packages))

    def selection(self, target: Target, tests: tuple[str, ...]) -> tuple[Check, ...]:
        """Make the checks that run some tests, which nothing watches and nothing compares."""
        alone = replace(target, footing=None, aside=None)
        by_runner: dict[str, list[str]] = {}
        for test in tests:
            by_runner.setdefault(owner(test, self.project.chosen), []).append(test)
        checks: list[Check] = []
        for name, own in by_runner.items():
            if name:
                checks += self._package_suite(name, alone, tuple(own)).checks
                continue
            unittest = "unittest" in self.project.chosen
            python: Literal["pytest", "unittest"] = "unittest" if unittest else "pytest"
            checks.append(TestSuite(runner=self.runner(None, python), only=tuple(own)))
        return tuple(checks)


def _not_run(name: str, preset: Preset, reason: str) -> Group:
    return Group(checks=(Unmeasured(name=name, reason=reason, feeds=preset.feeds),), identity=None)
