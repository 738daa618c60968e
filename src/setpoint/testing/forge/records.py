"""What a fake forge remembers: issues, pull requests, what people wrote, and what machines reported.

The records are mutable on purpose: they are the state of a server. Times are aware, in whole seconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Json = dict[str, Any]
"""A JSON object as it is sent; its shape is GitHub's."""

Role = Literal["admin", "maintain", "write", "triage", "read", "none"]
"""What an account may do in the repository; `maintain` counts as `write` and `triage` as `read`."""


@dataclass(kw_only=True)
class Account:
    """A person, an organization or the account of an app."""

    id: int
    login: str

    @property
    def kind(self) -> str:
        """Return GitHub's type of the account: `Bot` or `User`."""
        return "Bot" if self.login.endswith("[bot]") else "User"


@dataclass(kw_only=True)
class Comment:
    """A text that somebody wrote below an issue or a pull request."""

    id: int
    author: str
    body: str
    created: datetime
    updated: datetime
    edited: datetime | None = None
    """When the text was last edited; GraphQL's `lastEditedAt`."""


@dataclass(kw_only=True)
class Mark:
    """An entry of the timeline of an issue."""

    id: int
    event: str
    """`labeled`, `unlabeled`, `locked`, `closed`, `reopened`, `renamed`, ..."""
    actor: str
    at: datetime
    label: str = ""
    renamed: tuple[str, str] = ("", "")


@dataclass(kw_only=True)
class Review:
    """A submitted review of a pull request."""

    id: int
    author: str
    state: str
    """`APPROVED`, `CHANGES_REQUESTED`, `COMMENTED`, `DISMISSED`."""
    body: str
    commit: str
    submitted: datetime


@dataclass(kw_only=True)
class LineComment(Comment):
    """A comment on lines of the diff of a pull request."""

    review: int
    path: str
    line: int
    side: str
    start_line: int | None
    commit: str
    hunk: str
    position: int
    text: str
    """The commented line, by which the forge knows whether the comment is outdated."""
    reply_to: int | None = None


@dataclass(kw_only=True)
class Thread:
    """Comments on one place, which somebody may resolve."""

    id: int
    comments: list[LineComment] = field(default_factory=list)
    resolved_by: str = ""
    """Login; empty while the thread is open."""


@dataclass(kw_only=True)
class Pull:
    """The part of an issue that makes it a pull request."""

    head: str
    """Branch; always of the same repository."""
    base: str
    base_sha: str
    head_sha: str
    """Follows the branch while the pull request is open."""
    draft: bool = False
    merged_at: datetime | None = None
    merged_by: str = ""
    merge_commit: str = ""
    reviews: list[Review] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)


@dataclass(kw_only=True)
class Issue:
    """An issue or, with `pull`, a pull request."""

    id: int
    number: int
    title: str
    body: str
    author: str
    created: datetime
    updated: datetime
    edited: datetime | None = None
    """When the body was last edited; GraphQL's `lastEditedAt`."""
    labels: list[str] = field(default_factory=list)
    state: str = "open"
    reason: str | None = None
    closed: datetime | None = None
    locked: bool = False
    lock_reason: str | None = None
    comments: list[Comment] = field(default_factory=list)
    timeline: list[Mark] = field(default_factory=list)
    pull: Pull | None = None

    @property
    def merging(self) -> Pull:
        """Return the pull request; raises `ValueError` for an issue that is none."""
        if self.pull is None:
            raise ValueError(f"#{self.number} is an issue, not a pull request")
        return self.pull


@dataclass(kw_only=True)
class CheckRun:
    """A check run that an app reported."""

    id: int
    app: str
    body: Json
    """What was sent for it, the annotations left out."""
    annotations: list[Json] = field(default_factory=list)
    started: datetime
    completed: datetime | None = None


@dataclass(kw_only=True)
class CommitStatus:
    """A commit status."""

    id: int
    sha: str
    state: str
    context: str
    description: str | None
    target_url: str | None
    author: str
    at: datetime


@dataclass(kw_only=True)
class DeploymentStatus:
    """One state of a deployment."""

    id: int
    state: str
    description: str
    log_url: str
    author: str
    at: datetime


@dataclass(kw_only=True)
class Deployment:
    """A deployment of a commit."""

    id: int
    sha: str
    ref: str
    environment: str
    description: str
    author: str
    at: datetime
    statuses: list[DeploymentStatus] = field(default_factory=list)


@dataclass(kw_only=True)
class SarifUpload:
    """A SARIF document that was uploaded."""

    id: str
    commit: str
    ref: str
    document: Json
    """Decoded and unpacked."""


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Whom a token belongs to."""

    login: str
    app: bool = False
    """Whether it is the token of an app's installation."""
    expires: datetime | None = None
