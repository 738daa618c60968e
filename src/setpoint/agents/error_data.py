"""What the error of an agent says: the kind of the breakage, a status of HTTP, and how long a limit lasts.

Codes and data go before texts. Texts count only in the form that the registry states for an agent, from the
beginning of the text in which the agent reports an error: never what a model said.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from setpoint.agents.launch import Quirks
from setpoint.model.attempt import BreakageKind

AUTH_REQUIRED = -32000
"""ACP's code for an agent that wants a login first."""
_NOT_FOUND = -32002
"""ACP's code for a resource that does not exist: what a prompt names is its session."""
_BY_CODE = {AUTH_REQUIRED: BreakageKind.AUTH, _NOT_FOUND: BreakageKind.SESSION}
_PROTOCOL_CODES = frozenset({-32700, -32600, -32601, -32602})
BY_STATUS = {
    401: BreakageKind.AUTH,
    403: BreakageKind.AUTH,
    407: BreakageKind.AUTH,
    413: BreakageKind.OVERFLOW,
    429: BreakageKind.RATE_LIMIT,
    502: BreakageKind.OVERLOAD,
    503: BreakageKind.OVERLOAD,
    504: BreakageKind.OVERLOAD,
    529: BreakageKind.OVERLOAD,
}
_BY_NAME = {
    "authentication_error": BreakageKind.AUTH,
    "permission_error": BreakageKind.AUTH,
    "invalid_api_key": BreakageKind.AUTH,
    "unauthenticated": BreakageKind.AUTH,
    "permission_denied": BreakageKind.AUTH,
    "unauthorized": BreakageKind.AUTH,
    "authentication_failed": BreakageKind.AUTH,
    "rate_limit": BreakageKind.RATE_LIMIT,
    "rate_limit_error": BreakageKind.RATE_LIMIT,
    "rate_limit_exceeded": BreakageKind.RATE_LIMIT,
    "insufficient_quota": BreakageKind.RATE_LIMIT,
    "resource_exhausted": BreakageKind.RATE_LIMIT,
    "usage_limit_reached": BreakageKind.RATE_LIMIT,
    "overloaded": BreakageKind.OVERLOAD,
    "overloaded_error": BreakageKind.OVERLOAD,
    "unavailable": BreakageKind.OVERLOAD,
    "server_overloaded": BreakageKind.OVERLOAD,
    "context_length_exceeded": BreakageKind.OVERFLOW,
    "request_too_large": BreakageKind.OVERFLOW,
    "context_window_exceeded": BreakageKind.OVERFLOW,
    "econnreset": BreakageKind.NETWORK,
    "econnrefused": BreakageKind.NETWORK,
    "enotfound": BreakageKind.NETWORK,
    "etimedout": BreakageKind.NETWORK,
    "connection_error": BreakageKind.NETWORK,
    "session_not_found": BreakageKind.SESSION,
    "usagelimitexceeded": BreakageKind.RATE_LIMIT,
    "contextwindowexceeded": BreakageKind.OVERFLOW,
    "serveroverloaded": BreakageKind.OVERLOAD,
    "server_error": BreakageKind.OVERLOAD,
    "transport_lost": BreakageKind.NETWORK,
}
_STATUS_KEYS = frozenset({"status", "statuscode", "httpstatus", "httpstatuscode", "code"})
_NAME_KEYS = frozenset(
    {"type", "code", "status", "kind", "errorkind", "errorcode", "reason", "codexerrorinfo"}
)
_WAIT_KEYS = frozenset({"retryafter", "retryafterseconds", "retrydelay", "resetsinseconds", "resetafter"})
_RESET_KEYS = frozenset({"resetsat", "resetat", "ratelimitreset", "retryat"})
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)(ms|s)?$")
_EMBEDDED = re.compile(r"\{.*\}", re.DOTALL)
FORBIDDEN = 403
"""The status of an account that is known and may not do what was asked."""
_REFUSED = frozenset({"permission_error", "permission_denied"})
_TEXT_KEYS = frozenset({"message", "details", "detail", "error"})
_ENDED = frozenset({"exitcode", "signal"})
"""What the data of an error hold where a process ended."""
_LOST = frozenset({"httpconnectionfailed", "responsestreamconnectionfailed", "responsestreamdisconnected"})
"""Errors of Codex whose name is a key, with a status where one came."""
_LEAST, _MOST = 400, 599
"""Statuses of HTTP that are errors."""
_TOO_LONG = (None, 400, 413)
"""Statuses with which a provider may refuse a conversation that is too long."""
_DEPTH = 6
_MILLISECONDS = 1e11
"""A time since 1970 above this is in milliseconds."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What an error says."""

    kind: BreakageKind = BreakageKind.MODEL
    status: int | None = None
    wait_s: float | None = None


