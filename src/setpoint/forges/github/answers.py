"""What GitHub's REST API and its webhooks say: the keys that Setpoint reads."""

from __future__ import annotations

from pydantic import AwareDatetime, Field

from setpoint.forges.http import Answered


class Account(Answered):
    """A person or a machine; deleted ones are null in answers."""

    login: str = Field(min_length=1)


class LabelFacts(Answered):
    """A label."""

    name: str


class PullLink(Answered):
    """Says that an issue is a pull request."""

    url: str | None = None


class IssueFacts(Answered):
    """An issue, or a pull request in its role as an issue."""

    number: int = Field(ge=1)
    title: str
    body: str | None = None
    user: Account | None = None
    state: str = "open"
    html_url: str = ""
    updated_at: AwareDatetime
    pull_request: PullLink | None = None
    closed_by: Account | None = None


class IssueEvent(Answered):
    """Something that happened to an issue."""

    event: str = ""
    actor: Account | None = None
    created_at: AwareDatetime | None = None
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


class LineCommentFacts(Answered):
    """A comment on a line or a file of a pull request."""

    id: int
    body: str | None = None
    user: Account | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    html_url: str = ""
    pull_request_url: str = ""
    path: str = ""
    line: int | None = None
    original_line: int | None = None
    commit_id: str = ""
    original_commit_id: str = ""
    in_reply_to_id: int | None = None


class ReviewFacts(Answered):
    """A review."""

    id: int
    body: str | None = None
    user: Account | None = None
    state: str
    submitted_at: AwareDatetime | None = None
    commit_id: str | None = None
    html_url: str = ""


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
    node_id: str = ""
    title: str = ""
    body: str | None = None
    state: str
    draft: bool | None = None
    merged: bool | None = None
    merged_at: AwareDatetime | None = None
    merged_by: Account | None = None
    merge_commit_sha: str | None = None
    html_url: str = ""
    updated_at: AwareDatetime | None = None
    head: End
    base: End


class PullNumber(Answered):
    """A pull request, where nothing else of it matters."""

    number: int = Field(ge=1)


class DeploymentFacts(Answered):
    """A deployment of a commit."""

    id: int
    sha: str
    environment: str = ""
    created_at: AwareDatetime
    updated_at: AwareDatetime


class DeploymentState(Answered):
    """A report about a deployment."""

    state: str
    created_at: AwareDatetime
    environment: str = ""


class PermissionFacts(Answered):
    """What a person may do."""

    permission: str = ""
    role_name: str = ""
    user: Account | None = None


class Written(Answered):
    """Something that was made."""

    id: int = 0
    html_url: str | None = None


class AppFacts(Answered):
    """A GitHub App."""

    slug: str


class InstallationToken(Answered):
    """A token of an installation of an app."""

    token: str = Field(repr=False)
    expires_at: AwareDatetime
