"""The project's own test command beside Setpoint's reading: run once, for its count and its exit code.

Where all its tests pass and it fails all the same, such as for a threshold of coverage, that is a finding.
Where its exit code adds nothing, pytest is asked to name its tests and not to run them a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import Interpreter, as_typed, environment
from setpoint.checks.discovery.own_commands.command import OwnCommand
from setpoint.checks.discovery.own_commands.found import NAMING
from setpoint.checks.discovery.own_commands.gates import bare_pytest, root_command
from setpoint.checks.discovery.project import Project
from setpoint.checks.formats.tests.printed_counts import Counts, printed_counts
from setpoint.checks.run import Group
from setpoint.model.evidence import OWN_COMMAND, OWN_TESTS, SUITES, CheckResult, CheckState, Outcome
from setpoint.model.finding import Category, Finding, Severity
from setpoint.model.wording import counted
from setpoint.ports import Measured
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.processes import Command, Completed, run
from setpoint.system.processes.refusals import refusal

INPUTS = (*(name.rpartition("/")[2] for name in NAMING), "package.json", "*.mk", "*.yml", "*.yaml")
"""Names of files that define the command: while they stay as they are, what it gave is taken again."""

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_THRESHOLD = re.compile(
    r"(?:coverage|threshold|fail-under)\b.*(?:not|less than|below)|not reached", re.IGNORECASE
)
"""What a runner says of a threshold that it misses."""
_AROUND = re.compile(r"^\s*(?:make(?:\[\d+\])?: |npm (?:ERR!|error)|error: Recipe|\d+ passed|=+ .*=+$)|^\W*$")
"""What tells only that a command failed, or that tests passed."""
_COLLECTED = re.compile(r"^=*.*?\b(\d+)(?:/\d+)? tests? collected\b", re.MULTILINE)
_ABSENT = re.compile(r"^.*(?:command not found|: not found\s*$|No such file or directory).*", re.MULTILINE)
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
    gate: str = ""
    """What makes it fail though its tests pass; empty where that is not known of it."""
    unread: tuple[str, ...] = ()
    """What the files of the command say that is not read: it may explain a difference."""
    collects: bool = False
    """Whether all its tests may be those of pytest, and their number is all that it can add."""

    @property
    def name(self) -> str:
        """Name the check."""
        return OWN_COMMAND

    async def run(self, measured: Measured) -> CheckResult:
        """Run the command; say where its count differs, and find that it fails though its tests pass."""
        tree = Path(measured.copy.path)
        variables = dict(typed_variables(self.project, tree, self.imports))
        if self.collects:
            variables["PYTEST_ADDOPTS"] = f"{variables.get('PYTEST_ADDOPTS', '')} --collect-only".strip()
        done = await run(
            Command(
                argv=("sh", "-c", self.command.testing),
                cwd=tree / self.command.folder,
                environment=variables,
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
        named = _COLLECTED.findall(_COLOURS.sub("", done.text)) if self.collects else ()
        if named:
            own, read = Counts(int(named[-1]), 0), _read(self.heard, ran=False)
        if own is None or read is None:
            said = "" if done.ok else results.tail(done)
            why = f"{shown} tells no count of tests: {done.ending}{said}" if read else "no test was read"
            return ran.gave(
                CheckState.NOT_MEASURED, f"{why}; not measured: {self.gate}" if self.gate else why
            )
        counts = {"own": sum(own), "read": sum(read)}
        if self.gate and not done.ok and own.passed and not own.failed and not read.failed:
            if why := absent(done):
                return ran.gave(CheckState.NOT_MEASURED, f"{shown} cannot be run whole here: {why}")
            return ran.gave(CheckState.FAIL, findings=(_failed(shown, done),))
        said = _difference(shown, own, read)
        more = () if own == read else self.unread
        return ran.gave(CheckState.PASS, "; ".join((said, *more)), counts=counts)


def own_count(
    project: Project, artifacts: Artifacts, timeout_s: float, digest: str, heard: Sequence[CheckResult]
) -> Iterator[Group]:
    """Make the check where the root has a test command whose tests are read one by one.

    `digest` is that of the files that define the command, on which alone its count depends.
    """
    layout = project.layout
    command, gate = root_command(layout.own), layout.gate
    if command is None and gate and "pytest" in project.chosen:
        command = bare_pytest(layout.configured["pytest"])
    whole = OWN_TESTS in project.chosen and not (command and command.calls())
    if command is None or whole:
        return
    check = OwnCount(
        command=command,
        project=project.interpreter,
        imports=layout.imports,
        artifacts=artifacts,
        timeout_s=timeout_s,
        heard=heard,
        gate=gate,
        unread=layout.unread,
        collects=not gate and not {*project.chosen} & {*_READ} - {"pytest"},
    )
    yield Group(
        checks=(check,),
        inputs="" if gate else digest,
        identity=(OWN_COMMAND, command.testing, project.interpreter.fingerprint),
    )


def absent(done: Completed) -> str:
    """Say for what that is not here a command may have failed: a program, or what the sandbox refuses."""
    if done.timed_out or done.idled or done.exit_code is None or done.exit_code in results.NOT_STARTED:
        return f"{done.ending}{results.tail(done)}"
    absent = _ABSENT.search(done.text)
    return absent[0].strip() if absent else refusal(done)


def _failed(shown: str, done: Completed) -> Finding:
    lines = [each.strip() for each in _COLOURS.sub("", done.text).splitlines() if not _AROUND.match(each)]
    missed = [each for each in lines if _THRESHOLD.search(each)]
    said = (missed or lines or [done.ending])[-1].removeprefix("FAIL ").removeprefix("ERROR: ")
    return Finding(
        source=OWN_COMMAND,
        rule="exit",
        severity=Severity.ERROR,
        category=Category.COVERAGE if missed else Category.TESTS,
        message=f"the project's own command {shown} ends with exit code {done.exit_code} "
        f"though no test fails: {said}",
        detail="\n".join(lines[-20:]),
    )


def typed_variables(project: Interpreter, tree: Path, imports: tuple[str, ...]) -> Mapping[str, str]:
    """Return the variables of what people type at the root of a tree."""
    variables = environment(project, tree, imports)
    bins = tree / "node_modules/.bin"
    found = {**variables, "PATH": f"{bins}:{variables['PATH']}"} if bins.is_dir() else variables
    return as_typed(found)


def _read(heard: Sequence[CheckResult], *, ran: bool = True) -> Counts | None:
    """Count what the suites read; tests that were left out count as neither, or where none `ran` as found."""
    told = [each.tests for each in heard if each.evidence.check in _READ and each.tests is not None]
    outcomes = [outcome for report in told for outcome in report.outcomes.values()]
    if not ran:
        return Counts(sum(each is not Outcome.DESELECTED for each in outcomes), 0) if told else None
    passed = sum(each in (Outcome.PASSED, Outcome.FLAKY, Outcome.ORDER_DEPENDENT) for each in outcomes)
    return Counts(passed, sum(each.red for each in outcomes)) if told else None


def _difference(shown: str, own: Counts, read: Counts) -> str:
    if own == read:
        return f"own command {shown}: {counted(sum(own), 'test')}, as read"
    return f"own command {shown}: {_words(own)}; read: {_words(read)}"


def _words(counts: Counts) -> str:
    return counted(sum(counts), "test") + (f", {counts.failed} of them fail" if counts.failed else "")
