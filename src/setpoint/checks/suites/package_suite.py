"""A project's tests in another language as a check: what fails is run again alone before it counts."""

from __future__ import annotations

import asyncio
import contextlib
import re
import tempfile
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, as_in_a_shell, environment
from setpoint.checks.discovery.linked_packages import lock_note
from setpoint.checks.discovery.own_commands.runner_calls import RunnerCall
from setpoint.checks.discovery.own_commands.variables import with_own
from setpoint.checks.discovery.program import Program
from setpoint.checks.discovery.project import Project
from setpoint.checks.discovery.workspaces import WITHOUT_WORK, nearest
from setpoint.checks.flaky.flaky import FlakyRule, Selection, state_of
from setpoint.checks.suites.cargo import CargoRunner
from setpoint.checks.suites.go import GoRunner
from setpoint.checks.suites.node import JEST, MOCHA, NODE_TEST, VITEST
from setpoint.checks.suites.order_dependence import Footing, reason, stood, without
from setpoint.checks.suites.own_tests import OwnTests
from setpoint.checks.suites.reported import ReportedRunner
from setpoint.checks.suites.runner import Once, Runner, Start
from setpoint.checks.suites.steps_before import run_before
from setpoint.model.evidence import CheckResult, CheckState, Outcome, TestReport, whole_suite
from setpoint.ports import Measured
from setpoint.presets import Preset, Via, presets
from setpoint.presets.check_settings import ChecksSettings, ToolSettings
from setpoint.system.files.artifacts import Artifacts

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
RUNNERS: Mapping[str, Runner] = {
    "vitest": VITEST,
    "jest": JEST,
    "node_test": NODE_TEST,
    "mocha": MOCHA,
    "own_tests": OwnTests(),
    "go_test": GoRunner(),
    "cargo_test": CargoRunner(),
    **{name: ReportedRunner(reports=each.reports) for name, each in presets().items() if each.reports},
}
"""Who runs the tests of which preset."""


def owner(test: str, chosen: Collection[str]) -> str:
    """Name which of the chosen presets has tests of such identifiers; empty where it is Python's."""
    if test.partition("::")[0].endswith(".py"):
        return ""
    return next((name for name, runner in RUNNERS.items() if name in chosen and runner.owns(test)), "")


