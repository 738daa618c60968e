"""Pull requests, reviews and comments on lines, as GitHub shows them."""

from __future__ import annotations

from setpoint.testing.forge.naming import node, stamp
from setpoint.testing.forge.payloads.issues import label
from setpoint.testing.forge.payloads.people import reactions, user
from setpoint.testing.forge.payloads.repository import repository
from setpoint.testing.forge.records import Issue, Json, LineComment, Pull, Review, Thread
from setpoint.testing.forge.world import World


def _end(world: World, branch: str, sha: str) -> Json:
    return {
        "label": f"{world.owner}:{branch}",
        "ref": branch,
        "sha": sha,
        "user": user(world, world.owner),
        "repo": repository(world),
    }


def _links(world: World, record: Issue) -> dict[str, str]:
    url = f"{world.api_repo}/pulls/{record.number}"
    issue_url = f"{world.api_repo}/issues/{record.number}"
    return {
        "self": url,
        "html": f"{world.page}/pull/{record.number}",
        "issue": issue_url,
        "comments": f"{issue_url}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{world.api_repo}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{world.api_repo}/statuses/{record.merging.head_sha}",
    }


def short(world: World, record: Issue) -> Json:
    """Return a pull request as lists and events of reviews have it."""
    pull, links = record.merging, _links(world, record)
    page = links["html"]
    return {
        "url": links["self"],
        "id": record.id,
        "node_id": node("PullRequest", record.number),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": links["issue"],
        "number": record.number,
        "state": record.state,
        "locked": record.locked,
        "title": record.title,
        "user": user(world, record.author),
        "body": record.body or None,
        "created_at": stamp(record.created),
        "updated_at": stamp(record.updated),
        "closed_at": stamp(record.closed),
        "merged_at": stamp(pull.merged_at),
        "merge_commit_sha": pull.merge_commit or None,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "labels": [label(world, each) for each in record.labels],
        "milestone": None,
        "draft": pull.draft,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "head": _end(world, pull.head, pull.head_sha),
        "base": _end(world, pull.base, pull.base_sha),
        "_links": {name: {"href": href} for name, href in links.items()},
        "author_association": world.association(record.author),
        "auto_merge": None,
        "active_lock_reason": record.lock_reason,
    }


def full(world: World, record: Issue) -> Json:
    """Return a pull request as `GET` of one and the events of pull requests have it."""
    pull = record.merging
    meeting = world.bare.meeting(pull.base_sha, pull.head_sha)
    added, deleted, files = world.bare.counts(meeting, pull.head_sha)
    clean = record.state == "open" and world.bare.mergeable(pull.base_sha, pull.head_sha)
    state = "unknown" if record.state != "open" else "dirty" if not clean else _standing(world, pull)
    return {
        **short(world, record),
        "merged": pull.merged_at is not None,
        "mergeable": clean if record.state == "open" else None,
        "rebaseable": clean if record.state == "open" else None,
        "mergeable_state": state,
        "merged_by": user(world, pull.merged_by) if pull.merged_by else None,
        "comments": len(record.comments),
        "review_comments": sum(len(each.comments) for each in pull.threads),
        "maintainer_can_modify": False,
        "commits": len(world.bare.commits(meeting, pull.head_sha)),
        "additions": added,
        "deletions": deleted,
        "changed_files": files,
    }


def _standing(world: World, pull: Pull) -> str:
    if pull.draft:
        return "draft"
    bad = ("failure", "error", "pending", "timed_out", "cancelled", "action_required")
    latest = {each.context: each.state for each in world.statuses if each.sha == pull.head_sha}
    checks = [each.body for each in world.checks if each.body["head_sha"] == pull.head_sha]
    ended = [each.get("conclusion") or "pending" for each in checks]
    return "unstable" if any(each in bad for each in (*latest.values(), *ended)) else "clean"


def review(world: World, record: Issue, written: Review) -> Json:
    """Return a review; in webhooks its state is in lower case."""
    page = f"{world.page}/pull/{record.number}#pullrequestreview-{written.id}"
    url = f"{world.api_repo}/pulls/{record.number}"
    return {
        "id": written.id,
        "node_id": node("PullRequestReview", written.id),
        "user": user(world, written.author),
        "body": written.body,
        "state": written.state,
        "html_url": page,
        "pull_request_url": url,
        "author_association": world.association(written.author),
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "submitted_at": stamp(written.submitted),
        "commit_id": written.commit,
    }


def line_comment(world: World, record: Issue, written: LineComment) -> Json:
    """Return a comment on a line; `line` and `position` are null where the comment is outdated."""
    url = f"{world.api_repo}/pulls/comments/{written.id}"
    page = f"{world.page}/pull/{record.number}#discussion_r{written.id}"
    pull_url = f"{world.api_repo}/pulls/{record.number}"
    head = record.merging.head_sha
    outdated = is_outdated(world, record, written)
    body: Json = {
        "url": url,
        "pull_request_review_id": written.review,
        "id": written.id,
        "node_id": node("PullRequestReviewComment", written.id),
        "diff_hunk": written.hunk,
        "path": written.path,
        "commit_id": written.commit if outdated else head,
        "original_commit_id": written.commit,
        "user": user(world, written.author),
        "body": written.body,
        "created_at": stamp(written.created),
        "updated_at": stamp(written.updated),
        "html_url": page,
        "pull_request_url": pull_url,
        "author_association": world.association(written.author),
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull_url}},
        "reactions": reactions(url),
        "start_line": None if outdated else written.start_line,
        "original_start_line": written.start_line,
        "start_side": written.side if written.start_line else None,
        "line": None if outdated else written.line,
        "original_line": written.line,
        "side": written.side,
        "original_position": written.position,
        "position": None if outdated else written.position,
        "subject_type": "line",
    }
    if written.reply_to is not None:
        body["in_reply_to_id"] = written.reply_to
    return body


def is_outdated(world: World, record: Issue, written: LineComment) -> bool:
    """Return whether the commented line has another text at the head of the pull request.

    GitHub follows a line that moves; here a line that moved counts as outdated.
    """
    if written.side == "LEFT" or written.commit == record.merging.head_sha:
        return False
    lines = (world.bare.text(record.merging.head_sha, written.path) or "").splitlines()
    return written.line > len(lines) or lines[written.line - 1] != written.text


def thread(world: World, record: Issue, talked: Thread) -> Json:
    """Return a thread as its webhook event does."""
    return {
        "node_id": node("PullRequestReviewThread", talked.id),
        "comments": [line_comment(world, record, each) for each in talked.comments],
    }
