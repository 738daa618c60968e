"""One execution of a pipeline on a story: what it was ordered to do, each round, and how it ended."""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from pydantic import Field, model_validator

from setpoint.model.attempt import RULES, Attempt, AttemptLimits, Mode, Role
from setpoint.model.config.limits import Limits
from setpoint.model.config.memory_terms import MemoryTerms
from setpoint.model.ending import Ending
from setpoint.model.evaluation import Evaluation
from setpoint.model.exam import Exam
from setpoint.model.flaky import Quarantined
from setpoint.model.gate import Escalation
from setpoint.model.goals import GoalResult
from setpoint.model.halting_values import HaltingValues
from setpoint.model.halting_worth import HaltingWorth
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.model.pipeline import Pipeline
from setpoint.model.proof import HiddenTest, Proof, ProofTerms, exams_of_trust
from setpoint.model.quality import WEIGHTS
from setpoint.model.stories.story import Delivery, Story
from setpoint.model.suppression import Suppression
from setpoint.model.unjudged import UnjudgedEdits
from setpoint.model.value import Instant, Text, Usd, Value
from setpoint.model.verdict import HardGate, Verdict
from setpoint.model.wording import counted


class Action(StrEnum):
    """What the halting policy wants next."""

    HALT = "halt"
    CONFIRM = "confirm"
    CONTINUE = "continue"
    RESTART = "restart"
    ESCALATE = "escalate"


class Shadow(Value):
    """What a halting policy would have done that only watches."""

    policy: str
    """Name and version, for example `halter-v1`."""
    action: Action
    propensity: float = Field(default=1.0, ge=0, le=1)
    """Probability with which it takes this action here."""
    fitted_to: Text = ""
    """In records of earlier versions the agent whose runs it was fitted to."""
    weights: Text = ""
    """In records of earlier versions the id of its fitted weights."""


class Decision(Value):
    """One decision of the halting policy, with the figures it rests on."""

    policy: str
    """Name and version, for example `rules-v1`."""
    action: Action
    reason: str
    """One sentence a person can act on."""
    figures: dict[str, float | int | str | None] = {}
    values: HaltingValues | None = None
    """What each action was predicted to be worth; none in older records, and where no round was judged."""
    shadow: Shadow | None = None
    """What the policy that predicts would have done; it decides nothing."""
    assigned: Text = ""
    """In records of earlier versions a promoted policy that decided in this run; like all below."""
    wanted: Action | None = None
    """What the policy wanted where one more iteration was taken to see what it brings."""
    weights: Text = ""
    """Id of the fitted weights that the policy used."""
    propensity: float = Field(default=1.0, ge=0, le=1)
    """Probability with which this action was taken here."""


class ChangeSize(Value):
    """How large a change is."""

    files: int
    insertions: int
    deletions: int

    def __str__(self) -> str:
        """Return it as `2 files +15 -2`; empty for no change."""
        return f"{counted(self.files, 'file')} +{self.insertions} -{self.deletions}" if self.files else ""


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
    unhidden: tuple[Text, ...] = ()
    """Changed files that were kept although ignore rules hide them which the base does not hold."""

    @property
    def empty(self) -> bool:
        """Whether nothing changed against the parent."""
        return not self.files

    @property
    def size(self) -> ChangeSize:
        """How much changed against the parent."""
        return ChangeSize(files=len(self.files), insertions=self.insertions, deletions=self.deletions)


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
    lines: int | None = None
    """Lines added and removed against the base commit; none where they were not counted."""
    evaluation: Evaluation
    """Of the evaluate stage."""
    verdict: Verdict | None = None
    """Of the review, where it was reached."""
    tests: Evaluation | None = None
    """Of the test stage, where it was reached."""
    confirmation: Evaluation | None = None
    proof: Proof | None = None
    """What proves the change, where every other gate passed."""
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


