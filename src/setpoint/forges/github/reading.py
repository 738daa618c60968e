"""Turn what GitHub says into values; the same for answers of its API and for webhooks, so keys are equal."""

from __future__ import annotations

from datetime import datetime

from setpoint.forges.github.answers import (
    Account,
    CommentFacts,
    DeploymentFacts,
    DeploymentState,
    IssueFacts,
    LineCommentFacts,
    PullFacts,
    ReviewFacts,
)
from setpoint.model.forge import (
    Deployed,
    ForgeComment,
    ForgeReview,
    Labelled,
    Pull,
    PullState,
    ReviewState,
)
from setpoint.model.ids import Commit

GHOST = "ghost"
"""GitHub's name for accounts that were deleted."""
SUCCESS = "success"


def login(account: Account | None) -> str:
    """Return the login of an account."""
    return account.login if account else GHOST


def number_in(url: str) -> int:
    """Return the number that an address ends with; 0 where it ends with none."""
    last = url.rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() else 0


def labelled(issue: IssueFacts, label: str, by: Account | None, at: datetime, *, edited: bool) -> Labelled:
    """Return that a label was put on."""
    return Labelled(
        number=issue.number,
        label=label,
        title=issue.title,
        text=issue.body or "",
        author=login(issue.user),
        by=login(by),
        at=at,
        edited=edited,
        url=issue.html_url,
    )


def comment(facts: CommentFacts, number: int, *, edited: bool | None = None) -> ForgeComment:
    """Return a comment below an issue or pull request."""
    return ForgeComment(
        id=f"issue-{facts.id}",
        number=number,
        author=login(facts.user),
        text=facts.body or "",
        at=facts.created_at,
        edited=facts.updated_at > facts.created_at if edited is None else edited,
        url=facts.html_url,
    )


def line_comment(facts: LineCommentFacts, number: int, *, edited: bool) -> ForgeComment:
    """Return a comment on a line."""
    return ForgeComment(
        id=f"line-{facts.id}",
        number=number,
        author=login(facts.user),
        text=facts.body or "",
        at=facts.created_at,
        edited=edited,
        file=facts.path,
        line=max(facts.original_line or facts.line or 0, 0),
        commit=facts.original_commit_id or facts.commit_id,
        reply_to=f"line-{facts.in_reply_to_id}" if facts.in_reply_to_id else "",
        url=facts.html_url,
    )


def review(facts: ReviewFacts, number: int) -> ForgeReview | None:
    """Return a review; none where it was not sent yet, or says what Setpoint does not know."""
    state = facts.state.lower()
    if facts.submitted_at is None or state not in set(ReviewState):
        return None
    return ForgeReview(
        id=str(facts.id),
        number=number,
        author=login(facts.user),
        state=ReviewState(state),
        text=facts.body or "",
        at=facts.submitted_at,
        commit=facts.commit_id or "",
        url=facts.html_url,
    )


def pull(facts: PullFacts, closed_by: Account | None = None) -> Pull:
    """Return a pull request; `closed_by` where somebody closed it without merging."""
    merged = facts.merged or facts.merged_at is not None
    state = PullState.MERGED if merged else PullState.CLOSED if facts.state == "closed" else PullState.OPEN
    ended_by = facts.merged_by if merged else closed_by if state is PullState.CLOSED else None
    home = facts.base.repo.full_name if facts.base.repo else ""
    return Pull(
        number=facts.number,
        state=state,
        draft=bool(facts.draft),
        branch=facts.head.ref,
        head=Commit(facts.head.sha),
        into=facts.base.ref,
        merge_commit=(facts.merge_commit_sha or "") if merged else "",
        by=ended_by.login if ended_by else "",
        foreign=facts.head.repo is None or facts.head.repo.full_name != home,
        url=facts.html_url,
    )


def deployed(facts: DeploymentFacts, state: DeploymentState) -> Deployed:
    """Return that a commit was deployed."""
    return Deployed(
        id=str(facts.id),
        commit=Commit(facts.sha),
        environment=state.environment or facts.environment,
        at=state.created_at,
    )