def read(code: object, message: str, data: object, quirks: Quirks) -> Told:
    """Read an error: code and data first, then an object within its message, then the agent's own form."""
    told = _of_data(quirks.error_codes.get(str(code), code), data)
    if told.kind is BreakageKind.MODEL and (found := _EMBEDDED.search(message)) is not None:
        inner = _of_data("", found.group(0))
        told = inner if inner.kind is not BreakageKind.MODEL or told.status is None else told
    texts = (message, *_texts(data), *_texts(_embedded(message)))
    status = next((each for text in texts if (each := _stated(text, quirks)) is not None), None)
    if status is not None and told.status is None and told.kind is not BreakageKind.AUTH:
        # A status tells more than a name such as `server_error`.
        told = Told(kind=BY_STATUS.get(status, BreakageKind.MODEL), status=status, wait_s=told.wait_s)
    if told.kind is BreakageKind.MODEL and told.status is None and _begins(texts, quirks.login_in_error):
        return Told(kind=BreakageKind.AUTH)
    may_overflow = told.kind is BreakageKind.MODEL and told.status in _TOO_LONG
    if may_overflow and _begins(texts, quirks.overflow_in_error):
        return Told(kind=BreakageKind.OVERFLOW, status=told.status)
    return told


def _begins(texts: Iterable[str], form: str) -> bool:
    return bool(form) and any(re.match(form, text) for text in texts)


def _of_data(code: object, data: object) -> Told:
    return Told(kind=_kind(code, data), status=_status(code, data), wait_s=wait_of(data))


def _stated(text: str, quirks: Quirks) -> int | None:
    """Return the status that an agent puts into the text of an error, in the form that is its own."""
    found = re.match(quirks.status_in_error, text) if quirks.status_in_error else None
    status = int(found[1]) if found else 0
    return status if _LEAST <= status <= _MOST else None


def _texts(data: object) -> Iterator[str]:
    for key, value in _entries(data, _DEPTH):
        if key in _TEXT_KEYS and isinstance(value, str):
            yield value


def _embedded(message: str) -> str:
    found = _EMBEDDED.search(message)
    return found.group(0) if found else ""


def wait_of(data: object, now_s: float | None = None) -> float | None:
    """Return the seconds until a limit is lifted, as an answer's data say; none where they do not.

    Reads durations (`retry_after: 20`, `retryDelay: "17s"`) and times (`resets_at`, in seconds since 1970 or
    as ISO 8601 writes them), also in JSON within strings. `now_s` is the time in seconds since 1970.
    """
    now_s = time.time() if now_s is None else now_s
    for key, value in _entries(data, _DEPTH):
        waits = _duration(value) if key.replace("-", "") in _WAIT_KEYS else None
        if waits is None and key.replace("-", "") in _RESET_KEYS and (at := _moment(value)) is not None:
            waits = max(at - now_s, 0.0)
        if waits is not None:
            return waits
    return None


def _duration(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if value >= 0 else None
    found = _SECONDS.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    return float(found[1]) / (1000 if found[2] == "ms" else 1)


def _moment(value: object) -> float | None:
    """Return a time in seconds since 1970."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000 if value > _MILLISECONDS else float(value)
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except ValueError:
            return None
    return None


def _kind(code: object, data: object) -> BreakageKind:
    if isinstance(code, int) and code in _BY_CODE:
        return _BY_CODE[code]
    for number in (code, *_numbers(data)):
        if number in BY_STATUS:
            return BY_STATUS[number]
    for name in _names(data):
        if name in _BY_NAME:
            return _BY_NAME[name]
    keys = {key for key, _ in _entries(data, _DEPTH)}
    if keys & _LOST:
        return BreakageKind.NETWORK
    if keys >= _ENDED:
        return BreakageKind.CRASH
    return BreakageKind.PROTOCOL if code in _PROTOCOL_CODES else BreakageKind.MODEL


def _status(code: object, data: object) -> int | None:
    """Return the status of HTTP that an error holds, one that tells how the agent broke before others."""
    numbers = [each for each in (code, *_numbers(data)) if isinstance(each, int)]
    for number in numbers:
        if number in BY_STATUS:
            return number
    if _REFUSED & set(_names(data)):
        return FORBIDDEN
    return next((each for each in numbers if _LEAST <= each <= _MOST), None)


def _numbers(data: object) -> Iterator[int]:
    for key, value in _entries(data, _DEPTH):
        if key in _STATUS_KEYS and not isinstance(value, bool):
            if isinstance(value, int):
                yield value
            elif isinstance(value, str) and value.isdecimal():
                yield int(value)


def _names(data: object) -> Iterator[str]:
    for key, value in _entries(data, _DEPTH):
        if key in _NAME_KEYS and isinstance(value, str):
            yield value.lower()


def _entries(data: object, depth: int) -> Iterator[tuple[str, Any]]:
    """Walk all keys of nested data, also of objects that were put into a string as JSON."""
    if depth == 0:
        return
    if isinstance(data, str) and data.lstrip().startswith(("{", "[")):
        try:
            yield from _entries(json.loads(data), depth - 1)
        except (ValueError, RecursionError):
            return
    elif isinstance(data, list):
        for element in data:
            yield from _entries(element, depth - 1)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield str(key).lower().replace("_", ""), value
            yield from _entries(value, depth - 1)
