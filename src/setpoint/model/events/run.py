"""Events of loop 2: a run, its phases, attempts, evaluations, gates and its end."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from setpoint.model.attempt import Breakage, Mode, ModelCall, Recovery, ToolCall, Usage
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.flaky import Quarantined
from setpoint.model.gate import Answer, Choice, Gate
from setpoint.model.ids import Commit, GateId
from setpoint.model.proof import Proof
from setpoint.model.run import ChangeSize, Decision, Halt, RunOrder, RunOutcome, Snapshot
from setpoint.model.value import Text, Usd, Value
from setpoint.model.verdict import HardGate, ReviewerVersion, Verdict


class RunStarted(Value):
    """A run began, with all that it was ordered to do."""

    kind: Literal["run.started"] = "run.started"
    order: RunOrder
    workdir: str
    python: str = ""
    """The project's own interpreter; empty where none was found."""
    checks: dict[str, str] = {}
    """Checks that will run, with the reason each was chosen."""


class RunResumed(Value):
    """A run went on in a new process."""

    kind: Literal["run.resumed"] = "run.resumed"
    process: int
    """Process id of the new owner."""
    reason: str = ""


class BaselineMeasured(Value):
    """The base commit was measured."""

    kind: Literal["baseline.measured"] = "baseline.measured"
    evaluation: Evaluation


class TestsQuarantined(Value):
    """Tests whose failures do not count in this run, and those that count again since their time is up."""

    __test__ = False

    kind: Literal["tests.quarantined"] = "tests.quarantined"
    quarantine: tuple[Quarantined, ...] = ()
    ended: tuple[Quarantined, ...] = ()


class PhaseEntered(Value):
    """A phase began."""

    kind: Literal["phase.entered"] = "phase.entered"
    phase: str
    iteration: int = 0
    """0 before the first iteration."""


class PhaseCompleted(Value):
    """A phase ended; `text` is what it wrote for later phases."""

    kind: Literal["phase.completed"] = "phase.completed"
    phase: str
    iteration: int = 0
    text: str = ""
    usage: Usage = Usage()
    breakage: Breakage | None = None
    """The role's agent broke; the phase was left out."""


class PhaseApproved(Value):
    """Reviewers approved."""

    kind: Literal["phase.approved"] = "phase.approved"
    phase: str
    bounces: int


class PhasePassed(Value):
    """A measuring phase found nothing that blocks."""

    kind: Literal["phase.passed"] = "phase.passed"
    phase: str
    bounces: int


class AgentStarted(Value):
    """An agent was started on an attempt; without a matching `agent.finished` the attempt was lost."""

    kind: Literal["agent.started"] = "agent.started"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    agent: str
    mode: Mode
    prompt: str = ""
    """Artifact that holds the prompt."""


class ToolExecuted(Value):
    """An agent called a tool."""

    kind: Literal["tool.executed"] = "tool.executed"
    phase: str
    iteration: int
    label: str
    call: ToolCall


class ModelCalled(Value):
    """An agent called a model, through the recording proxy."""

    kind: Literal["model.called"] = "model.called"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    call: ModelCall


class AgentSpent(Value):
    """An attempt in flight was seen to have used so much by now; charges an attempt that is lost."""

    kind: Literal["agent.spent"] = "agent.spent"
    label: str
    attempt: int
    usage: Usage


class AgentFinished(Value):
    """An attempt ended and its result is committed."""

    kind: Literal["agent.finished"] = "agent.finished"
    phase: str
    iteration: int
    mode: Mode = Mode.FRESH
    snapshot: Snapshot
    changed_against_base: bool = True
    diff_hash: str = ""
    lines: int | None = None
    """Lines added and removed against the base commit; none where they were not counted."""
    size: ChangeSize | None = None
    """How large the change against the base commit is; none in records of earlier versions."""
    lost: int = 0
    """Earlier tries of the same attempt that broke or were lost."""
    lost_cost_usd: Usd = Decimal(0)
    """What those tries are known to have cost."""
    candidate: int = 0
    """Which of several candidates it is; their cost is told by `candidate.made`. 0 where there was one."""


class IterationEvaluated(Value):
    """Setpoint measured a tree of the run."""

    kind: Literal["iteration.evaluated"] = "iteration.evaluated"
    iteration: int
    evaluation: Evaluation


class ProofMeasured(Value):
    """Setpoint measured what proves a tree that had passed every check."""

    kind: Literal["proof.measured"] = "proof.measured"
    iteration: int
    proof: Proof


class ReviewAnswered(Value):
    """One reviewer of several answered; the verdict of the phase is `review.completed`."""

    kind: Literal["review.answered"] = "review.answered"
    iteration: int
    review: str
    """Kind of the review, for example `security`."""
    verdict: Verdict
    usage: Usage = Usage()
    made_by: ReviewerVersion = ReviewerVersion()
    """What gave the answer."""
    unreadable: tuple[ReviewerVersion, ...] = ()
    """What gave an answer that could not be read, once for each such answer."""


