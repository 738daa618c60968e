"""What a forge (GitHub, GitLab, Forgejo) says about a repository, and what Setpoint shows there."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from setpoint.model.ids import Commit
from setpoint.model.value import Instant, Text, Value


class Permission(StrEnum):
    """What a person may do in a repository, as the forge says when it is asked."""

    NONE = "none"
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    @property
    def trusted(self) -> bool:
        """Whether this person may push, and so may order work."""
        return self in (Permission.WRITE, Permission.ADMIN)


class Labelled(Value):
    """A person put a label on an open issue: an order to work on it, with the text of that moment."""

    kind: Literal["labelled"] = "labelled"
    number: int = Field(ge=1)
    label: Text
    title: Text
    text: Text = ""
    author: Text
    """Login of the person who wrote the issue."""
    by: Text
    """Login of the person who put the label on."""
    at: Instant
    """When the label was put on."""
    edited: bool = False
    """Whether title or text changed after that, so that nobody ordered what they say now."""
    url: Text = ""

    @property
    def key(self) -> str:
        """Name this fact; the same however often and by whichever way it arrives."""
        return f"labelled:{self.number}:{self.label}:{int(self.at.timestamp())}"


class ForgeComment(Value):
    """A comment on an issue, on a pull request, or on a line of its change."""

    kind: Literal["comment"] = "comment"
    id: Text
    """Its number at the forge, after `issue-` or `line-`, because the two are counted apart."""
    number: int = Field(ge=1)
    """Of the issue or pull request."""
    author: Text
    text: Text
    at: Instant
    edited: bool = False
    """Whether it was changed after it was written."""
    file: Text = ""
    """For a comment on a line: the path from the root of the repository."""
    line: int = Field(default=0, ge=0)
    """1-based; 0 where it is about no line."""
    commit: str = ""
    """The commit that a comment on a line was written on."""
    reply_to: Text = ""
    """The `id` of the comment that it answers."""
    url: Text = ""

    @property
    def key(self) -> str:
        """Name this fact; the same however often and by whichever way it arrives."""
        return f"comment:{self.id}"


class ReviewState(StrEnum):
    """What a review says."""

    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    COMMENTED = "commented"
    DISMISSED = "dismissed"


class ForgeReview(Value):
    """A review of a pull request; its comments on lines are comments of their own."""

    kind: Literal["review"] = "review"
    id: Text
    number: int = Field(ge=1)
    """Of the pull request."""
    author: Text
    state: ReviewState
    text: Text = ""
    at: Instant
    commit: str = ""
    """The head commit that was reviewed."""
    url: Text = ""

    @property
    def key(self) -> str:
        """Name this fact; the same however often and by whichever way it arrives."""
        return f"review:{self.id}:{self.state}"


class ThreadResolved(Value):
    """A person resolved a thread of comments on a line."""

    kind: Literal["thread"] = "thread"
    number: int = Field(ge=1)
    """Of the pull request."""
    comment: Text
    """The `id` of the first comment of the thread."""
    by: Text = ""

    @property
    def key(self) -> str:
        """Name this fact; the same however often and by whichever way it arrives."""
        return f"thread:{self.comment}"


class PullState(StrEnum):
    """What became of a pull request."""

    OPEN = "open"
    CLOSED = "closed"
    MERGED = "merged"


class Pull(Value):
    """A pull request (merge request) as it is now."""

    kind: Literal["pull"] = "pull"
    number: int = Field(ge=1)
    state: PullState
    draft: bool = False
    branch: Text
    """The branch that is to be merged, in this repository."""
    head: Commit
    """Its newest commit."""
    into: Text
    """The branch that it is to be merged into."""
    merge_commit: str = ""
    """The commit that brought it in, where it is merged."""
    by: Text = ""
    """Login of the person who merged or closed it."""
    foreign: bool = False
    """Whether the branch lies in another repository (a fork)."""
    url: Text = ""

    @property
    def key(self) -> str:
        """Name this state; the same however often and by whichever way it arrives."""
        return f"pull:{self.number}:{self.state}:{self.head}"


class Deployed(Value):
    """The forge says that a commit was deployed."""

    kind: Literal["deployed"] = "deployed"
    id: Text
    commit: Commit
    environment: Text
    at: Instant

    @property
    def key(self) -> str:
        """Name this fact; the same however often and by whichever way it arrives."""
        return f"deployed:{self.id}"


ForgeNews = Labelled | ForgeComment | ForgeReview | ThreadResolved | Pull | Deployed
"""One thing that happened at a forge."""


class CommandName(StrEnum):
    """What a comment can order."""

    CONTINUE = "continue"
    HINT = "hint"
    REWORK = "rework"
    STATUS = "status"
    ACCEPT = "accept"
    APPROVE = "approve"
    REJECT = "reject"
    CANCEL = "cancel"


DECISIONS = frozenset({CommandName.ACCEPT, CommandName.APPROVE, CommandName.REJECT, CommandName.CANCEL})
"""Commands that decide about work: an agent must never be able to write them under a person's name."""


class ForgeCommand(Value):
    """A command in a comment."""

    name: CommandName
    iterations: int = 0
    """For `continue`: how many more; 0: as the question offers."""
    text: Text = ""
    """What follows the name."""


class Delivery(Value):
    """One message that a forge sent to a webhook."""

    id: Text
    """As the forge names it; the same when it is sent again."""
    repository: Text
    """Its full name, `owner/name`."""
    at: Instant | None = None
    """When what it says happened; none where it does not say."""
    news: tuple[ForgeNews, ...] = ()
    """Empty for messages about what Setpoint does not use."""


class PullText(Value):
    """What a pull request of Setpoint's says."""

    branch: Text
    into: Text
    title: Text
    text: Text
    """Markdown."""
    draft: bool


class Level(StrEnum):
    """How much an annotation matters."""

    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


class Annotation(Value):
    """A remark on a line of a commit."""

    file: Text
    line: int = Field(ge=1)
    level: Level
    title: Text
    text: Text


class CheckConclusion(StrEnum):
    """What Setpoint says about a commit."""

    SUCCESS = "success"
    NEUTRAL = "neutral"
    """Nothing is wrong that was measured, and the work is not proved."""
    FAILURE = "failure"


class CheckSummary(Value):
    """What Setpoint says about a commit at a forge: a check run, or a commit status."""

    name: Text = "setpoint"
    conclusion: CheckConclusion
    title: Text
    """One line."""
    text: Text
    """Markdown."""
    annotations: tuple[Annotation, ...] = ()
    url: Text = ""
    """Where the details are; empty: nowhere on the web."""
