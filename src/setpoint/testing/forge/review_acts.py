"""What can be done in the review of a pull request; each act sends its webhooks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from setpoint.testing.forge.events import about_review
from setpoint.testing.forge.issue_acts import checked, note, touch
from setpoint.testing.forge.payloads.pulls import line_comment as line_comment_body
from setpoint.testing.forge.payloads.pulls import review as review_body
from setpoint.testing.forge.payloads.pulls import thread as thread_body
from setpoint.testing.forge.records import Issue, Json, LineComment, Review, Thread
from setpoint.testing.forge.refusal import invalid, missing
from setpoint.testing.forge.world import World

STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, kw_only=True)
class Remark:
    """A comment on a line, before it is written."""

    path: str
    line: int
    text: str
    side: str = "RIGHT"
    start_line: int | None = None


@dataclass(frozen=True, kw_only=True)
class _Place:
    hunk: str
    position: int
    text: str


def review(world: World, record: Issue, event: str, body: str, remarks: Iterable[Remark], by: str) -> Review:
    """Submit a review by GitHub's `event`; raises the 422 of GitHub for what it does not take."""
    if event not in STATES:
        raise invalid("PullRequestReview", "event")
    if event != "COMMENT" and by == record.author:
        verb = "approve" if event == "APPROVE" else "request changes on"
        raise invalid("PullRequestReview", "event", message=f"Can not {verb} your own pull request")
    places = [(each, _place(world, record, each)) for each in remarks]
    if not body.strip() and event != "APPROVE" and not places:
        raise invalid("PullRequestReview", "body", message="body cannot be blank")
    written = Review(
        id=world.next_id(),
        author=world.account(by).login,
        state=STATES[event],
        body=checked(body, "PullRequestReview"),
        commit=record.merging.head_sha,
        submitted=world.at(),
    )
    record.merging.reviews.append(written)
    note(world, record, "reviewed", by)
    made = [_begun(world, record, written.id, remark, place, by) for remark, place in places]
    _about_review(world, record, written, "submitted", by)
    for each in made:
        _about_line(world, record, each, "created", by)
    return written


def dismiss(world: World, record: Issue, written: Review, by: str) -> None:
    """Dismiss a review."""
    written.state = "DISMISSED"
    note(world, record, "review_dismissed", by)
    _about_review(world, record, written, "dismissed", by)


def remark(world: World, record: Issue, said: Remark, by: str) -> LineComment:
    """Comment on a line outside a review; GitHub makes a review of its own for it."""
    place = _place(world, record, said)
    made = _begun(world, record, _silent_review(world, record, by), said, place, by)
    touch(world, record)
    _about_line(world, record, made, "created", by)
    return made


def reply(world: World, record: Issue, number: int, text: str, by: str) -> LineComment:
    """Answer the first comment of a thread; raises the 404 of GitHub for another number."""
    talked = next((each for each in record.merging.threads if each.comments[0].id == number), None)
    if talked is None:
        raise missing()
    first, now = talked.comments[0], world.at()
    made = LineComment(
        **{
            **vars(first),
            "id": world.next_id(),
            "author": world.account(by).login,
            "body": checked(text, "PullRequestReviewComment"),
            "created": now,
            "updated": now,
            "edited": None,
            "review": _silent_review(world, record, by),
            "reply_to": first.id,
        }
    )
    talked.comments.append(made)
    touch(world, record)
    _about_line(world, record, made, "created", by)
    return made


def edit_remark(world: World, record: Issue, written: LineComment, text: str, by: str) -> None:
    """Change the text of a comment on a line."""
    before, written.body = written.body, checked(text, "PullRequestReviewComment")
    written.updated = written.edited = world.at()
    touch(world, record)
    _about_line(world, record, written, "edited", by, {"changes": {"body": {"from": before}}})


def resolve(world: World, record: Issue, talked: Thread, by: str, *, resolved: bool = True) -> None:
    """Resolve a thread, or open it again."""
    talked.resolved_by = by if resolved else ""
    action = "resolved" if resolved else "unresolved"
    more = {"thread": thread_body(world, record, talked)}
    about_review(world, record, f"pull_request_review_thread.{action}", by, more)


def find_remark(world: World, number: int) -> tuple[Issue, Thread, LineComment]:
    """Return a comment on a line by its number; raises the 404 of GitHub."""
    for record in world.pulls():
        for talked in record.merging.threads:
            for written in talked.comments:
                if written.id == number:
                    return record, talked, written
    raise missing()


def _silent_review(world: World, record: Issue, by: str) -> int:
    made = Review(
        id=world.next_id(),
        author=world.account(by).login,
        state="COMMENTED",
        body="",
        commit=record.merging.head_sha,
        submitted=world.at(),
    )
    record.merging.reviews.append(made)
    return made.id


def _begun(world: World, record: Issue, number: int, said: Remark, place: _Place, by: str) -> LineComment:
    now = world.at()
    made = LineComment(
        id=world.next_id(),
        author=world.account(by).login,
        body=checked(said.text, "PullRequestReviewComment"),
        created=now,
        updated=now,
        review=number,
        path=said.path,
        line=said.line,
        side=said.side,
        start_line=said.start_line,
        commit=record.merging.head_sha,
        hunk=place.hunk,
        position=place.position,
        text=place.text,
    )
    record.merging.threads.append(Thread(id=world.next_id(), comments=[made]))
    return made


def _place(world: World, record: Issue, said: Remark) -> _Place:
    """Find a line in the diff of the pull request; raises the 422 of GitHub for one outside it."""
    pull = record.merging
    meeting = world.bare.meeting(pull.base_sha, pull.head_sha)
    lines = world.bare.diff(meeting, pull.head_sha, said.path).splitlines()
    first = next((at for at, line in enumerate(lines) if line.startswith("@@")), None)
    if first is None:
        raise invalid("PullRequestReviewComment", "path")
    old = new = 0
    hunk: list[str] = []
    for position, line in enumerate(lines[first:]):
        if begun := _HUNK.match(line):
            old, new, hunk = int(begun[1]), int(begun[2]), [line]
            continue
        hunk.append(line)
        sides = {" ": ("LEFT", "RIGHT"), "-": ("LEFT",), "+": ("RIGHT",)}.get(line[:1], ())
        if said.side in sides and said.line == (new if said.side == "RIGHT" else old):
            return _Place(hunk="\n".join(hunk), position=position, text=line[1:])
        old, new = old + ("LEFT" in sides), new + ("RIGHT" in sides)
    raise invalid("PullRequestReviewComment", "line", message="line must be part of the diff")


def _about_review(world: World, record: Issue, written: Review, action: str, by: str) -> None:
    body = review_body(world, record, written)
    body |= {"state": written.state.lower(), "body": written.body or None}
    about_review(world, record, f"pull_request_review.{action}", by, {"review": body})


def _about_line(
    world: World, record: Issue, written: LineComment, action: str, by: str, more: Json | None = None
) -> None:
    content = {"comment": line_comment_body(world, record, written), **(more or {})}
    about_review(world, record, f"pull_request_review_comment.{action}", by, content)
