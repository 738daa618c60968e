"""One execution of a pipeline on a story: what it was ordered to do, each round, and how it ended."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from setpoint.domain.attempt import Attempt, AttemptLimits, Mode
from setpoint.domain.evaluation import Evaluation
from setpoint.domain.ids import Commit, TraceId, Tree
from setpoint.domain.pipeline import Pipeline
from setpoint.domain.quality import WEIGHTS
from setpoint.domain.story import Story
from setpoint.domain.value import Instant, Text, Usd, Value
from setpoint.domain.verdict import HardGate, Verdict


class Limits(Value):
    """Every bound of a run; names and defaults are those of the settings."""

    max_iterations: int = Field(default=7, ge=1, le=10)
    """Full passes from making to testing."""
    max_review_bounces: int | None = Field(default=None, ge=1)
    """Bounces from review; none means as many as iterations."""
    max_test_bounces: int | None = Field(default=None, ge=1)
    """Bounces from testing; none means as many as iterations."""
    max_refinement_attempts: int | None = Field(default=None, ge=1, le=10)
    """Circuit breaker over all bounces of a story; none means as many as iterations."""
    freeze_reviews_after: int | None = Field(default=2, ge=1)
    """Reviews after which new objections must be critical, or lie on lines changed since the last one."""
    max_same_review_issue: int = Field(default=3, ge=2)
    """The same blocking review finding this many rounds running."""
    max_same_test_failure: int = Field(default=3, ge=2)
    """The same failing test with the same message this many rounds running."""
    repeated_findings: int = Field(default=2, ge=1)
    """The same set of findings this many comparisons running: restart once, then escalate."""
    restart_on_repeat: bool = True
    """Whether repeated findings restart once from the best state; otherwise they stop the run at once."""
    max_empty_diffs: int = Field(default=2, ge=1)
    """Rounds running without a change, or with the same change as before."""
    stagnation: bool = False
    """R0's variance and non-increasing rules; off, as measured to stop good runs."""
    minimum_quality: float | None = Field(default=None, ge=0, le=1)
    """R0's quality floor after three rounds; none switches it off."""
    max_cost_usd: Usd = Field(default=Decimal(5), ge=0)
    """US dollars over all agents of the run; 0 for no limit."""
    max_wall_s: float = Field(default=1800.0, gt=0)
    """Seconds from the start of the run."""
    max_agent_breakages: int = Field(default=3, ge=1)
    """Tries of one attempt before the agent counts as broken."""


class Action(StrEnum):
    """What the halting policy wants next."""

    HALT = "halt"
    CONFIRM = "confirm"
    CONTINUE = "continue"
    RESTART = "restart"
    ESCALATE = "escalate"


class Decision(Value):
    """One decision of the halting policy, with the figures it rests on."""

    policy: str
    """Name and version, for example `rules-v1`."""
    action: Action
    reason: str
    """One sentence a person can act on."""
    figures: dict[str, float | int | str | None] = {}


class Snapshot(Value):
    """The state of the work copy that one attempt left, as a commit."""

    label: str
    """The attempt's label; a snapshot is made once for each."""
    commit: Commit
    tree: Tree
    parent: Commit
    files: tuple[Text, ...] = ()
    """Paths changed against the parent."""
    insertions: int = 0
    deletions: int = 0
    attempt: Attempt | None = None
    """What was seen of the attempt, kept in the commit so that a crash loses nothing."""
    restored: tuple[Text, ...] = ()
    """Protected files the attempt had changed, put back as they stood at base."""

    @property
    def empty(self) -> bool:
        """Whether nothing changed against the parent."""
        return not self.files


class Round(Value):
    """One iteration as far as it got."""

    number: int
    """1-based."""
    chain: int = 0
    """0 until the first restart, then 1."""
    mode: Mode = Mode.FRESH
    snapshot: Snapshot
    changed_against_base: bool = True
    """Whether the round's tree differs from the base commit's."""
    diff_hash: str = ""
    """Hash of the change against its parent, free of line numbers; empty for no change."""
    evaluation: Evaluation
    """Of the evaluate stage."""
    verdict: Verdict | None = None
    """Of the review, where it was reached."""
    tests: Evaluation | None = None
    """Of the test stage, where it was reached."""
    confirmation: Evaluation | None = None
    gates: tuple[HardGate, ...] = ()
    bounced_to: str = ""
    """The phase that the round sent the work back to; empty where it did not."""
    bounced_from: str = ""

    @property
    def verified(self) -> bool:
        """Whether every hard gate was reached and passed."""
        return self.tests is not None and bool(self.gates) and all(gate.passed for gate in self.gates)

    @property
    def latest(self) -> Evaluation:
        """The evaluation that says most about the round's tree."""
        return self.confirmation or self.tests or self.evaluation


class Halt(Value):
    """Who stopped or turned a loop, why, and with which figures."""

    guard: str
    reason: str
    figures: dict[str, float | int | str] = {}
    go_on: str = ""
    """How a person can go on."""


class RunOrder(Value):
    """All that a run was ordered to do, frozen at its start; a change of settings does not reach it."""

    trace_id: TraceId
    root: str
    """The user's repository."""
    base: Commit
    story: Story
    pipeline: Pipeline
    limits: Limits = Limits()
    agents: dict[str, str] = {}
    """Agent by role; the maker under `maker`."""
    preset: str = "default"
    weights: dict[str, float] = WEIGHTS
    attempt: AttemptLimits = AttemptLimits()
    """What one attempt of an agent may use."""
    settings: str = "{}"
    """Settings as JSON, so that a resumed run is measured as it began; `[agent]` may hold keys: left out."""
    dirty: bool = False
    """The user's tree held uncommitted changes, which the run does not see."""
    notes: tuple[str, ...] = ()
    """What was chosen for the run without being asked for, each with its reason."""
    branch: str
    """Where the result is delivered, for example `setpoint/fix-the-tests`."""
    started_at: Instant


class Ending(StrEnum):
    """How a run ended."""

    VERIFIED = "verified"
    """Every hard gate passed on the delivered tree: `IMPLEMENTATION_VERIFIED`."""
    STOPPED = "stopped"
    """A guard stopped it; the best state is kept."""
    ESCALATED = "escalated"
    """It needs a person; the best state is kept."""
    BROKEN_AGENT = "broken_agent"
    """No agent could be made to work."""
    CANCELLED = "cancelled"


COMPLETION_MARK = "IMPLEMENTATION_VERIFIED"
"""Setpoint's own completion mark; an agent that writes it says nothing."""


class RunOutcome(Value):
    """How a run ended and what came of it."""

    trace_id: TraceId
    ending: Ending
    reason: str
    """One sentence: who stopped the run and why."""
    halt: Halt | None = None
    iterations: int
    bounces: int
    best: Commit
    """The delivered or offered commit; the base where nothing was better."""
    best_iteration: int
    """0 for the base."""
    branch: str = ""
    """Branch in the user's repository; empty where nothing was delivered."""
    score: float | None = None
    cost_usd: Usd = Decimal(0)
    cost_known: bool = True
    """Whether every attempt told its cost."""
    duration_s: float

    @property
    def mark(self) -> str:
        """The completion mark, where it was earned."""
        return COMPLETION_MARK if self.ending is Ending.VERIFIED else ""