class EnabledPlugin(Value):
    """A plug-in of another package that a run uses, as it was when the run began."""

    group: str
    """Its entry-point group, for example `setpoint.guards`."""
    name: str
    package: str
    version: str
    """Of the package."""

    def __str__(self) -> str:
        """Return it as a note of a run."""
        return f"plug-in '{self.name}' ({self.group}): {self.package} {self.version}"


class RunOrder(Value):
    """All that a run was ordered to do, frozen at its start; a change of settings does not reach it."""

    trace_id: TraceId
    root: str
    """The user's repository."""
    base: Commit
    needs: tuple[Delivery, ...] = ()
    """What the stories of `depends_on` delivered, in the order in which the base holds it."""
    story: Story
    pipeline: Pipeline
    limits: Limits = Limits()
    agents: dict[str, str] = {}
    """Agent by role; the maker under `maker`."""
    preset: str = "default"
    weights: dict[str, float] = WEIGHTS
    attempt: AttemptLimits = AttemptLimits()
    """What one attempt of an agent may use."""
    candidates_at_once: int = Field(default=2, ge=1)
    """How many candidates work at the same time; `agents` names them, under `candidate:1` and so on."""
    memory: MemoryTerms = MemoryTerms()
    """What the run takes from memory and puts into it."""
    escalation: Escalation = Escalation()
    """What becomes of the run when a guard stops it."""
    halting: HaltingWorth = HaltingWorth()
    """What the outcomes of the run are worth to the person."""
    hidden: tuple[HiddenTest, ...] = ()
    """Hidden tests of the person who ordered the work."""
    proof: ProofTerms = ProofTerms()
    """What must be proved, and whose exam is enough."""
    settings: str = "{}"
    """Settings as JSON, so that a resumed run is measured as it began; `[agent]` may hold keys: left out."""
    settings_version: int = 0
    """Version of these settings (`SETTINGS_VERSION`); 0 in orders from before it was recorded."""
    plugins: tuple[EnabledPlugin, ...] = ()
    """Plug-ins of other packages that the run uses."""
    dirty: bool = False
    """The user's tree held uncommitted changes, which the run does not see."""
    notes: tuple[str, ...] = ()
    """What was chosen for the run without being asked for, each with its reason."""
    passed_over: tuple[str, ...] = ()
    """Agents that `auto` did not take, each with the reason."""
    quarantine: tuple[Quarantined, ...] = ()
    """Tests whose failures do not count in this run, as it stood when the run began."""
    quarantine_ended: tuple[Quarantined, ...] = ()
    """Tests whose quarantine has ended, so that they count again."""
    suppressed: tuple[Suppression, ...] = ()
    """Findings that people dismissed and that block nothing in this run, as it stood when the run began."""
    series: bool = False
    """Agents are asked to commit in steps, because their own commits are delivered."""
    branch: str
    """Where the result is delivered, for example `setpoint/fix-the-tests`."""
    story_file: str = ""
    """The story's file on the board; empty where it lies elsewhere, and then nothing is written back."""
    story_digest: str = ""
    """What that file asked for when the run began, as a hash, so that a later edit is noticed."""
    started_at: Instant

    @property
    def makers(self) -> tuple[str, ...]:
        """Who makes the work: the candidates, where there are several."""
        numbered = [name for role, name in self.agents.items() if role.startswith("candidate:")]
        return tuple(numbered or [name for role, name in self.agents.items() if role == Role.MAKER])

    @property
    def others(self) -> dict[str, str]:
        """Who plays the other roles, by role; what is played by rule is left out."""
        makers = ("candidate:", Role.MAKER)
        told = {role: name for role, name in self.agents.items() if not role.startswith(makers)}
        kinds = {role for role in told if role.startswith(f"{Role.REVIEWER}:")}
        if kinds:
            told.pop(Role.REVIEWER, None)
        return {role: name for role, name in told.items() if name != RULES}


KNOWN_ISSUES_SUBJECT = "Known issues of: "
"""Begins the message of the commit that lists the known issues of accepted work."""
COMPLETION_MARK = "IMPLEMENTATION_VERIFIED"
"""Setpoint's own completion mark; an agent that writes it says nothing."""


