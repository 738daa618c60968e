"""The project's own test command beside Setpoint's reading: run once, to report a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, as_typed, environment
from setpoint.checks.discovery.own_commands.command import Kind, OwnCommand
from setpoint.checks.discovery.own_commands.found import NAMING
from setpoint.checks.discovery.project import Project
from setpoint.checks.formats.tests.printed_counts import Counts, printed_counts
from setpoint.checks.run import Group
from setpoint.model.evidence import OWN_COMMAND, OWN_TESTS, SUITES, CheckResult, CheckState, Outcome
from setpoint.model.wording import counted
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, run

INPUTS = (*(name.rpartition("/")[2] for name in NAMING), "package.json", "*.mk", "*.yml", "*.yaml")
"""Names of files that define the command: while they stay as they are, what it gave is taken again."""

_READ = tuple(name for name in SUITES if name != OWN_TESTS)


@dataclass(frozen=True, kw_only=True)
class OwnCount:
    """Runs the own command of the root, and compares the tests it counts with those that suites read."""

    command: OwnCommand
    project: Interpreter
    imports: tuple[str, ...]
    artifacts: Artifacts
    timeout_s: float
    heard: Sequence[CheckResult]
    """Results that are known when it runs; the suites run before it."""
    unread: tuple[str, ...] = ()
    """What the files of the command say that is not read: it may explain a difference."""

    @property
    def name(self) -> str:
        """Name the check."""
        return OWN_COMMAND

    async def run(self, measured: Measured) -> CheckResult:
        """Run the command; it judges nothing, and says where its count differs."""
        tree = Path(measured.copy.path)
        done = await run(
            Command(
                argv=("sh", "-c", self.command.testing),
                cwd=tree / self.command.folder,
                environment=_variables(self.project, tree, self.imports),
                timeout_s=self.timeout_s,
                merge_stderr=True,
                writes=(tree,),
            )
        )
        shown = f"`{self.command.shown}` of {self.command.file}"
        ran = results.Ran(
            check=self.name, tree=measured.tree, done=done, artifacts=self.artifacts, tool=shown
        )
        own, read = printed_counts(done.text), _read(self.heard)
        if own is None or read is None:
            said = "" if done.ok else results.tail(done)
            why = f"{shown} tells no count of tests: {done.ending}{said}" if read else "no test was read"
            return ran.gave(CheckState.NOT_MEASURED, why)
        counts = {"own": sum(own), "read": sum(read)}
        said = _difference(shown, own, read)
        more = () if own == read else self.unread
        return ran.gave(CheckState.PASS, "; ".join((said, *more)), counts=counts)


def own_count(
    project: Project, artifacts: Artifacts, timeout_s: float, digest: str, heard: Sequence[CheckResult]
) -> Iterator[Group]:
    """Make the check where the root has a test command whose tests are read one by one.

    `digest` is that of the files that define the command.
    """
    tests = (each for each in project.layout.own if each.kind is Kind.TEST and not each.folder)
    command = next(tests, None)
    whole = OWN_TESTS in project.chosen and not (command and command.calls())
    if command is None or command.excluded or whole or not command.testing:
        return
    check = OwnCount(
        command=command,
        project=project.interpreter,
        imports=project.layout.imports,
        artifacts=artifacts,
        timeout_s=timeout_s,
        heard=heard,
        unread=project.layout.unread,
    )
    yield Group(
        checks=(check,),
        inputs=digest,
        identity=(OWN_COMMAND, command.testing, project.interpreter.fingerprint),
    )


def _variables(project: Interpreter, tree: Path, imports: tuple[str, ...]) -> Mapping[str, str]:
    variables = environment(project, tree, imports)
    bins = tree / "node_modules/.bin"
    found = {**variables, "PATH": f"{bins}:{variables['PATH']}"} if bins.is_dir() else variables
    return as_typed(found)


def _read(heard: Sequence[CheckResult]) -> Counts | None:
    """Count what the suites read; tests that were left out count as neither."""
    told = [each.tests for each in heard if each.evidence.check in _READ and each.tests is not None]
    outcomes = [outcome for report in told for outcome in report.outcomes.values()]
    passed = sum(each in (Outcome.PASSED, Outcome.FLAKY, Outcome.ORDER_DEPENDENT) for each in outcomes)
    return Counts(passed, sum(each.red for each in outcomes)) if told else None


def _difference(shown: str, own: Counts, read: Counts) -> str:
    if own == read:
        return f"own command {shown}: {counted(sum(own), 'test')}, as read"
    return f"own command {shown}: {_words(own)}; read: {_words(read)}"


def _words(counts: Counts) -> str:
    return counted(sum(counts), "test") + (f", {counts.failed} of them fail" if counts.failed else "")
