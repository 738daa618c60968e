"""What every request passes before a page sees it: host, size, origin, visitor; and every answer's headers.

Written for ASGI itself, so that no route, static file or error page can be reached around it.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from setpoint.web.access import Access, Visitor
from setpoint.web.access import Scope as AccessScope

MOST_BODY: Final = 64 * 1024
"""Bytes of a request's body."""
MOST_SIGNALS: Final = 1024 * 1024
"""Bytes of what a monitoring system sends at once."""
HOOKS: Final = "/hooks/"
"""Begins the paths to which programs of others send what they saw."""
FORGE: Final = "/hooks/forge"
"""Where GitHub or Forgejo sends its messages, which are signed: no visitor, no token."""
MOST_DELIVERY: Final = 25 * 1024 * 1024
"""Bytes of a message of GitHub at most, as its documentation says."""
SPANS: Final = "/hooks/otlp/v1/traces"
"""Where OpenTelemetry's SDKs send spans, in a form of their own."""
ENVELOPES: Final = re.compile(r"/api/\d{1,19}/envelope/?")
"""Paths to which Sentry's SDKs send; they name their token in a header of their own."""
CSRF_HEADER: Final = "x-setpoint-csrf"
LOGIN: Final = "/login"
HEALTHY: Final = "/healthz"
READY: Final = "/readyz"
OPEN: Final = (LOGIN, HEALTHY, READY, "/static/")
"""Paths without a visitor: the login, whether the server works, and files that are the same for everybody."""
_SAFE = ("GET", "HEAD")
_SENTRY_KEY = re.compile(r"\bsentry_key=([\w-]{1,200})")
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not `no-referrer`: with it a browser sends `Origin: null` with the form of the login page.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Sent with every answer; nothing from elsewhere is loaded, and nothing inline is run."""


@dataclass(frozen=True)
class _Refused(Exception):
    status: HTTPStatus
    reason: str


class Shield:
    """Refuses what may not pass, and tells the rest who the visitor is (`request.state.visitor`)."""

    def __init__(self, app: ASGIApp, access: Access, hosts: Iterable[str]) -> None:
        """Protect an application; `hosts` are the accepted values of `Host`, with ports."""
        self._app, self._access = app, access
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        try:
            self._checked(connection, scope)
        except _Refused as refused:
            await _answer(connection, refused)(scope, receive, _with_headers(send))
            return
        await self._app(scope, _limited(receive, allowed_at(scope["path"]).most), _with_headers(send))

    def _checked(self, connection: HTTPConnection, scope: Scope) -> None:
        headers, method = connection.headers, scope["method"]
        if headers.get("host", "").lower() not in self._hosts:
            raise _Refused(HTTPStatus.MISDIRECTED_REQUEST, "this host is not served here")
        visitor = self._visitor(connection)
        scope.setdefault("state", {})["visitor"] = visitor
        if method not in _SAFE:
            self._write(headers, visitor, scope["path"])
        signed = scope["path"] == FORGE and method == "POST"
        if visitor is None and not signed and not scope["path"].startswith(OPEN):
            raise _Refused(HTTPStatus.UNAUTHORIZED, "log in first: `setpoint serve` shows a link")

    def _visitor(self, connection: HTTPConnection) -> Visitor | None:
        if ENVELOPES.fullmatch(connection.scope["path"]):
            found = _SENTRY_KEY.search(connection.headers.get("x-sentry-auth", ""))
            visitor = self._by_key(found[1]) if found else None
            # An address with a token may leak, so its token must not allow more.
            return visitor if visitor is not None and visitor.scope is AccessScope.SIGNAL else None
        kind, _, token = connection.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            spans = connection.scope["path"] == SPANS
            return self._by_key(token.strip()) if spans else self._access.by_token(token.strip())
        cookie = connection.cookies.get(self._access.cookie, "")
        return self._access.by_session(cookie) if cookie else None

    def _by_key(self, key: str) -> Visitor | None:
        """Recognise a sender of errors by its ingest key, or by a token, as in older addresses."""
        return self._access.by_ingest_key(key) or self._access.by_token(key)

    def _write(self, headers: Headers, visitor: Visitor | None, path: str) -> None:
        """Refuse a write that another site may have made a browser send."""
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise _Refused(HTTPStatus.FORBIDDEN, "a request from another site")
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] not in self._hosts:
            raise _Refused(HTTPStatus.FORBIDDEN, "a request from another origin")
        length, allowed = headers.get("content-length", "0"), allowed_at(path)
        if not length.isdecimal() or int(length) > allowed.most:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"more than {allowed.most} bytes")
        media = headers.get("content-type", "").partition(";")[0].strip().lower()
        if media not in allowed.media:
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send {' or '.join(allowed.media)}")
        if visitor is not None and visitor.csrf:
            given = headers.get(CSRF_HEADER, "")
            if not hmac.compare_digest(given.encode(), visitor.csrf.encode()):
                raise _Refused(HTTPStatus.FORBIDDEN, f"without the header {CSRF_HEADER}; load the page again")


class Allowed(NamedTuple):
    """What a body may be."""

    most: int
    """Bytes."""
    media: tuple[str, ...]


_PAGES = Allowed(MOST_BODY, ("application/json", "application/x-www-form-urlencoded"))
_SIGNALS = Allowed(
    MOST_SIGNALS, ("application/json", "application/cloudevents+json", "application/cloudevents-batch+json")
)
_DELIVERIES = Allowed(MOST_DELIVERY, ("application/json",))
_SPANS = Allowed(MOST_SIGNALS, ("application/json", "application/x-protobuf"))
_ENVELOPES = Allowed(MOST_SIGNALS, ("application/x-sentry-envelope",))


def allowed_at(path: str) -> Allowed:
    """Say what a request to a path may bring."""
    if ENVELOPES.fullmatch(path):
        return _ENVELOPES
    if path == SPANS:
        return _SPANS
    if path == FORGE:
        return _DELIVERIES
    return _SIGNALS if path.startswith(HOOKS) else _PAGES


def _answer(connection: HTTPConnection, refused: _Refused) -> Response:
    page = "text/html" in connection.headers.get("accept", "")
    if refused.status is HTTPStatus.UNAUTHORIZED and page and connection.scope["method"] in _SAFE:
        return RedirectResponse(LOGIN, status_code=HTTPStatus.SEE_OTHER)
    if connection.scope["path"].startswith(("/api/", HOOKS)):
        return JSONResponse({"detail": refused.reason}, status_code=refused.status)
    return PlainTextResponse(refused.reason + "\n", status_code=refused.status)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


def _limited(receive: Receive, most: int) -> Receive:
    """Cut a body off that is longer than it said, or said nothing of its length."""
    seen = 0

    async def receiving() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        # What is refused here was sent by no browser and no honest program: the connection is dropped.
        return {"type": "http.disconnect"} if seen > most else message

    return receiving