SELF_TESTED_MARK = "SELF-TESTED"
"""Names work that passed every run, and whose exam the maker alone set."""
UNPROVEN_MARK = "UNPROVEN"
"""Names work that nobody examined, or that failed a run of the verdict."""
_NOTHING_DONE = {Ending.UNPROVABLE: " (no agent was started)", Ending.MET: " (nothing was done)"}


class RunOutcome(Value):
    """How a run ended and what came of it."""

    trace_id: TraceId
    ending: Ending
    reason: str
    """One sentence: who stopped the run and why."""
    halt: Halt | None = None
    iterations: int
    bounces: int
    by: tuple[Exam, ...] = ()
    """Who set the exams that the work passed."""
    rests_on: str = ""
    """Who vouches for the work, in words that follow the mark: `by your command …`."""
    sufficient: bool | None = None
    """Whether `proof.least` is met; none in runs of earlier versions, where verified work was enough."""
    best: Commit
    """The delivered or offered commit; the base where nothing was better."""
    best_iteration: int
    """0 for the base."""
    branch: str = ""
    """Branch in the user's repository; empty where nothing was delivered."""
    score: float | None = None
    score_of: tuple[Text, ...] = ()
    """Names of the metrics that the score rests on."""
    goals: tuple[GoalResult, ...] = ()
    """How the delivered or offered tree is judged by the goals of the run."""
    known_issues: tuple[Text, ...] = ()
    """What is known to be wrong with work that a person accepted; it is in the branch's list of debts."""
    cost_usd: Usd = Decimal(0)
    cost_known: bool = True
    """Whether every attempt's cost is known in full."""
    cost_shown: str = ""
    """The cost in words, with where it is from, for example `$0.42 (told by the agent)`."""
    tokens: int = 0
    """Tokens of all agents, in and out, as far as they are known."""
    duration_s: float
    unjudged: tuple[UnjudgedEdits, ...] = ()
    """States with edits that Setpoint keeps and did not judge, the newest attempt first."""

    @model_validator(mode="before")
    @classmethod
    def _earlier_key(cls, given: object) -> object:
        """Read outcomes of earlier versions, which hold one word for who stands behind them."""
        if not isinstance(given, dict) or "trust" not in given:
            return given
        kept = {name: value for name, value in given.items() if name != "trust"}
        return {"by": exams_of_trust(given["trust"]), **kept}

    @property
    def mark(self) -> str:
        """The completion mark, where it was earned."""
        return COMPLETION_MARK if self.ending is Ending.VERIFIED else ""

    @property
    def enough(self) -> bool:
        """Whether the work may be used as it is: examined as `proof.least` asks, or accepted by a person."""
        examined = self.ending is Ending.VERIFIED if self.sufficient is None else self.sufficient
        return examined or self.ending in (Ending.ACCEPTED, Ending.MET)

    @property
    def verdict(self) -> str:
        """The word of the verdict and who vouches for it; empty where the work was not examined."""
        return verdict_words(self.ending, self.rests_on)

    @property
    def line(self) -> str:
        """The verdict with who vouches for the work; of other endings who ended the run, and why."""
        if self.verdict:
            return self.verdict
        word = UNPROVEN_MARK if self.ending is Ending.UNPROVEN else self.ending.upper().replace("_", " ")
        who = f" by {self.halt.guard}" if self.halt else _NOTHING_DONE.get(self.ending, "")
        accepted = self.ending is Ending.ACCEPTED
        return f"{word}{who}{' ' if accepted else ': '}{self.reason.removeprefix('accepted ' * accepted)}"


def verdict_words(ending: Ending, rests_on: str) -> str:
    """Return the word for examined work, followed by who vouches for it; empty for other endings."""
    if ending is Ending.SELF_TESTED:
        return f"{SELF_TESTED_MARK}: {rests_on}"
    return f"{COMPLETION_MARK} {rests_on}".strip() if ending is Ending.VERIFIED else ""
