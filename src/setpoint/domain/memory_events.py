"""What happens about memory: recalling, reflecting, what people say; part of the union in `events`."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from setpoint.domain.attempt import Usage
from setpoint.domain.evidence import CheckState
from setpoint.domain.ids import Commit, GateId, LearningId
from setpoint.domain.learning import Recollection
from setpoint.domain.reflection import TaughtShape
from setpoint.domain.value import Text, Value


class Trigger(StrEnum):
    """Why a run is reflected on."""

    COMPLETED = "run_completed"
    """It is over, well or not."""
    BOUNCED = "phase_bounced_2x"
    """One phase sent the work back again and again."""
    COST = "cost_exceeded_50pct"
    """Half of the money is used."""
    ERRORS = "error_rate_high"
    """Many of the agent's tool calls fail."""
    OVERRIDDEN = "human_overrode_decision"
    """A person decided otherwise than the loop."""


class MemoryRecalled(Value):
    """A role was about to be asked, and memory was searched for what it should know."""

    kind: Literal["memory.recalled"] = "memory.recalled"
    phase: str
    iteration: int = 0
    question: Text
    """What was searched for, cut."""
    items: tuple[Recollection, ...] = ()
    """What fits, best first; those that were held back by chance too."""

    @property
    def shown(self) -> tuple[Recollection, ...]:
        """What the role is shown."""
        return tuple(item for item in self.items if item.shown)


class Followed(Value):
    """What became of a learning that was shown."""

    learning: LearningId
    followed: bool
    """The trace shows that it was acted on."""
    how: Text = ""
    """What in the trace shows it."""
    helped: bool | None = None
    """Whether the run was verified; none where it was not followed, or the run says nothing about it."""


class LearningsJudged(Value):
    """It was judged from the trace which of the learnings that were shown were followed."""

    kind: Literal["memory.followed"] = "memory.followed"
    items: tuple[Followed, ...]


class ReflectionCompleted(Value):
    """A run was looked back on, and what it taught was kept."""

    kind: Literal["reflection.completed"] = "reflection.completed"
    trigger: Trigger
    iteration: int = 0
    by: str = "rules"
    """Who reflected: `rules`, or the agent."""
    learnings: tuple[LearningId, ...] = ()
    """New ones, and those that were taught once more."""
    titles: tuple[Text, ...] = ()
    """Their titles, in the same order."""
    advice: Text = ""
    """What the running run is told in its next prompt."""
    usage: Usage = Usage(scope="none")


class ReflectionAnswered(Value):
    """A reflector was asked what a run taught; what it said is kept here, so that it is asked once."""

    kind: Literal["reflection.answered"] = "reflection.answered"
    agent: str
    taught: tuple[TaughtShape, ...] = ()
    why: Text = ""
    """Why there is no answer, where there is none."""
    usage: Usage = Usage(scope="none")


class ReflectionSkipped(Value):
    """A run was not reflected on, or what came of it was not kept."""

    kind: Literal["reflection.skipped"] = "reflection.skipped"
    trigger: Trigger
    iteration: int = 0
    reason: Text
    usage: Usage = Usage(scope="none")


class FindingDismissed(Value):
    """A person says that a finding is none."""

    kind: Literal["feedback.finding_dismissed"] = "feedback.finding_dismissed"
    finding: str
    """Its fingerprint."""
    category: str
    rule: str = ""
    file: Text = ""
    message: Text = ""
    reason: Text = ""
    by: Text
    after_s: float | None = None
    """Seconds between the end of the run and the decision."""
    considered_s: float | None = None
    """Seconds between seeing it and deciding, where a face can tell."""


class FixApplied(Value):
    """A person took a suggested fix; it was applied in the work copy and the tree measured again."""

    kind: Literal["feedback.fix_applied"] = "feedback.fix_applied"
    finding: str
    category: str
    file: Text = ""
    by: Text
    commit: Commit
    """The tree with the fix."""
    branch: str = ""
    """Where it was delivered; empty where the measurement kept it back."""
    kept: bool
    """Nothing that was green became red, and the finding is gone."""
    states: dict[str, CheckState] = {}
    """State of each check with the fix."""
    reason: Text = ""
    """Why it was not kept."""
    after_s: float | None = None


class FixRewritten(Value):
    """A person wrote another fix than the one that was suggested."""

    kind: Literal["feedback.fix_rewritten"] = "feedback.fix_rewritten"
    finding: str
    category: str
    file: Text = ""
    suggested: Text = ""
    written: Text
    """The person's change, as a unified diff."""
    by: Text
    commit: Commit
    branch: str = ""
    kept: bool
    states: dict[str, CheckState] = {}
    reason: Text = ""
    after_s: float | None = None


class HumanEdited(Value):
    """A person let a run go on and changed its work by hand; it goes on from the changed state."""

    kind: Literal["feedback.human_edited"] = "feedback.human_edited"
    gate: GateId
    """The question that was answered with it."""
    files: tuple[Text, ...]
    diff: Text
    """The person's change alone."""
    commit: Commit
    """The state with it."""
    by: Text


class CommentAdded(Value):
    """A person points at a line of the change: something that no reviewer saw."""

    kind: Literal["feedback.human_comment_added"] = "feedback.human_comment_added"
    file: Text
    line: int
    """As the change has it that was looked at."""
    text: Text
    by: Text
    after_s: float | None = None
    iteration: int = 0
    """The iteration whose change was looked at; 0: all that was changed, or nobody wrote it down."""


class DeliveryFate(StrEnum):
    """What people made of a delivered branch."""

    MERGED = "merged"
    """It was taken as it is."""
    EDITED = "edited"
    """It was changed before it was merged."""
    REVERTED = "reverted"


class DeliveryJudged(Value):
    """Git shows what people made of a delivered branch; nobody was asked."""

    kind: Literal["feedback.delivery_judged"] = "feedback.delivery_judged"
    branch: str
    fate: DeliveryFate
    commit: Commit
    """The commit that shows it."""
    files: tuple[Text, ...] = ()
    """Files that people changed behind the work."""
    diff: Text = ""
    """Their change, cut."""


class ConfidenceIncreased(Value):
    """What a person did speaks for a learning."""

    kind: Literal["feedback.confidence_increased"] = "feedback.confidence_increased"
    learning: LearningId
    before: float
    after: float
    reason: str


class ConfidenceDecreased(Value):
    """What a person did speaks against a learning."""

    kind: Literal["feedback.confidence_decreased"] = "feedback.confidence_decreased"
    learning: LearningId
    before: float
    after: float
    reason: str


Feedback = FindingDismissed | FixApplied | FixRewritten | HumanEdited | CommentAdded | DeliveryJudged
"""What people said or did about a run; it may come after the run's end."""
AboutMemory = (
    MemoryRecalled
    | LearningsJudged
    | ReflectionAnswered
    | ReflectionCompleted
    | ReflectionSkipped
    | ConfidenceIncreased
    | ConfidenceDecreased
)
"""What happened between a run and memory."""