@dataclass(frozen=True, kw_only=True)
class PackageSuite:
    """The tests of all packages of a project that one runner has, or a selection of them."""

    name: str
    preset: Preset
    program: Program
    project: Interpreter
    root: Path
    """The user's own tree, from which the installed packages come."""
    folders: tuple[str, ...]
    """The packages, as folders of the tree."""
    calls: Mapping[str, tuple[RunnerCall, ...]] = field(default_factory=dict)
    """How the project's own command calls the runner, by folder."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Options that it gives a runner which is called in Setpoint's own way, by folder."""
    unused: frozenset[str] = frozenset()
    """Folders of modules of Go that the `go.work` above them leaves out."""
    cache: str
    """Folder of the runner's own cache."""
    artifacts: Artifacts
    timeout_s: float
    asked: ToolSettings = field(default_factory=ToolSettings)
    only: Selection = None
    flaky: FlakyRule = field(default_factory=FlakyRule)
    footing: Footing | None = None
    """Where a selection is compared before its failing tests count."""
    members: tuple[str, ...] = ()
    """Members of a workspace that alone are tested; empty: all."""
    part: str = ""
    """The packages that alone are tested, for a person; empty: all."""

    wish: str = ""
    """The request, where what is missing may be what it asks for."""
    in_a_shell: bool = False
    """Whether it runs without the variables that a person's own shell would not have."""

    @property
    def own_variables(self) -> tuple[str, ...]:
        """Variables that its preset sets, except those that name a folder of its cache."""
        return tuple(name for name, text in self.preset.environment.items() if "{cache}" not in text)

    @property
    def identity(self) -> tuple[str, ...]:
        """All that decides what it says of a tree, as far as it can be known without a run."""
        typed = (repr(sorted(self.calls.items())),) if self.calls else ()
        typed = (*typed, *((repr(sorted(self.options.items())),) if self.options else ()))
        said = (self.asked.model_dump_json(), *self.folders, *typed, *self.program.identity)
        said = (*said, *sorted(self.unused))
        compared = self.footing.commit if self.footing else ""
        chosen = (*self.flaky.identity, "only", *(self.only or ()), "footing", compared)
        chosen = (*chosen, "wish", self.wish)
        return (self.name, *said, self.project.fingerprint, *chosen, "part", self.part, *self.members)

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tests of a tree."""
        tree = Path(measured.copy.path)
        runs = [await self.once(tree, folder, share) for folder, share in self.shares(tree, self.only)]
        report = whole_suite(once.report for once in runs if once.report is not None)
        broken = "; ".join(once.broken for once in runs if once.broken)
        if report is not None and report.red and not broken:
            report, last = await self.flaky.apply(report, self.only, partial(self._outcomes, tree))
            report = await self._compared(measured, report, last)
        worst = next((once for once in runs if once.broken or (once.report and once.report.red)), runs[-1])
        note = await asyncio.to_thread(lock_note, self.root, tree, self.folders) if self._linked else ""
        ran = results.Ran(
            check=self.name,
            tree=measured.tree,
            done=worst.done,
            artifacts=self.artifacts,
            tool=f"{self._version}{note}",
        )
        if unusable := "; ".join(once.unusable for once in runs if once.unusable and report is None):
            return ran.gave(CheckState.NOT_MEASURED, unusable)
        state = CheckState.ERROR if broken or report is None else _state_of(report)
        why = broken or (reason(report) if report else "")
        if self.part:
            why = "; ".join(each for each in (why, f"for {self.part}") if each)
            report = report.model_copy(update={"complete": False}) if report else None
        fault = results.fault_of(worst.done)
        printed = sum(once.printed for once in runs)
        counts = {**(report.counts if report else {}), **({"printed": printed} if printed else {})}
        return ran.gave(state, why, tests=report, counts=counts, fault=fault)

    @property
    def _linked(self) -> bool:
        return self.preset.via is Via.NODE or self.name in ("node_test", "own_tests")

    @property
    def _version(self) -> str:
        said = self.program.version
        return said if said.lower().startswith(self.name.partition("_")[0]) else f"{self.name} {said}".strip()

    async def once(
        self, tree: Path, folder: str, only: Selection, lent: Callable[[Start], Start] | None = None
    ) -> Once:
        """Run the tests of one package of a tree, or a selection; nothing is run again.

        `lent` changes with what the runner is started.
        """
        calls = self.calls.get(folder) or (None,)
        runs = [await self._called(tree, folder, only, each, lent) for each in calls]
        report = whole_suite(once.report for once in runs if once.report is not None)
        worst = next((once for once in runs if once.broken or (once.report and once.report.red)), runs[-1])
        broken = "; ".join(once.broken for once in runs if once.broken)
        return replace(worst, report=report, broken=broken, printed=sum(once.printed for once in runs))

    async def _called(
        self,
        tree: Path,
        folder: str,
        only: Selection,
        own: RunnerCall | None,
        lent: Callable[[Start], Start] | None,
    ) -> Once:
        with tempfile.TemporaryDirectory(prefix="setpoint-") as scratch:
            start = replace(self.start(tree, folder, Path(scratch)), own=own)
            note = await run_before(own.first, own.shown, tree, start.variables) if own else ""
            once = await RUNNERS[self.name].run(lent(start) if lent else start, only)
            return replace(once, broken=f"{once.broken}; {note}") if once.broken and note else once

    def start(self, tree: Path, folder: str, scratch: Path) -> Start:
        """Say what the runner is started with in one package of a tree."""
        own = next(iter(self.calls.get(folder, ())), None)
        known = self._environment(tree, folder)
        return Start(
            name=self.name,
            preset=self._of_members(),
            program=self.program,
            tree=tree,
            folder=folder,
            scratch=scratch,
            variables=with_own(own.variables, known, tree) if own else known,
            timeout_s=self.asked.timeout_s or self.timeout_s,
            cache=Path(self.cache) if self.preset.caches else None,
            args=(*self.options.get(folder, ()), *self.asked.args),
            own=own,
            wish=self.wish,
        )

    def _of_members(self) -> Preset:
        """Return the preset with the members of a workspace in the place of all."""
        if not self.members:
            return self.preset
        named = [word for member in self.members for word in ("--package", member)]
        argv = [word for word in self.preset.argv if word != "--workspace"]
        return self.preset.model_copy(update={"argv": (*argv, *named)})

    def _environment(self, tree: Path, folder: str) -> dict[str, str]:
        variables = environment(self.project, tree, ())
        bins = [tree / folder / "node_modules/.bin", tree / "node_modules/.bin"] if self._linked else []
        variables["PATH"] = ":".join([*map(str, bins), variables["PATH"]])
        more = {name: text.replace("{cache}", self.cache) for name, text in self.preset.environment.items()}
        every = {**variables, **more, **(WITHOUT_WORK if folder in self.unused else {})}
        return as_in_a_shell(every, self.own_variables) if self.in_a_shell else every

    async def _outcomes(self, tree: Path, tests: Collection[str]) -> Mapping[str, Outcome] | None:
        """Run a selection in a tree; none where a runner breaks."""
        runs = [await self.once(tree, folder, share) for folder, share in self.shares(tree, tuple(tests))]
        if any(once.broken for once in runs):
            return None
        report = whole_suite(once.report for once in runs if once.report is not None)
        return report.outcomes if report else {}

    async def _compared(self, measured: Measured, report: TestReport, last: Selection) -> TestReport:
        """Run a selection's failures at the base; what fails there too does not count against the work."""
        if self.footing is None or self.only is None or last is None:
            return report
        doubtful, apart = self.footing.doubtful(report.red), frozenset[str]()
        alone = last is not self.only  # then it failed several times here, so one pass there may be chance
        for _ in range(max(1, self.flaky.reruns) if alone else 1):
            if doubtful <= apart:
                break
            there = await self.footing.there(measured)
            outcomes = await self._outcomes(Path(there.copy.path), last) or {}
            apart |= {test for test in doubtful if not stood(test, outcomes)}
        return without(report, apart)

    def shares(self, tree: Path, only: Selection) -> list[tuple[str, Selection]]:
        """Return the packages that hold a selection, each with its tests; all where names do not tell."""
        if only is None or len(self.folders) == 1 or self.name == "cargo_test":
            return [(folder, only) for folder in self.folders]
        places = {self._place(tree, folder): folder for folder in self.folders}
        shares: dict[str, list[str]] = {}
        for test in only:
            place = nearest(test.partition("::")[0], places)
            for folder in self.folders if place is None else (places[place],):
                shares.setdefault(folder, []).append(test)
        return [(folder, tuple(tests)) for folder, tests in shares.items()]

    def _place(self, tree: Path, folder: str) -> str:
        """Return what the names of a package's tests begin with."""
        if self.name != "go_test":
            return folder
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if found := _MODULE.search((tree / folder / "go.mod").read_text("utf-8")):
                return found[1]
        return folder


def suite_of(
    name: str, project: Project, checks: ChecksSettings, artifacts: Artifacts, cache: Path
) -> PackageSuite | None:
    """Make the tests that a runner has in a project; none where the runner cannot be used.

    `cache` is the folder of the tools' own caches.
    """
    program = project.programs.get(name)
    if program is None or program.fault:
        return None
    found = project.layout.suites.get(name)
    return PackageSuite(
        name=name,
        preset=presets()[name],
        program=program,
        project=project.interpreter,
        root=project.root,
        folders=found.folders if found else ("",),
        calls=found.calls if found else {},
        options=found.options if found else {},
        unused=project.layout.workspaces.unused if presets()[name].language == "go" else frozenset(),
        cache=str(cache / name.partition("_")[0]),
        artifacts=artifacts,
        timeout_s=checks.timeout_s,
        asked=checks.tool(name),
    )


def _state_of(report: TestReport) -> CheckState:
    if not report.outcomes:
        return CheckState.NOT_MEASURED
    return state_of(report)
