"""Read what GitHub sends to a webhook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from pydantic import ValidationError

from setpoint.errors import UsageError
from setpoint.forges.github import reading
from setpoint.forges.github.answers import (
    Account,
    CommentFacts,
    DeploymentFacts,
    DeploymentState,
    IssueFacts,
    LabelFacts,
    LineCommentFacts,
    PullFacts,
    PullNumber,
    RepositoryFacts,
    ReviewFacts,
)
from setpoint.forges.http import Answered
from setpoint.forges.signed_body import check_signature, checked_json, delivery_id, event_name, read_as
from setpoint.model.forge import Delivery, ForgeNews, ThreadResolved

_ALGORITHM = "sha256="


class Message(Answered):
    """What all messages have; those of an organization name no repository."""

    action: str = ""
    repository: RepositoryFacts | None = None
    sender: Account | None = None


class LabelMessage(Message):
    """`issues`, where a label was put on."""

    issue: IssueFacts
    label: LabelFacts | None = None


class CommentMessage(Message):
    """`issue_comment`."""

    issue: PullNumber
    comment: CommentFacts


class ReviewMessage(Message):
    """`pull_request_review`."""

    pull_request: PullNumber
    review: ReviewFacts


class LineMessage(Message):
    """`pull_request_review_comment`."""

    pull_request: PullNumber
    comment: LineCommentFacts


class ThreadStart(Answered):
    """A comment of a thread."""

    id: int


class ThreadFacts(Answered):
    """A thread."""

    comments: tuple[ThreadStart, ...]


class ThreadMessage(Message):
    """`pull_request_review_thread`."""

    pull_request: PullNumber
    thread: ThreadFacts


class PullMessage(Message):
    """`pull_request`."""

    pull_request: PullFacts


class DeploymentMessage(Message):
    """`deployment_status`."""

    deployment: DeploymentFacts
    deployment_status: DeploymentState


class _Told(NamedTuple):
    """What a message says, and when it happened."""

    news: ForgeNews | None
    at: datetime | None = None


def read_delivery(headers: Mapping[str, str], body: bytes, secret: str) -> Delivery:
    """Check the signature of a message, and read it.

    Raises `DeliveryRefused` where it is not signed with the secret, `UsageError` where GitHub writes no such
    messages. News have the keys that asking the API gives them.
    """
    check_signature(_signature(headers), body, secret)
    event, id_ = event_name(headers, "x-github-event"), delivery_id(headers, "x-github-delivery")
    checked_json(body)
    message = read_as(Message, body)
    try:
        told = _told(event, message.action, body)
    except ValidationError as error:
        # GitHub's own values may not fit ours: an issue with the number 0, for example.
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"the message cannot be read: {first['loc']}: {first['msg']}") from None
    repository = message.repository.full_name if message.repository else ""
    return Delivery(id=id_, repository=repository, at=told.at, news=(told.news,) if told.news else ())


def _signature(headers: Mapping[str, str]) -> str:
    given = headers.get("x-hub-signature-256", "")
    return given.removeprefix(_ALGORITHM) if given.startswith(_ALGORITHM) else given and "?"


def _told(event: str, action: str, body: bytes) -> _Told:
    read = _READERS.get((event, action)) or _READERS.get((event, "*"))
    return read(body) if read else _Told(None)


def _labelled(body: bytes) -> _Told:
    read = read_as(LabelMessage, body)
    issue = read.issue
    if read.label is None or issue.pull_request is not None or issue.state != "open":
        return _Told(None, issue.updated_at)
    # The text is the one of the moment in which the label was put on.
    told = reading.labelled(issue, read.label.name, read.sender, issue.updated_at, edited=False)
    return _Told(told, issue.updated_at)


def _comment(body: bytes) -> _Told:
    read = read_as(CommentMessage, body)
    return _Told(reading.comment(read.comment, read.issue.number, edited=False), read.comment.created_at)


def _line(body: bytes) -> _Told:
    read = read_as(LineMessage, body)
    number = read.pull_request.number
    return _Told(reading.line_comment(read.comment, number, edited=False), read.comment.created_at)


def _review(body: bytes) -> _Told:
    read = read_as(ReviewMessage, body)
    # A review may be dismissed long after it was sent.
    at = None if read.action == "dismissed" else read.review.submitted_at
    return _Told(reading.review(read.review, read.pull_request.number), at)


def _thread(body: bytes) -> _Told:
    read = read_as(ThreadMessage, body)
    if not read.thread.comments:
        return _Told(None)
    by = read.sender.login if read.sender else ""
    first = f"line-{read.thread.comments[0].id}"
    return _Told(ThreadResolved(number=read.pull_request.number, comment=first, by=by))


def _pull(body: bytes) -> _Told:
    read = read_as(PullMessage, body)
    return _Told(reading.pull(read.pull_request, read.sender), read.pull_request.updated_at)


def _deployed(body: bytes) -> _Told:
    read = read_as(DeploymentMessage, body)
    state = read.deployment_status
    told = reading.deployed(read.deployment, state) if state.state == reading.SUCCESS else None
    return _Told(told, state.created_at)


_PULL_ACTIONS = ("closed", "reopened", "synchronize", "converted_to_draft", "ready_for_review")
_READERS: dict[tuple[str, str], Callable[[bytes], _Told]] = {
    ("issues", "labeled"): _labelled,
    ("issue_comment", "created"): _comment,
    ("pull_request_review", "submitted"): _review,
    ("pull_request_review", "dismissed"): _review,
    ("pull_request_review_comment", "created"): _line,
    ("pull_request_review_thread", "resolved"): _thread,
    **{("pull_request", action): _pull for action in _PULL_ACTIONS},
    ("deployment_status", "*"): _deployed,
}
