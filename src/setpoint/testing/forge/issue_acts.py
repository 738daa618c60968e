"""What can be done to issues, by people and over the REST API alike; each act sends its webhooks."""

from __future__ import annotations

from typing import Literal

from setpoint.testing.forge.events import about_issue, emit
from setpoint.testing.forge.payloads.issues import comment as comment_body
from setpoint.testing.forge.payloads.issues import issue as issue_body
from setpoint.testing.forge.payloads.issues import label as label_body
from setpoint.testing.forge.records import Comment, Issue, Json, Mark, Pull
from setpoint.testing.forge.refusal import Refused, invalid, missing
from setpoint.testing.forge.world import World

LONGEST_BODY = 65_536
"""Characters that GitHub takes for a body."""


def checked(text: str, resource: str) -> str:
    """Return a text; raises the 422 of GitHub for one that is too long."""
    if len(text) > LONGEST_BODY:
        told = f"body is too long (maximum is {LONGEST_BODY} characters)"
        raise invalid(resource, "body", message=told)
    return text


def open_issue(world: World, title: str, body: str, by: str, pull: Pull | None = None) -> Issue:
    """Open an issue, or a pull request with `pull`."""
    now = world.at()
    record = Issue(
        id=world.next_id(),
        number=max(world.issues, default=0) + 1,
        title=title,
        body=checked(body, "PullRequest" if pull else "Issue"),
        author=world.account(by).login,
        created=now,
        updated=now,
        pull=pull,
    )
    world.issues[record.number] = record
    about_issue(world, record, "opened", by)
    return record


def touch(world: World, record: Issue) -> None:
    """Set the time of the last change."""
    record.updated = world.at()


def note(world: World, record: Issue, event: str, by: str, **more: str) -> Mark:
    """Add an entry to the timeline."""
    made = Mark(id=world.next_id(), event=event, actor=by, at=world.at(), **more)  # type: ignore[arg-type] # as Mark has them
    record.timeline.append(made)
    touch(world, record)
    return made


def label(world: World, record: Issue, name: str, by: str) -> None:
    """Add a label; one that is there stays, without an event."""
    if name in record.labels:
        return
    record.labels.append(name)
    note(world, record, "labeled", by, label=name)
    about_issue(world, record, "labeled", by, {"label": label_body(world, name)})


def unlabel(world: World, record: Issue, name: str, by: str) -> None:
    """Remove a label; raises the 404 of GitHub where it is not there."""
    if name not in record.labels:
        raise Refused(404, "Label does not exist")
    record.labels.remove(name)
    note(world, record, "unlabeled", by, label=name)
    about_issue(world, record, "unlabeled", by, {"label": label_body(world, name)})


def edit(world: World, record: Issue, by: str, *, title: str | None = None, body: str | None = None) -> None:
    """Change title or body of an issue or a pull request."""
    changes: Json = {}
    if title is not None and title != record.title:
        changes["title"] = {"from": record.title}
        made = note(world, record, "renamed", by)
        made.renamed, record.title = (record.title, title), title
    if body is not None and body != record.body:
        changes["body"] = {"from": record.body}
        record.body = checked(body, "PullRequest" if record.pull else "Issue")
        record.edited = world.at()
    if changes:
        touch(world, record)
        about_issue(world, record, "edited", by, {"changes": changes})


def close(world: World, record: Issue, by: str, reason: str | None = None) -> None:
    """Close an issue or a pull request; one that is closed stays so."""
    if record.state == "closed":
        return
    record.state, record.closed = "closed", world.at()
    record.reason = None if record.pull else reason or "completed"
    note(world, record, "closed", by)
    about_issue(world, record, "closed", by)


def reopen(world: World, record: Issue, by: str) -> None:
    """Open a closed issue or pull request again."""
    if record.state == "open":
        return
    record.state, record.closed = "open", None
    record.reason = None if record.pull else "reopened"
    note(world, record, "reopened", by)
    about_issue(world, record, "reopened", by)


def lock(world: World, record: Issue, by: str, *, locked: bool, reason: str | None = None) -> None:
    """Lock or unlock the conversation."""
    record.locked, record.lock_reason = locked, reason if locked else None
    event: Literal["locked", "unlocked"] = "locked" if locked else "unlocked"
    note(world, record, event, by)
    about_issue(world, record, event, by)


def comment(world: World, record: Issue, text: str, by: str) -> Comment:
    """Write a comment; raises the 403 of GitHub in a locked conversation, and 422 for an empty text."""
    if not text.strip():
        raise invalid("IssueComment", "body", message="body cannot be blank")
    if record.locked and not world.may_write(by):
        raise Refused(403, "Unable to create comment because issue is locked.")
    now = world.at()
    author = world.account(by).login
    written = Comment(
        id=world.next_id(), author=author, body=checked(text, "IssueComment"), created=now, updated=now
    )
    record.comments.append(written)
    touch(world, record)
    _about(world, record, written, "created", by)
    return written


def edit_comment(world: World, record: Issue, written: Comment, text: str, by: str) -> None:
    """Change the text of a comment."""
    before, written.body = written.body, checked(text, "IssueComment")
    written.updated = written.edited = world.at()
    touch(world, record)
    _about(world, record, written, "edited", by, {"changes": {"body": {"from": before}}})


def delete_comment(world: World, record: Issue, written: Comment, by: str) -> None:
    """Delete a comment."""
    _about(world, record, written, "deleted", by)
    record.comments.remove(written)
    touch(world, record)


def find_comment(world: World, number: int) -> tuple[Issue, Comment]:
    """Return a comment by its number, and what it is below; raises the 404 of GitHub."""
    for record in world.issues.values():
        for written in record.comments:
            if written.id == number:
                return record, written
    raise missing()


def _about(
    world: World, record: Issue, written: Comment, action: str, by: str, more: Json | None = None
) -> None:
    content = {"issue": issue_body(world, record), "comment": comment_body(world, record, written)}
    emit(world, f"issue_comment.{action}", by, {**(more or {}), **content})
