"""Which checks are run on a tree at which stage, and what each is pointed at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import CheckState
from setpoint.domain.story import Story
from setpoint.evaluators.acceptance import Acceptance
from setpoint.evaluators.coverage import CoverageReport, run_options
from setpoint.evaluators.custom import CustomTool
from setpoint.evaluators.detect import Project
from setpoint.evaluators.failures import is_test_path
from setpoint.evaluators.parse import Parse
from setpoint.evaluators.presets import Preset, presets
from setpoint.evaluators.run import Group, Unmeasured
from setpoint.evaluators.suite import Runner, TestSuite
from setpoint.evaluators.tool import StaticTool
from setpoint.evaluators.warm import FileByFile, WarmTool
from setpoint.ports import Check
from setpoint.settings import Settings
from setpoint.store.artifacts import Artifacts


@dataclass(frozen=True, kw_only=True)
class Target:
    """The tree to be measured, as far as the choice of checks needs it."""

    stage: Stage
    files: Mapping[str, str]
    """Every file of the tree, with the id of its content."""
    changed: frozenset[str]
    """Paths that differ from the base; every file at the base itself."""
    only: tuple[str, ...] | None
    """The tests that are run, by identifier or file; none for the whole suite."""
    settled: Mapping[str, str | None]
    """Tests that were red at the base, with what they said (none for whatever they say).

    Still red in the same way, they are not run again.
    """
    record: bool = False
    """Whether the whole suite leaves a map of what each test reached."""

    def digest(self, patterns: tuple[str, ...]) -> str:
        """Give one hash of all files whose names fit; empty for no patterns."""
        if not patterns:
            return ""
        fits = [
            path for path in self.files if any(fnmatch(path.rpartition("/")[2], each) for each in patterns)
        ]
        text = "\0".join(f"{path}\0{self.files[path]}" for path in sorted(fits))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


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
        return Group(checks=(check,), identity=("parse", self.project.interpreter.version, *python))

    def static(self, target: Target) -> tuple[Group, ...]:
        """Make the static tools' checks."""
        known = (
            self._tool(name, preset, target)
            for name, preset in presets().items()
            if name in self.project.chosen
        )
        return (*known, *self._custom(runs_code=False))

    def tests(self, target: Target) -> tuple[Group, ...]:
        """Make the checks that run the project's code, in the order in which they run."""
        groups = list(self._suite(target))
        if target.stage is not Stage.EVALUATE:
            groups += self._custom(runs_code=True)
        if target.stage in (Stage.TEST, Stage.CONFIRM):
            groups += [
                self._acceptance(number, command)
                for number, command in enumerate(self.story.acceptance, start=1)
            ]
        return tuple(groups)

    def _custom(self, *, runs_code: bool) -> Iterator[Group]:
        for name, asked in self.settings.check.items():
            if asked.format.runs_code is runs_code:
                check = CustomTool(
                    name=name,
                    asked=asked,
                    project=self.project.interpreter,
                    imports=self.project.layout.imports,
                    artifacts=self.artifacts,
                )
                yield Group(checks=(check,), identity=check.identity)

    def _tool(self, name: str, preset: Preset, target: Target) -> Group:
        holder = self.project.holder(preset.module)
        if holder is None:
            forced = self.project.chosen[name].startswith("setting")
            state = CheckState.ERROR if forced else CheckState.NOT_MEASURED
            reason = f"{name} is not installed; install it beside the project, or switch checks.{name} off"
            return Group(checks=(Unmeasured(name=name, reason=reason, state=state),), identity=None)
        tool = StaticTool(
            name=name,
            preset=preset,
            python=holder,
            project=self.project.interpreter,
            targets=self._targets(preset, target),
            cache="/dev/null",
            artifacts=self.artifacts,
            timeout_s=self.settings.checks.timeout_s,
            types_block=self.settings.checks.require_types,
            options=self._options(name),
            search=self.project.layout.imports,
        )
        prints = (holder.fingerprint, self.project.interpreter.fingerprint)
        identity = (name, *prints, str(tool.types_block), *preset.argv, *tool.options)
        cold = self.fresh or target.stage is Stage.CONFIRM
        check = tool if cold else self._warmed(tool, target, identity)
        return Group(
            checks=(check,), identity=(*identity, *tool.targets), inputs=target.digest(preset.inputs)
        )

    def _warmed(self, tool: StaticTool, target: Target, identity: tuple[str, ...]) -> Check:
        """Let a tool begin where it was the last time, where it can."""
        if any("{cache}" in word for word in tool.preset.argv):
            return WarmTool(tool=tool, folder=self.cache / tool.name, scratch=self.scratch)
        if tool.preset.by_file and tool.preset.files == "changed":
            settings = [pattern for pattern in tool.preset.inputs if not pattern.endswith(".py")]
            identity = (*identity, target.digest(tuple(settings)))
            return FileByFile(tool=tool, blobs=target.files, folder=self.cache / tool.name, identity=identity)
        return tool

    def _targets(self, preset: Preset, target: Target) -> tuple[str, ...]:
        if preset.files == "tree":
            return (".",)
        if preset.files == "configured":
            return () if self.project.layout.mypy_names_files else self.project.layout.packages
        python = (file for file in target.files if file.endswith(".py") and file in target.changed)
        return tuple(sorted(file for file in python if preset.tests or not is_test_path(file)))

    def _options(self, name: str) -> tuple[str, ...]:
        file = self.project.layout.configured.get(name)
        if name == "ruff" and file is None:
            return ("--isolated",)  # else ruff goes up and takes the settings of the user's own tree
        if name == "bandit" and file is not None:
            return ("-c", file) if file.endswith(".toml") else ("--ini", file)
        return ()

    def _suite(self, target: Target) -> Iterator[Group]:
        if "pytest" not in self.project.chosen or target.only == ():
            return
        if reason := self._cannot_test():
            yield Group(
                checks=(Unmeasured(name="pytest", reason=reason, state=CheckState.ERROR),), identity=None
            )
            return
        whole = target.stage is not Stage.EVALUATE
        cover = self._cover() if whole else None
        runner = Runner(
            interpreter=self.project.interpreter,
            layout=self.project.layout,
            artifacts=self.artifacts,
            timeout_s=self.settings.checks.timeout_s,
            args=self.settings.checks.pytest_args,
            cover=cover,
            data_file=self.scratch / "coverage.data",
            reach=self.reach if target.record else None,
        )
        suite = TestSuite(
            runner=runner,
            only=target.only,
            reruns=self.settings.checks.reruns,
            settled=target.settled,
        )
        identity = (
            "pytest",
            self.project.interpreter.fingerprint,
            str(cover),
            str(suite.reruns),
            *runner.args,
        )
        identity = (
            *identity,
            "settled",
            *(f"{test} {said}" for test, said in sorted(target.settled.items())),
        )
        identity = (*identity, "all") if suite.only is None else (*identity, "only", *suite.only)
        if cover is None:
            yield Group(checks=(suite,), identity=identity)
            if whole and "coverage" in self.project.chosen:
                reason = "coverage is not installed in the project's environment; install it there"
                yield Group(checks=(Unmeasured(name="coverage", reason=reason),), identity=None)
        else:
            yield Group(checks=(suite, CoverageReport(runner=runner)), identity=identity)

    @property
    def reach(self) -> Path:
        """Name where the map of what each test reached is written."""
        return self.scratch / "reach.json"

    def _cover(self) -> tuple[str, ...] | None:
        if "coverage" not in self.project.chosen or not self.project.interpreter.has("coverage"):
            return None
        return run_options(self.project.layout)

    def _cannot_test(self) -> str:
        interpreter = self.project.interpreter
        if not interpreter.has("pytest"):
            return (
                f"pytest is not installed in {interpreter.path} ({interpreter.reason}); install it there, or "
                "name the interpreter that runs the project's tests in the setting checks.python"
            )
        return self.project.leak

    def _acceptance(self, number: int, command: str) -> Group:
        check = Acceptance(
            number=number,
            command=command,
            interpreter=self.project.interpreter,
            layout=self.project.layout,
            artifacts=self.artifacts,
            timeout_s=self.settings.checks.timeout_s,
        )
        return Group(checks=(check,), identity=(check.name, command, self.project.interpreter.fingerprint))
