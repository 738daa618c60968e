"""Issues, their comments, labels and timeline, as GitHub shows them."""

from __future__ import annotations

from setpoint.testing.forge.naming import node, stamp
from setpoint.testing.forge.payloads.people import reactions, user
from setpoint.testing.forge.records import Comment, Issue, Json, Mark
from setpoint.testing.forge.world import LABEL_COLOR, World


def label(world: World, name: str) -> Json:
    """Return a label."""
    number = world.label_id(name)
    return {
        "id": number,
        "node_id": node("Label", number),
        "url": f"{world.api_repo}/labels/{name}",
        "name": name,
        "color": LABEL_COLOR,
        "default": False,
        "description": None,
    }


def issue(world: World, record: Issue) -> Json:
    """Return an issue; a pull request is one with the key `pull_request`."""
    url = f"{world.api_repo}/issues/{record.number}"
    page = f"{world.page}/{'pull' if record.pull else 'issues'}/{record.number}"
    body: Json = {
        "url": url,
        "repository_url": world.api_repo,
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": page,
        "id": record.id,
        "node_id": node("Issue", record.number),
        "number": record.number,
        "title": record.title,
        "user": user(world, record.author),
        "labels": [label(world, each) for each in record.labels],
        "state": record.state,
        "locked": record.locked,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(record.comments),
        "created_at": stamp(record.created),
        "updated_at": stamp(record.updated),
        "closed_at": stamp(record.closed),
        "author_association": world.association(record.author),
        "active_lock_reason": record.lock_reason,
        "body": record.body or None,
        "reactions": reactions(url),
        "timeline_url": f"{url}/timeline",
        "performed_via_github_app": None,
        "state_reason": record.reason,
    }
    if record.pull is not None:
        body["draft"] = record.pull.draft
        body["pull_request"] = {
            "url": f"{world.api_repo}/pulls/{record.number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": stamp(record.pull.merged_at),
        }
    return body


def comment(world: World, record: Issue, written: Comment) -> Json:
    """Return a comment on an issue or on the conversation of a pull request."""
    url = f"{world.api_repo}/issues/comments/{written.id}"
    kind = "pull" if record.pull else "issues"
    return {
        "url": url,
        "html_url": f"{world.page}/{kind}/{record.number}#issuecomment-{written.id}",
        "issue_url": f"{world.api_repo}/issues/{record.number}",
        "id": written.id,
        "node_id": node("IssueComment", written.id),
        "user": user(world, written.author),
        "created_at": stamp(written.created),
        "updated_at": stamp(written.updated),
        "author_association": world.association(written.author),
        "body": written.body,
        "reactions": reactions(url),
        "performed_via_github_app": None,
    }


def mark(world: World, made: Mark) -> Json:
    """Return an entry of the timeline that is an event, not a comment."""
    body: Json = {
        "id": made.id,
        "node_id": node("Event", made.id),
        "url": f"{world.api_repo}/issues/events/{made.id}",
        "actor": user(world, made.actor),
        "event": made.event,
        "commit_id": None,
        "commit_url": None,
        "created_at": stamp(made.at),
        "performed_via_github_app": None,
    }
    if made.label:
        body["label"] = {"name": made.label, "color": LABEL_COLOR}
    if made.event == "renamed":
        body["rename"] = {"from": made.renamed[0], "to": made.renamed[1]}
    if made.event == "locked":
        body["lock_reason"] = None
    return body


def timeline(world: World, record: Issue) -> list[Json]:
    """Return events and comments of an issue, oldest first."""
    entries = [(each.at, each.id, mark(world, each)) for each in record.timeline]
    for written in record.comments:
        said = comment(world, record, written)
        said |= {"event": "commented", "actor": said["user"]}
        entries.append((written.created, written.id, said))
    return [body for *_, body in sorted(entries, key=lambda entry: entry[:2])]
