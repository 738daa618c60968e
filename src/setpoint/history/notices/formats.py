"""What each kind of receiver is sent."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from setpoint.errors import UsageError
from setpoint.history.notices.notice import Notice
from setpoint.model.config.notice_target import NoticeForm, NoticeKind

MARK = "whsec_"
"""Begins the secret of a webhook."""
_LEAST_SECRET = 16
"""Bytes; shorter secrets can be guessed."""
_TAGS = {
    NoticeKind.ASKS: "question",
    NoticeKind.VERIFIED: "white_check_mark",
    NoticeKind.STOPPED: "warning",
    NoticeKind.REPORT: "sunrise",
}
_URGENT = 4
"""ntfy's `high`: what waits for a person."""
_NORMAL = 3


class Post(NamedTuple):
    """One request by POST."""

    url: str
    body: bytes
    headers: dict[str, str]


def post_of(form: NoticeForm, url: str, notice: Notice) -> Post:
    """Write a notice for a receiver; a webhook is signed later, with the time at which it is sent."""
    told: object = notice.payload()
    if form is NoticeForm.SLACK:
        told = {"text": f"*{_for_slack(notice.title)}*\n{_for_slack(notice.text)}"}
    elif form is NoticeForm.NTFY:
        url, told = _for_ntfy(url, notice)
    return Post(url, json.dumps(told).encode(), {"content-type": "application/json"})


def signed(post: Post, notice: Notice, secret: str, now: datetime) -> Post:
    """Sign a request by the rules of Standard Webhooks: its id, its time and its body, by HMAC-SHA256."""
    stamp = str(int(now.timestamp()))
    content = b".".join((notice.id.encode(), stamp.encode(), post.body))
    signature = base64.b64encode(hmac.digest(_key(secret), content, hashlib.sha256)).decode()
    own = {
        "webhook-id": notice.id,
        "webhook-timestamp": stamp,
        "webhook-signature": f"v1,{signature}",
    }
    return post._replace(headers={**post.headers, **own})


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.strip().removeprefix(MARK), validate=True)
    except binascii.Error:
        key = b""
    if len(key) < _LEAST_SECRET:
        message = f"the secret of a webhook is not base64 of at least {_LEAST_SECRET} bytes"
        hint = f'make one: echo "{MARK}$(openssl rand -base64 32)"'
        raise UsageError(message, hint=hint)
    return key


def _for_slack(text: str) -> str:
    """Escape what would be a link, a mention or a command in Slack."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _for_ntfy(url: str, notice: Notice) -> tuple[str, dict[str, object]]:
    """Return the address of the server, and a message for the topic that the path ends with."""
    parts = urlsplit(url)
    above, _, topic = parts.path.rstrip("/").rpartition("/")
    if not topic:
        raise UsageError(
            "the URL of an ntfy server names no topic", hint="for example https://ntfy.sh/my-topic"
        )
    told: dict[str, object] = {
        "topic": topic,
        "title": notice.title,
        "message": notice.text,
        "tags": [_TAGS[notice.kind]],
        "priority": _URGENT if notice.kind is NoticeKind.ASKS else _NORMAL,
    }
    return urlunsplit((parts.scheme, parts.netloc, f"{above}/", parts.query, "")), told
