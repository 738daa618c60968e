"""What a check gave: its state, its evidence, its findings and, for tests, every outcome."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from enum import StrEnum
from functools import cached_property

from setpoint.model.finding import Finding, Nearness
from setpoint.model.ids import Artifact, EvidenceId, Tree
from setpoint.model.quality import Metric
from setpoint.model.value import Instant, Text, Value

OWN_TESTS = "own_tests"
"""The check that runs the project's own test command whole, where no reader knows its runner."""
OWN_COMMAND = "own_command"
"""The check that compares that command's count of tests with what was read."""
GIT_HOOKS = "git_hooks"
"""The check that runs the user's own pre-commit hook on the change."""
SUITES = (
    "pytest", "unittest", "vitest", "jest", "node_test", "mocha", "go_test", "cargo_test", "maven", "gradle",
    OWN_TESTS,
)  # fmt: skip
"""Checks that run a project's own tests; together they are its suite, whatever the languages."""

FORMATTERS = frozenset({"gofmt", "oxfmt", "prettier", "ruff_format", "rustfmt"})
"""Checks that look at the layout of code alone; they feed the same metric as linters."""

NO_SUITE = "suite"
"""Stands among the checks in place of a suite, with the reason, where a project with code has none."""


class CheckState(StrEnum):
    """How a check ended; a crash of the tool is never a pass and never a finding."""

    PASS = "pass"  # noqa: S105 - an outcome, no password
    FAIL = "fail"
    FLAKY = "flaky"
    ERROR = "error"
    NOT_MEASURED = "not_measured"


class Fault(StrEnum):
    """Why a check could not answer, where the reason is the check itself or the machine it runs on."""

    MISSING_TOOL = "missing_tool"
    """A program that it needs is not installed."""
    USAGE = "usage"
    """The program does not take these options."""
    MASKED = "masked"
    """Another command decides the exit status, so a failure is not seen."""
    TIMEOUT = "timeout"
    """It did not end in time."""
    KILLED = "killed"
    """It was killed by SIGKILL, mostly for lack of memory, each time it was tried."""
    NO_TESTS = "no_tests"
    """It looked for tests and ran none."""
    ABSENT = "absent"
    """It names a file, a script or a target that does not exist."""
    UNRELATED = "unrelated"
    """It fails in the same words whatever the files of the project hold."""


class Evidence(Value):
    """The record of one command that Setpoint ran on one tree."""

    id: EvidenceId
    check: str
    """Name of the check, for example `pytest`."""
    state: CheckState
    tree: Tree
    """The git tree that was judged."""
    argv: tuple[Text, ...]
    """The command, word by word; empty where nothing was run."""
    tool: str = ""
    """The tool and its version, as it states it."""
    started_at: Instant
    duration_s: float
    exit_code: int | None = None
    """The command's own exit code; a signal as a negative number; none where it did not end by itself."""
    counts: dict[str, int] = {}
    """What was counted, for example `passed`, `failed`, `findings`."""
    output: Artifact | None = None
    """The raw output that was kept."""
    reason: Text = ""
    """Why the state is `error` or `not_measured`, and how to mend it."""
    fault: Fault | None = None
    """Why the check could not answer; none where it answered, or where the tree itself may be the reason."""
    feeds: tuple[Metric, ...] = ()
    """Metrics of the quality vector that the check measures."""
    changed_files: tuple[Text, ...] = ()
    """Tracked or installed files that differed after it; tracked ones were restored. At most 200."""
    cached: bool = False
    """Taken from an earlier run on the same tree, tools and configuration."""
    held: str = ""
    """What kept the command from writing elsewhere: landlock, bwrap or none; empty where nothing was run."""

    @property
    def known(self) -> int:
        """Findings that stood at the base already; 0 where nothing was compared with it."""
        return max(self.counts.get("findings", 0) - self.counts.get("new", self.counts.get("findings", 0)), 0)

    @property
    def against_base(self) -> str:
        """Tell new findings from those of the base; empty where none stood there."""
        if not self.known:
            return ""
        new = self.counts["new"]
        return f"{f'{new} new' if new else 'nothing new'} ({self.known} known at the base)"


