"""Which checks are run on a tree at which stage, and what each is pointed at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from setpoint.domain.evaluation import Stage
from setpoint.domain.evidence import CheckState
from setpoint.domain.story import Story
from setpoint.evaluators.acceptance import Acceptance
from setpoint.evaluators.coverage import CoverageReport, run_options
from setpoint.evaluators.custom import CustomTool
from setpoint.evaluators.detect import Project
from setpoint.evaluators.failures import is_test_path
from setpoint.evaluators.isolation import Aside, isolated
from setpoint.evaluators.parse import Parse
from setpoint.evaluators.presets import Preset, presets
from setpoint.evaluators.run import Group, Unmeasured
from setpoint.evaluators.suite import Runner, TestSuite
from setpoint.evaluators.tool import StaticTool
from setpoint.ports import Check
from setpoint.settings import Settings
from setpoint.store.artifacts import Artifacts


@dataclass(frozen=True, kw_only=True)
class Target:
    """The tree to be measured, as far as the choice of checks needs it."""

    stage: Stage
    files: tuple[str, ...]
    """Every file of the tree."""
    changed: frozenset[str]
    """Paths that differ from the base; every file at the base itself."""
    suspects: tuple[str, ...]
    settled: frozenset[str]
    """Tests that are red and tolerated, so not run again."""
    aside: Aside | None = None
    """What of the tests has to be set aside, where the work changed files of tests."""


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
        confirming = target.stage is Stage.CONFIRM
        check = StaticTool(
            name=name,
            preset=preset,
            python=holder,
            project=self.project.interpreter,
            targets=self._targets(preset, target),
            cache="/dev/null" if confirming else str(self.cache / name),
            artifacts=self.artifacts,
            timeout_s=self.settings.checks.timeout_s,
            types_block=self.settings.checks.require_types,
            options=self._options(name),
            search=self.project.layout.imports,
        )
        identity = (name, holder.fingerprint, self.project.interpreter.fingerprint, str(check.types_block))
        return Group(checks=(check,), identity=(*identity, *check.options, *check.targets))

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
        if "pytest" not in self.project.chosen or (target.stage is Stage.EVALUATE and not target.suspects):
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
        )
        suite = TestSuite(
            runner=runner,
            only=None if whole else target.suspects,
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
        identity = (*identity, "settled", *sorted(target.settled), "only", *(suite.only or ()))
        identity = (*identity, "aside", *(target.aside.paths if target.aside else ()))
        if cover is None:
            yield Group(checks=_of_suite(suite, target), identity=identity)
            if whole and "coverage" in self.project.chosen:
                reason = "coverage is not installed in the project's environment; install it there"
                yield Group(checks=(Unmeasured(name="coverage", reason=reason),), identity=None)
        else:
            yield Group(checks=_of_suite(suite, target, CoverageReport(runner=runner)), identity=identity)

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


def _of_suite(suite: TestSuite, target: Target, *after: Check) -> tuple[Check, ...]:
    """Give the checks of a suite; in two runs where files of tests were added or changed."""
    return (suite, *after) if target.aside is None else isolated(suite, target.aside, after)
