"""Events of loop 4: what people did with findings, fixes and delivered branches."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from setpoint.model.evidence import CheckState
from setpoint.model.finding import Finding
from setpoint.model.ids import Commit, GateId
from setpoint.model.value import Instant, Text, Value


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
    what: Finding | None = None
    """The finding as it was; none in events of older versions."""
    place: Text = ""
    """Where it is to be suppressed, as in `Suppression`."""
    until: Instant | None = None
    """Until when; none in events of older versions: the usual days."""


class FindingLifted(Value):
    """A person takes a dismissal back: the finding counts again."""

    kind: Literal["feedback.finding_lifted"] = "feedback.finding_lifted"
    finding: str
    """Its fingerprint."""
    by: Text


class FixApplied(Value):
    """A person took a suggested fix; it was applied in the work copy and the tree measured again."""

    kind: Literal["feedback.fix_applied"] = "feedback.fix_applied"
    finding: str
    category: str
    file: Text = ""
    by: Text
    start: Commit = Commit("")
    """What the fix was put on: the result of the run with the fixes before it; empty in older versions."""
    commit: Commit
    """The state with the fix; `start` where it does not fit."""
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
    start: Commit = Commit("")
    """As in `FixApplied`."""
    commit: Commit
    branch: str = ""
    kept: bool
    states: dict[str, CheckState] = {}
    reason: Text = ""
    after_s: float | None = None


Fix = FixApplied | FixRewritten


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


class ReviewWord(StrEnum):
    """What a person said about a delivered change as a whole."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    COMMENTED = "commented"
    DISMISSED = "dismissed"
    """An earlier review no longer counts."""
    RESOLVED = "resolved"
    """What was said about a line is settled."""
    CLOSED = "closed"
    """The pull request was closed without a merge."""


class ReviewGiven(Value):
    """A person reviewed a delivered change where the code is hosted."""

    kind: Literal["feedback.review_given"] = "feedback.review_given"
    word: ReviewWord
    text: Text = ""
    by: Text
    """Login at the forge."""
    number: int
    """Of the pull request."""
    commit: str = ""
    """The commit that was looked at; empty where the forge does not say."""
    url: Text = ""


Feedback = FindingDismissed | FindingLifted | Fix | HumanEdited | CommentAdded | DeliveryJudged | ReviewGiven
"""What people said or did about a run; it may come after the run's end."""
