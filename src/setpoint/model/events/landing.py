"""Events of landing: delivered work of stories, combined one after the other and measured as it is merged."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from setpoint.model.evaluation import Evaluation
from setpoint.model.ids import Commit, StoryId, TraceId, Tree
from setpoint.model.proof import Proof
from setpoint.model.value import Text, Value

TRACE = TraceId("landing")
"""Names the record of all landings; it is not a run."""


class Queued(Value):
    """Delivered work that waits to land."""

    story: StoryId
    title: Text = ""
    run: TraceId
    branch: str
    base: Commit
    """Where its work begins."""
    tip: Commit
    """The end of its branch when the landing began."""
    needs: tuple[StoryId, ...] = ()
    """Stories whose work it begins from."""
    sent_back: int = 0
    """How often landings sent it back since it landed last."""


class LandingBegan(Value):
    """A landing began, with the stories in the order in which they are tried."""

    kind: Literal["landing.began"] = "landing.began"
    landing: str
    """Its name, for example `landing-3`."""
    branch: str
    """Where the stories land."""
    into: bool
    """Whether that branch was there before, and is fast-forwarded."""
    base: Commit
    """What the branch held."""
    queue: tuple[Queued, ...]
    remote: str = ""
    """The remote that the branch is pushed to after each story; empty: none."""


class CombinationMeasured(Value):
    """The work of a story was measured together with all that has landed."""

    kind: Literal["landing.measured"] = "landing.measured"
    landing: str
    story: StoryId
    commit: Commit
    """The merge that was measured."""
    red: tuple[Text, ...] = ()
    """What keeps it from landing; empty: it may."""
    evaluation: Evaluation
    proof: Proof | None = None
    """None where the combination failed, so that nothing is left to prove."""


class Fate(StrEnum):
    """What becomes of a story in a landing."""

    LANDED = "landed"
    SENT_BACK = "sent back"
    """It is done again on top of what has landed."""
    HELD = "held"
    """It stays where it is."""
    GONE = "gone"
    """It had landed, and somebody took it out of the branch again."""


class StoryDecided(Value):
    """It was decided what becomes of a story; recorded before the branch or the board is changed."""

    kind: Literal["landing.decided"] = "landing.decided"
    landing: str
    story: StoryId
    fate: Fate
    before: Commit
    """What the branch held; new work of a story that is sent back begins there."""
    commit: Commit
    """What it is to hold; equal to `before` where nothing changes."""
    reason: Text = ""
    """Why it does not land."""
    for_person: bool = False
    """It is held because landings sent it back too often: a person decides."""
    feedback: Text = ""
    """What the maker of a story that is sent back is told, with both changes."""


class DecisionDone(Value):
    """What was decided is done: the branch was moved, or the board says that the story goes back."""

    kind: Literal["landing.done"] = "landing.done"
    landing: str
    story: StoryId


class BranchMoved(Value):
    """Somebody else moved the branch."""

    kind: Literal["landing.moved"] = "landing.moved"
    landing: str
    now: Commit
    gone: tuple[StoryId, ...] = ()
    """Stories that had landed and that the branch does not hold any more."""


class LandingCancelled(Value):
    """A person cancelled a landing; what has landed stays."""

    kind: Literal["landing.cancelled"] = "landing.cancelled"
    landing: str


class PatchFound(Value):
    """What was found of the work of a story in the branch, after it had landed."""

    story: StoryId
    commit: Commit
    """The merge that brought it."""
    patch_id: str
    """`git patch-id --stable` of what the story changes, without context."""
    found: bool
    """Whether the branch holds that commit, and the commit brings just this."""
    by: Text = ""
    """What shows that."""


class LandingEnded(Value):
    """All stories of a landing are decided; the branch was compared with what they delivered."""

    kind: Literal["landing.ended"] = "landing.ended"
    landing: str
    commit: Commit
    tree: Tree
    measured: bool
    """Whether just this tree was measured."""
    patches: tuple[PatchFound, ...] = ()
    others: tuple[Text, ...] = ()
    """Commits on the branch that people brought meanwhile."""
    unexplained: tuple[Text, ...] = ()
    """Commits that nobody but the landing can have brought, and that are of no story: there must be none."""

    @property
    def proved(self) -> bool:
        """Whether each landed change is there, and the landing brought nothing else."""
        return all(each.found for each in self.patches) and not self.unexplained


AboutLanding = (
    LandingBegan
    | CombinationMeasured
    | StoryDecided
    | DecisionDone
    | BranchMoved
    | LandingCancelled
    | LandingEnded
)
"""What a landing records."""
