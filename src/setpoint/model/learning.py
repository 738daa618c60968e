"""One thing remembered from runs and people, and all that ever spoke for or against it."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from pydantic import Field

from setpoint.model.ids import LearningId, TraceId
from setpoint.model.value import Instant, Text, Value

EVERYWHERE = ""
"""The scope of what holds in every project."""


ON_APPROVAL = "on-approval"
"""The tag of what a person said in passing: it is shown to nobody until a person approves it."""


class LearningKind(StrEnum):
    """What sort of memory it is; decides how fast evidence fades."""

    EPISODIC = "episodic"
    """What happened in one run."""
    SEMANTIC = "semantic"
    """A fact or pattern that holds across runs."""
    PROCEDURAL = "procedural"
    """How to do something, or how not to."""


class LearningStatus(StrEnum):
    """How far a learning is believed; derived from its evidence, never set."""

    CANDIDATE = "candidate"
    """Nothing speaks for it yet but its maker; at most one of these is shown at a time."""
    ACTIVE = "active"
    CONTESTED = "contested"
    """More speaks against it than for it."""
    STALE = "stale"
    """A file it rests on has changed since."""
    SUPERSEDED = "superseded"
    """Another learning took its place."""
    RETIRED = "retired"
    """A person took it out of use."""


RECALLABLE = (LearningStatus.CANDIDATE, LearningStatus.ACTIVE)
"""Statuses in which a learning may be shown to an agent."""


class Trust(StrEnum):
    """Whose word it is, the most trusted first."""

    HUMAN = "human"
    TEAM = "team"
    """Imported from a pack that a person chose to trust."""
    SYSTEM = "system"
    """By rule, from what Setpoint measured itself."""
    EXTERNAL = "external"
    """From an agent's or a stranger's text: a candidate until a person approves it."""


class EvidenceKind(StrEnum):
    """What spoke for a learning, against it, or about its use."""

    OBSERVED = "observed"
    """The run it comes from was verified."""
    REPEATED = "repeated"
    """Another run taught the same."""
    HELPED = "helped"
    """It was followed, and the run was verified."""
    FAILED = "failed"
    """It was followed, and the run was not verified."""
    IDLE = "idle"
    """It was shown, and the run touched nothing that it is about."""
    APPROVED = "approved"
    REJECTED = "rejected"
    DISMISSED = "finding_dismissed"
    """A person dismissed a finding that it is about."""
    APPLIED = "fix_applied"
    """A person applied a fix that it is about."""
    REWRITTEN = "fix_rewritten"
    """A person wrote another fix than the one that it is about."""
    APPLY_RATE = "apply_rate"
    """How often people take fixes of its category."""
    EDITED = "branch_edited"
    """People changed the delivered branch of a run that followed it before they merged it."""
    REVERTED = "delivery_reverted"
    """People reverted what a run delivered that followed it."""
    CONTRADICTED = "contradicted"
    """A newer learning about the same subject says something else."""
    STALE = "stale"
    REVALIDATED = "revalidated"
    """The files that it rests on are what they were."""
    SUPERSEDED = "superseded"
    RETIRED = "retired"


VERDICTS = (EvidenceKind.APPROVED, EvidenceKind.REJECTED, EvidenceKind.RETIRED)
"""What people say of a learning as a whole; the last one holds."""

WEIGHTS: dict[EvidenceKind, float] = {
    EvidenceKind.OBSERVED: 0.3,
    EvidenceKind.REPEATED: 0.5,
    EvidenceKind.HELPED: 0.3,
    EvidenceKind.FAILED: -0.3,
    EvidenceKind.IDLE: 0.0,
    EvidenceKind.APPROVED: 1.5,
    EvidenceKind.REJECTED: -1.5,
    EvidenceKind.DISMISSED: -1.2,
    EvidenceKind.APPLIED: 0.6,
    EvidenceKind.REWRITTEN: -0.6,
    EvidenceKind.APPLY_RATE: 0.6,
    EvidenceKind.EDITED: -0.3,
    EvidenceKind.REVERTED: -1.2,
    EvidenceKind.CONTRADICTED: -1.0,
    EvidenceKind.STALE: 0.0,
    EvidenceKind.REVALIDATED: 0.0,
    EvidenceKind.SUPERSEDED: 0.0,
    EvidenceKind.RETIRED: 0.0,
}
"""What one entry weighs, for (positive) or against. Against weighs twice as much as for, as in R3, and a
fresh learning of 0.7 stands at 0.5 after one dismissal, as in R3's example."""


class Hint(Value):
    """What a program, not a reader, can take from a learning."""

    template: str = ""
    """The family of edits that cleared the failure, as the mechanic names them."""
    avoid: tuple[str, ...] = ()
    """Families of edits that were sent back for the same failure."""
    command: str = ""
    """A command that worked."""
    files: tuple[Text, ...] = ()
    """Files that it is about."""
    symbols: tuple[Text, ...] = ()
    """Functions and classes that it is about."""
    rules: tuple[Text, ...] = ()
    """Rules of checks, failing tests and types of errors that it is about."""

    @property
    def places(self) -> bool:
        """Whether it says where it holds."""
        return bool(self.files or self.symbols or self.rules)