class ReviewCompleted(Value):
    """Reviewers judged a change."""

    kind: Literal["review.completed"] = "review.completed"
    iteration: int
    verdict: Verdict
    usage: Usage = Usage()


class PhaseBounce(Value):
    """Work went back to an earlier phase."""

    kind: Literal["loop.phase_bounce"] = "loop.phase_bounce"
    source: str
    """Phase it came from."""
    target: str
    """Phase it goes to."""
    bounce: int
    """1 for the first bounce of the run."""
    allowed: int | None = None
    """How many reworks the story may have in all; none for as many as iterations."""
    iteration: int
    findings: tuple[str, ...] = ()
    """Fingerprints of what has to be mended."""
    failures: int = 0
    reason: str = ""
    policy: str = ""
    """The policy that decided it; empty in older records."""


class LoopRestarted(Value):
    """The work goes on from the best state with a fresh context."""

    kind: Literal["loop.restarted"] = "loop.restarted"
    iteration: int
    commit: Commit
    reason: str
    policy: str = ""
    """The policy that decided it; empty where a person did, and in older records."""


class DiminishingReturns(Value):
    """Two bounces brought no fewer findings."""

    kind: Literal["loop.diminishing_returns"] = "loop.diminishing_returns"
    phase: str
    bounces: int
    counts: tuple[int, ...]


class AgentBroke(Value):
    """A try of an attempt broke; `then` says how the attempt continues."""

    kind: Literal["agent.broke"] = "agent.broke"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    agent: str
    session: str
    """The session of the brief; a recovery in a new session applies to all later attempts of it."""
    breakage: Breakage
    then: Recovery
    wait_s: float = 0.0
    """Seconds that Setpoint waits before the next try; they do not count as work of the run."""
    next_agent: str = ""
    """The agent that takes over; empty where none does."""


class LoopStagnated(Value):
    """An agent made the same tool call with the same result over and over, so its turn was ended."""

    kind: Literal["loop.stagnated"] = "loop.stagnated"
    phase: str
    iteration: int
    label: str
    attempt: int
    """1 for the first try of this label."""
    call: ToolCall
    times: int
    """How often in a row."""
    nudged: bool
    """It is told what was seen and tries once more; otherwise what stands there is judged as it is."""


class GuardFired(Value):
    """A guard stopped the loop or turned it."""

    kind: Literal["loop.guard_fired"] = "loop.guard_fired"
    iteration: int
    halt: Halt
    policy: str = ""
    """The halting policy that asked the guard; empty in older records."""


class GuardUnable(Value):
    """A guard that is switched on cannot judge the run; told once for each guard."""

    kind: Literal["loop.guard_unable"] = "loop.guard_unable"
    iteration: int
    guard: str
    """Its name, which is the name of its limit."""
    reason: str
    """What is missing."""


class BudgetWarned(Value):
    """A share of the budget is used up; told while an agent works, once for each share."""

    kind: Literal["budget.warned"] = "budget.warned"
    budget: str
    """cost, time or tokens."""
    share: float
    used: float
    limit: float


class HaltingDecided(Value):
    """The halting policy decided."""

    kind: Literal["halting.decided"] = "halting.decided"
    iteration: int
    decision: Decision
    gates: tuple[HardGate, ...] = ()
    halt: Halt | None = None
    """The guard that stopped or turned the loop, where one did."""


class GateOpened(Value):
    """A person is asked, and the run stands still until the answer."""

    kind: Literal["gate.requested"] = "gate.requested"
    gate: Gate

    @property
    def iteration(self) -> int:
        """The round it is about; 0 where it is about none."""
        return self.gate.iteration


class GateAnswered(Value):
    """A gate was answered; the first answer counts."""

    kind: Literal["gate.answered"] = "gate.answered"
    gate: GateId
    answer: Answer


class GateExpired(Value):
    """Nobody answered in time; the default is recorded as the answer."""

    kind: Literal["gate.expired"] = "gate.expired"
    gate: GateId
    choice: Choice


class CancelRequested(Value):
    """A person wants the run ended; what it does now is the last thing it does."""

    kind: Literal["run.cancel_requested"] = "run.cancel_requested"
    by: Text
    """Who wants it."""
    reason: Text = ""


class Delivered(Value):
    """The best state was fetched into the user's repository as a branch."""

    kind: Literal["run.delivered"] = "run.delivered"
    branch: str
    commit: Commit
    verified: bool
    ending: Ending | None = None
    """How the run is to end; none in runs of earlier versions."""
    notes: tuple[str, ...] = ()
    """What a person should know of the commits, such as that they could not be signed, each with a hint."""


class RunFinished(Value):
    """A run ended."""

    kind: Literal["run.finished"] = "run.finished"
    outcome: RunOutcome
