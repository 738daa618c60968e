"""Read what Forgejo and Gitea send to a webhook.

Their messages about reviews carry no number of the review, and older ones about labels do not say which label
was put on. Such messages give no news: asking the API does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from pydantic import Field, ValidationError

from setpoint.errors import UsageError
from setpoint.forges.forgejo import reading
from setpoint.forges.forgejo.answers import (
    Account,
    CommentFacts,
    IssueFacts,
    LabelFacts,
    PullFacts,
    RepositoryFacts,
)
from setpoint.forges.http import Answered
from setpoint.forges.signed_body import check_signature, checked_json, delivery_id, event_name, read_as
from setpoint.model.forge import Delivery, ForgeNews, Labelled

_VENDORS = ("forgejo", "gitea")


class Message(Answered):
    """What all messages have."""

    action: str = ""
    repository: RepositoryFacts | None = None
    sender: Account | None = None


class Changes(Answered):
    """What a message changes; newer versions name the labels."""

    added_labels: tuple[LabelFacts, ...] | None = None


class LabelMessage(Message):
    """`issue_label`."""

    issue: IssueFacts
    changes: Changes | None = None


class Number(Answered):
    """An issue or pull request, where nothing else of it matters."""

    number: int = Field(ge=1)


class CommentMessage(Message):
    """`issue_comment`."""

    issue: Number
    comment: CommentFacts


class PullMessage(Message):
    """`pull_request` and `pull_request_sync`."""

    pull_request: PullFacts


class _Told(NamedTuple):
    """What a message says, and when it happened."""

    news: tuple[ForgeNews, ...] = ()
    at: datetime | None = None


def read_delivery(headers: Mapping[str, str], body: bytes, secret: str) -> Delivery:
    """Check the signature of a message, and read it.

    Raises `DeliveryRefused` where it is not signed with the secret, `UsageError` where Forgejo writes no such
    messages.
    """
    vendor = next((each for each in _VENDORS if f"x-{each}-signature" in headers), _VENDORS[0])
    check_signature(headers.get(f"x-{vendor}-signature", ""), body, secret)
    event = event_name(headers, f"x-{vendor}-event")
    id_ = delivery_id(headers, f"x-{vendor}-delivery")
    checked_json(body)
    message = read_as(Message, body)
    try:
        read = _READERS.get((event, message.action))
        told = read(body) if read else _Told()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"the message cannot be read: {first['loc']}: {first['msg']}") from None
    repository = message.repository.full_name if message.repository else ""
    return Delivery(id=id_, repository=repository, at=told.at, news=told.news)


def _labelled(body: bytes) -> _Told:
    read = read_as(LabelMessage, body)
    issue, at = read.issue, read.issue.updated_at
    added = read.changes.added_labels if read.changes else None
    if issue.state != "open":
        return _Told(at=at)
    news = [
        Labelled(
            number=issue.number,
            label=label.name,
            title=issue.title,
            text=issue.body or "",
            author=reading.login(issue.user),
            by=reading.login(read.sender),
            at=at,
            url=issue.html_url,
        )
        for label in added or ()
    ]
    return _Told(tuple(news), at)


def _comment(body: bytes) -> _Told:
    read = read_as(CommentMessage, body)
    news = reading.comment(read.comment, read.issue.number).model_copy(update={"edited": False})
    return _Told((news,), news.at)


def _pull(body: bytes) -> _Told:
    read = read_as(PullMessage, body)
    return _Told((reading.pull(read.pull_request, read.sender),))


_READERS: dict[tuple[str, str], Callable[[bytes], _Told]] = {
    **{(event, "label_updated"): _labelled for event in ("issues", "issue_label")},
    **{(event, "created"): _comment for event in ("issue_comment", "pull_request_comment")},
    **{("pull_request", action): _pull for action in ("closed", "reopened", "synchronized")},
    ("pull_request_sync", "synchronized"): _pull,
}