class Outcome(StrEnum):
    """How one test ended."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    DESELECTED = "deselected"
    FLAKY = "flaky"
    ORDER_DEPENDENT = "order_dependent"
    """It failed in a selection, and does so where the work has no part; the whole suite will tell."""

    @property
    def red(self) -> bool:
        """Whether it counts against the tree."""
        return self in (Outcome.FAILED, Outcome.ERROR)


class Cause(StrEnum):
    """The class of a test failure."""

    ENVIRONMENT = "env"
    SYNTAX = "syntax"
    IMPORT = "import"
    TIMEOUT = "timeout"
    CRASH = "crash"
    FLAKY = "flaky"
    ASSERTION = "assertion"
    RUNTIME = "runtime"


NOT_RUN = "not run: "
"""Begins the message of a test that could not run since something else broke: a consequence, not a cause."""


class Frame(Value):
    """One step of a traceback, inside the project."""

    file: Text
    """Path from the root of the repository, with `/`."""
    line: int
    """1-based."""
    function: Text = ""


_SCRIPT = re.compile(r"\.(?:py|[cm]?[jt]sx?|vue|svelte)$")
"""Tests of languages that are loaded, not built."""


class Failure(Value):
    """One red test with its root cause and location."""

    test: Text
    """The runner's identifier, for example `tests/test_calc.py::test_add`."""
    cause: Cause
    message: Text
    """The exception or assertion, in one line."""
    file: Text = ""
    """Of the root cause: the deepest frame of the project outside its tests, one on a changed line first;
    else the test's own file.
    """
    line: int = 0
    """1-based line of that frame."""
    detail: Text = ""
    """The end of the traceback; the shorter, the more failures there are."""
    error: Text = ""
    """Full name of the exception's type; empty where the runner does not tell."""
    frames: tuple[Frame, ...] = ()
    """The deepest steps of the traceback inside the project, outermost first."""
    nearness: Nearness | None = None
    """How near to the work's own changes the cause lies; none where nothing was compared."""
    new: bool = False
    """It was not red at the base; false where there is no base to compare with."""
    code: Text = ""
    """The lines around the cause, numbered; kept for the first failures of the worst causes alone."""
    command: Text = ""
    """Runs this test alone, typed at the root of the work copy; kept for the first failure of each cause."""

    @property
    def unbuilt(self) -> bool:
        """Whether a package or a source does not compile, so that none of its tests could run."""
        return self.cause is Cause.SYNTAX and "::" not in self.test and not _SCRIPT.search(self.test)


class Suspect(Value):
    """A line of code that failing tests reach more than passing ones do."""

    file: Text
    line: int
    """1-based."""
    rank: int
    """1 for the most suspicious line."""
    score: float
    """Ochiai's measure, 0 to 1, raised for lines of the failures' tracebacks."""
    changed: bool = False
    """The work added or changed it; such lines come first."""
    text: Text = ""
    """The line itself."""


class Loading(Value):
    """What the process of the tests had loaded before its first file of tests, as it says itself.

    Modules with their files: from the root of the tree, or absolute where they lie in no installation.
    """

    unasked: tuple[tuple[Text, Text], ...] = ()
    """Before the first `conftest.py`: by the interpreter as it starts, and as plug-ins of pytest."""
    before_tests: tuple[tuple[Text, Text], ...] = ()
    """All of them, with what `conftest.py` and plug-ins import."""
    names: tuple[Text, ...] = ()
    """Top-level modules and packages of the tree that were loaded once all tests were collected."""

    def joined(self, other: Loading | None) -> Loading:
        """Return what one of two runs had loaded."""
        if other is None:
            return self
        return Loading(
            unasked=tuple(dict.fromkeys((*self.unasked, *other.unasked))),
            before_tests=tuple(dict.fromkeys((*self.before_tests, *other.before_tests))),
            names=tuple(dict.fromkeys((*self.names, *other.names))),
        )


