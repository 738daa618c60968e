"""Turn what Forgejo says into values; the same for answers of its API and for webhooks."""

from __future__ import annotations

from setpoint.forges.forgejo.answers import Account, CommentFacts, LineCommentFacts, PullFacts, ReviewFacts
from setpoint.model.forge import ForgeComment, ForgeReview, Pull, PullState, ReviewState
from setpoint.model.ids import Commit

GHOST = "Ghost"
DRAFT = "WIP: "
"""What the title of a draft begins with."""
_DRAFTS = ("wip:", "[wip]", "draft:", "[draft]")
_STATES = {
    "APPROVED": ReviewState.APPROVED,
    "REQUEST_CHANGES": ReviewState.CHANGES_REQUESTED,
    "COMMENT": ReviewState.COMMENTED,
}


def login(account: Account | None) -> str:
    """Return the login of an account."""
    return account.login if account else GHOST


def number_of(facts: CommentFacts) -> int:
    """Return the number of what a comment is below."""
    last = (facts.pull_request_url or facts.issue_url).rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() else 0


def comment(facts: CommentFacts, number: int) -> ForgeComment:
    """Return a comment below an issue or pull request."""
    return ForgeComment(
        id=f"issue-{facts.id}",
        number=number,
        author=login(facts.user),
        text=facts.body or "",
        at=facts.created_at,
        edited=facts.updated_at > facts.created_at,
        url=facts.html_url,
    )


def line_comment(facts: LineCommentFacts, number: int) -> ForgeComment:
    """Return a comment on a line."""
    return ForgeComment(
        id=f"line-{facts.id}",
        number=number,
        author=login(facts.user),
        text=facts.body or "",
        at=facts.created_at,
        edited=facts.updated_at > facts.created_at,
        file=facts.path,
        line=max(facts.position or 0, 0),
        commit=facts.original_commit_id or facts.commit_id,
        url=facts.html_url,
    )


def review(facts: ReviewFacts, number: int) -> ForgeReview | None:
    """Return a review; none where it was not sent yet, or only asks for one."""
    state = ReviewState.DISMISSED if facts.dismissed else _STATES.get(facts.state)
    if state is None or facts.submitted_at is None:
        return None
    return ForgeReview(
        id=str(facts.id),
        number=number,
        author=login(facts.user),
        state=state,
        text=facts.body or "",
        at=facts.submitted_at,
        commit=facts.commit_id or "",
        url=facts.html_url,
    )


def pull(facts: PullFacts, closed_by: Account | None = None) -> Pull:
    """Return a pull request; only a webhook says who closed it."""
    ended = PullState.MERGED if facts.merged else PullState.CLOSED
    state = ended if facts.state == "closed" else PullState.OPEN
    ended_by = facts.merged_by if facts.merged else closed_by if state is PullState.CLOSED else None
    home = facts.base.repo.full_name if facts.base.repo else ""
    return Pull(
        number=facts.number,
        state=state,
        draft=is_draft(facts),
        branch=facts.head.ref,
        head=Commit(facts.head.sha),
        into=facts.base.ref,
        merge_commit=(facts.merge_commit_sha or "") if facts.merged else "",
        by=ended_by.login if ended_by else "",
        foreign=facts.head.repo is None or facts.head.repo.full_name != home,
        url=facts.html_url,
    )


def is_draft(facts: PullFacts) -> bool:
    """Return whether a pull request is a draft; older versions say it in the title alone."""
    return facts.draft if facts.draft is not None else facts.title.lower().startswith(_DRAFTS)
