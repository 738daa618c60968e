"""What the calls of the library return: frozen values, compared by content."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from pathlib import Path

from setpoint.errors import ExitCode
from setpoint.model.evidence import Coverage, Evidence, Failure
from setpoint.model.exam import Exam
from setpoint.model.finding import Finding
from setpoint.model.gate import Choice, Grant, Option
from setpoint.model.quality import QualityVector
from setpoint.model.value import Instant, Text, Usd, Value
from setpoint.model.verdict import HardGate


class Status(StrEnum):
    """How a run ended, or what it is doing; the words of `setpoint status`."""

    VERIFIED = "verified"
    """Every run passed, and somebody other than the maker set the exam."""
    SELF_TESTED = "self_tested"
    """Every run passed, and only the maker's own tests say what is right."""
    ACCEPTED = "accepted"
    """A person took it as it is: not verified, its known issues are written down."""
    UNPROVEN = "unproven"
    """Nothing was found against it, and what must be proved is not; the best state is kept."""
    UNPROVABLE = "unprovable"
    """Nothing that is chosen here could prove the work; no agent was started."""
    STOPPED = "stopped"
    """A guard stopped it; the best state is kept."""
    ESCALATED = "escalated"
    """It needs a person; the best state is kept."""
    SKIPPED = "skipped"
    """A guard stopped it and nobody is to be asked; the best state is kept."""
    CANCELLED = "cancelled"
    """A person ended it; the best state is kept."""
    BROKEN_AGENT = "broken_agent"
    """No agent could be made to work."""
    MET = "met"
    """All that was asked is there already; no agent was started."""
    WAITING = "waiting"
    """It waits for an answer; `Outcome.questions` says to what."""
    INTERRUPTED = "interrupted"
    """No process works on it; `Project.resume` continues it."""
    RUNNING = "running"
    """A living process works on it."""


class Question(Value):
    """A question to a person; the run does nothing until it is answered."""

    run: str
    """Name of the run."""
    id: str
    """Names the question within its run."""
    text: Text
    """One sentence."""
    options: tuple[Option, ...]
    """The answers to choose from, and what happens then."""
    context: tuple[Text, ...] = ()
    """What a person should know to answer, one line each."""
    hint: Text = ""
    """What would help the run."""
    offer: Grant = Grant()
    """What `continue` adds where the answer names no figures of its own."""
    asked_at: Instant
    deadline: Instant | None = None
    """When `default` is taken for the answer; without one it waits without end."""
    default: Choice | None = None
    """The answer at the deadline."""


class Outcome(Value):
    """What became of a run; measured figures are those of the delivered state, or of the newest iteration."""

    run: str
    """Name of the run, for example `run-0mgq5t2k1c4f7a`."""
    status: Status
    exit_code: ExitCode | None
    """What `setpoint run` ends with; none while a process works on the run."""
    reason: Text = ""
    """One sentence: who stopped the run and why; or what it asks."""
    verdict: str = ""
    """The word of the verdict and who vouches for it; empty where the work was not examined."""
    by: tuple[Exam, ...] = ()
    """Who set the exams that the work passed."""
    branch: Text = ""
    """Branch with the result in the repository; empty where nothing was delivered."""
    commit: str = ""
    """Commit that the branch points at; empty where there is no branch."""
    base: str
    """Commit that the run started from."""
    iterations: int = 0
    bounces: int = 0
    """How often work was sent back."""
    gates: tuple[HardGate, ...] = ()
    """Conditions without which nothing is verified."""
    findings: tuple[Finding, ...] = ()
    """New against the base, of checks and reviewers, worst first."""
    failures: tuple[Failure, ...] = ()
    """Failing tests that count, worst first."""
    evidence: tuple[Evidence, ...] = ()
    """The record of each check that Setpoint ran."""
    quality: QualityVector = QualityVector()
    score: float | None = None
    """Weighted mean of the quality vector, 0 to 1."""
    questions: tuple[Question, ...] = ()
    """Open questions; only a run that is waiting has any."""
    known_issues: tuple[Text, ...] = ()
    """What is known to be wrong with work that a person accepted."""
    cost_usd: Usd = Decimal(0)
    """US dollars over all agents, as far as they are known."""
    cost_known: bool = True
    """Whether every attempt's cost is known in full."""
    tokens: int = 0
    """Tokens of all agents, in and out, as far as they are known."""
    duration_s: float = 0.0
    """Seconds that the run has worked."""
    report: Path
    """The report for people, as HTML."""

    @property
    def verified(self) -> bool:
        """Whether somebody other than the maker set the exam that it passed."""
        return self.status is Status.VERIFIED


class CheckOutcome(Value):
    """What was measured of the working tree; findings of the merge base are left out."""

    exit_code: ExitCode
    """What `setpoint check` ends with."""
    tree: str
    """The git tree that was measured."""
    fast: bool
    """Only the tests that the changes can affect ran: no verdict over the whole tree."""
    findings: tuple[Finding, ...] = ()
    """Worst first, at most 200."""
    failures: tuple[Failure, ...] = ()
    """Failing tests that count, worst first."""
    flaky: tuple[Text, ...] = ()
    """Tests that failed and then passed alone on the same tree."""
    quarantined: tuple[Text, ...] = ()
    """Failing tests in quarantine, which do not count."""
    evidence: tuple[Evidence, ...] = ()
    """The record of each check that Setpoint ran."""
    test_counts: dict[str, int] = {}
    """Number of tests by outcome; empty where no test ran."""
    coverage: Coverage | None = None
    quality: QualityVector = QualityVector()
    score: float | None = None
    """Weighted mean of the quality vector, 0 to 1."""

    @property
    def ok(self) -> bool:
        """Whether no test fails, no finding blocks and no check broke."""
        return self.exit_code is ExitCode.OK