class TestReport(Value):
    """Every collected test with its outcome, and the red ones explained."""

    outcomes: dict[Text, Outcome]
    """Outcome by test identifier, in the order of collection."""
    failures: tuple[Failure, ...] = ()
    collection_errors: tuple[Text, ...] = ()
    """Files that could not be collected, with the reason."""
    skipped_files: tuple[Text, ...] = ()
    """Files of tests that skipped themselves as a whole."""
    complete: bool = True
    """The whole suite was asked for, not a selection."""
    loading: Loading | None = None
    """None where the runner does not say."""
    contradicted: tuple[Text, ...] = ()
    """Tests that passed at the base, fail as they were there, and pass or are gone as they are now.

    `outcomes` holds what came of them as they are now. A file of tests that is no valid source at the base
    stands here too where it loads as it is now.
    """
    as_they_were: dict[Text, Outcome] | None = None
    """Outcomes of the tests as they were at the base; none where `outcomes` says it, as none has changed."""
    unstable: tuple[Text, ...] = ()
    """Of the base alone: tests whose name or outcome differs between two runs of it."""

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of tests by outcome."""
        return dict(Counter(str(outcome) for outcome in self.outcomes.values()))

    @cached_property
    def red(self) -> frozenset[str]:
        """Identifiers of the tests that failed or broke."""
        return frozenset(test for test, outcome in self.outcomes.items() if outcome.red)

    def with_outcome(self, tests: Collection[str], outcome: Outcome) -> TestReport:
        """Return the report with some failing tests given an outcome that does not count."""
        return self.changed(
            outcomes={test: outcome if test in tests else before for test, before in self.outcomes.items()},
            failures=tuple(failure for failure in self.failures if failure.test not in tests),
        )

    def changed(self, **update: object) -> TestReport:
        """Return a new report with some fields changed; `model_copy` would keep the cached properties."""
        kept = {name: getattr(self, name) for name in TestReport.model_fields}
        return TestReport.model_construct(**{**kept, **update})


FEWEST_CHANGED = 10
"""With fewer executable changed lines a share says nothing."""


class Coverage(Value):
    """What the tests reached."""

    lines: float
    """Share of executable lines, 0 to 1."""
    branches: float | None = None
    """Share of branches, 0 to 1; none where they were not measured."""
    changed_lines: float | None = None
    """Share of executable changed lines; none where fewer than ten were changed (too few to say)."""
    uncovered_changed: dict[Text, tuple[int, ...]] = {}
    """Changed lines that no test reached, by file."""
    changed_executable: int = 0
    """Number of executable changed lines."""
    files: dict[Text, tuple[int, int]] = {}
    """Reached and executable lines of each file; left out of evaluations."""


COVERAGE_OF = "coverage_"
"""Begins the names of checks that measure coverage in other languages; the runner of the tests follows."""


def whole_coverage(results: Iterable[CheckResult]) -> Coverage | None:
    """Make one coverage of all that Setpoint measured; where that is none, take the first that was read."""
    known = [each for each in results if each.coverage is not None]
    own = [
        each.coverage
        for each in known
        if each.evidence.check.startswith(COVERAGE_OF) or each.evidence.check == "coverage"
    ]
    measured = [each for each in own or [each.coverage for each in known][:1] if each is not None]
    if len(measured) < 2:  # noqa: PLR2004 - one is the whole
        return measured[0] if measured else None
    files = {file: lines for each in measured for file, lines in each.files.items()}
    reached, every = (sum(lines[place] for lines in files.values()) for place in (0, 1))
    changed = sum(each.changed_executable for each in measured)
    uncovered = {file: lines for each in measured for file, lines in each.uncovered_changed.items()}
    missed = sum(map(len, uncovered.values()))
    return Coverage(
        lines=reached / every if every else 1.0,
        branches=next((each.branches for each in measured if each.branches is not None), None),
        changed_lines=(changed - missed) / changed if changed >= FEWEST_CHANGED else None,
        uncovered_changed=uncovered,
        changed_executable=changed,
        files=files,
    )


def whole_suite(reports: Iterable[TestReport]) -> TestReport | None:
    """Make one report of those of all runners; none where there is none. Runners name tests differently."""
    known = tuple(reports)
    if len(known) < 2:  # noqa: PLR2004 - one is the whole
        return known[0] if known else None
    return TestReport(
        outcomes={test: outcome for report in known for test, outcome in report.outcomes.items()},
        failures=tuple(failure for report in known for failure in report.failures),
        collection_errors=tuple(error for report in known for error in report.collection_errors),
        complete=all(report.complete for report in known),
        loading=next((report.loading for report in known if report.loading is not None), None),
        contradicted=tuple(test for report in known for test in report.contradicted),
        as_they_were=_as_they_were(known),
        unstable=tuple(test for report in known for test in report.unstable),
    )


def _as_they_were(reports: tuple[TestReport, ...]) -> dict[str, Outcome] | None:
    """Join what tests gave as they were at the base; none where no runner ran them apart."""
    if all(report.as_they_were is None for report in reports):
        return None
    made = (report.outcomes if report.as_they_were is None else report.as_they_were for report in reports)
    return {test: outcome for outcomes in made for test, outcome in outcomes.items()}


class CheckResult(Value):
    """All that one check says about one tree."""

    evidence: Evidence
    findings: tuple[Finding, ...] = ()
    tests: TestReport | None = None
    coverage: Coverage | None = None
    duplicated: dict[Text, tuple[int, ...]] | None = None
    """Lines that stand elsewhere too, by file; none where the check does not look for them."""
    metrics: dict[str, float] = {}
    """Named figures of the check, for example `statements`, `typed_definitions`."""

    @property
    def state(self) -> CheckState:
        """The state its evidence states."""
        return self.evidence.state
