"""What the API and the webhooks of Forgejo and Gitea say: the keys that Setpoint reads."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from setpoint.forges.http import Answered


class Account(Answered):
    """A person; deleted ones are called Ghost."""

    login: str = Field(min_length=1)


class LabelFacts(Answered):
    """A label."""

    name: str


class IssueFacts(Answered):
    """An issue."""

    number: int = Field(ge=1)
    title: str
    body: str | None = None
    user: Account | None = None
    state: str = "open"
    html_url: str = ""
    labels: tuple[LabelFacts, ...] | None = None
    updated_at: AwareDatetime


class TimelineEntry(Answered):
    """Something that happened to an issue."""

    type: str = ""
    body: str | None = None
    """For a label: `1` where it was put on."""
    user: Account | None = None
    created_at: AwareDatetime
    label: LabelFacts | None = None


class CommentFacts(Answered):
    """A comment below an issue or a pull request."""

    id: int
    body: str | None = None
    user: Account | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    html_url: str = ""
    issue_url: str = ""
    pull_request_url: str = ""


class LineCommentFacts(Answered):
    """A comment on a line, which belongs to a review."""

    id: int
    body: str | None = None
    user: Account | None = None
    resolver: Account | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    html_url: str = ""
    path: str = ""
    position: int | None = None
    """The line in the new file."""
    commit_id: str = ""
    original_commit_id: str = ""


class ReviewFacts(Answered):
    """A review."""

    id: int
    body: str | None = None
    user: Account | None = None
    state: str
    dismissed: bool = False
    submitted_at: AwareDatetime | None = None
    commit_id: str | None = None
    html_url: str = ""
    comments_count: int = 0


class RepositoryFacts(Answered):
    """A repository."""

    full_name: str = ""


class End(Answered):
    """One of the two branches of a pull request."""

    ref: str
    sha: str
    repo: RepositoryFacts | None = None


class PullFacts(Answered):
    """A pull request."""

    number: int = Field(ge=1)
    title: str = ""
    body: str | None = None
    state: str
    draft: bool | None = None
    merged: bool | None = None
    merged_by: Account | None = None
    merge_commit_sha: str | None = None
    html_url: str = ""
    updated_at: AwareDatetime | None = None
    head: End
    base: End


class PermissionFacts(Answered):
    """What a person may do."""

    permission: str = ""
    user: Account | None = None


class Written(Answered):
    """Something that was made."""

    html_url: str | None = None