class Proposal(Value):
    """A learning as it is proposed by a rule, a model or a person; the store decides what becomes of it."""

    kind: LearningKind
    title: Text = Field(min_length=1, max_length=200)
    """One line; shown first."""
    body: Text = Field(default="", max_length=4000)
    """What to know or to do."""
    context: Text = ""
    """When it is relevant, in the words a later run would use; searched, not shown."""
    scope: str = EVERYWHERE
    """The project it holds in; empty: everywhere."""
    subject: str = ""
    """What it speaks about; a newer learning of the same subject that says something else supersedes it."""
    believed: float = Field(default=0.6, ge=0.0, le=1.0)
    """Confidence before there is any evidence."""
    trust: Trust = Trust.SYSTEM
    tags: tuple[str, ...] = ()
    cites: dict[Text, str] = {}
    """Files that it rests on, each with its git blob hash; when one changes, it is stale."""
    hint: Hint = Hint()
    source: str
    """Where it comes from, for example `run:run-0m...` or `finding:2f3a...`."""
    events: tuple[str, ...] = ()
    """Keys of the recorded events that it rests on."""
    by: Text = "setpoint"
    """Who proposed it."""
    alarms: tuple[str, ...] = ()
    """What is suspicious in its text: orders, links, commands."""

    @property
    def situation(self) -> str:
        """Say when it is relevant; its title where that is not told."""
        return self.context or self.title

    @property
    def content_hash(self) -> str:
        """Recognise the same learning again: 16 hexadecimal digits of kind, scope, title and body."""
        parts = (self.kind, self.scope, " ".join(self.title.split()), " ".join(self.body.split()))
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


class Learning(Proposal):
    """A learning as it is kept; it never changes, only its evidence grows."""

    id: LearningId
    made_at: Instant


class LearningEvidence(Value):
    """One thing that spoke for or against a learning; kept for ever, once per source."""

    learning: LearningId
    source: str
    """What it comes from, within the learning: the same source counts once, however often it is told."""
    kind: EvidenceKind
    weight: float
    """Positive: for; negative: against."""
    at: Instant
    by: Text = "setpoint"
    trace_id: TraceId | None = None
    """The run it comes from, where it comes from one."""
    note: Text = ""


class Confidence(Value):
    """How far a learning is to be believed, derived from its evidence at one moment."""

    mean: float
    """0 to 1."""
    deviation: float
    """Standard deviation of the belief: wide where little is known."""
    speaks_for: float
    """Weight of what speaks for it, faded by age."""
    against: float
    entries: int
    """How many entries count."""

    @property
    def low(self) -> float:
        """Lower end of the interval that holds about four fifths of the belief."""
        return max(0.0, self.mean - 1.28 * self.deviation)

    @property
    def high(self) -> float:
        """Upper end of it."""
        return min(1.0, self.mean + 1.28 * self.deviation)


class LearningState(Value):
    """A learning with all that was said about it, as it stands at one moment."""

    learning: Learning
    status: LearningStatus
    confidence: Confidence
    evidence: tuple[LearningEvidence, ...] = ()
    superseded_by: LearningId | None = None

    @property
    def binds(self) -> bool:
        """Whether it is a person's own word, or a person's last word on it is that it holds."""
        verdicts = [each.kind for each in self.evidence if each.kind in VERDICTS]
        if verdicts:
            return verdicts[-1] is EvidenceKind.APPROVED
        return self.learning.trust is Trust.HUMAN and ON_APPROVAL not in self.learning.tags

    @property
    def contexts(self) -> tuple[str, ...]:
        """Return the situations it was taught in, its own first; a title stands for one that is not told."""
        more = (each.note for each in self.evidence if each.kind is EvidenceKind.REPEATED and each.note)
        return tuple(dict.fromkeys((self.learning.situation, *more)))


class Hit(Value):
    """A learning that shares words with a question."""

    standing: LearningState
    score: float
    """Relevance by the words alone (BM25)."""
    matched: int
    """Terms of the question that occur in it; at a step, of the request."""
    telling: float = 0.0
    """The score in words that no other learning holds; at a step, of the request alone."""


class Recollection(Value):
    """One learning that was found for a role, shown to it or held back by chance."""

    learning: LearningId
    kind: LearningKind
    title: Text
    body: Text = ""
    rank: int
    """1 for what fits best."""
    score: float
    """Relevance by the words, weighted by confidence."""
    confidence: float
    status: LearningStatus
    trust: Trust = Trust.SYSTEM
    hint: Hint = Hint()
    shown: bool
    """False where it was held back, so that its effect can be measured."""
    propensity: float
    """The chance with which it was to be shown."""
