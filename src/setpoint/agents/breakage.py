"""Classify how an agent broke by the structure of its answer, never by text that echoes an error."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from setpoint.agents.launch import Launch
from setpoint.agents.spending.meter import UsageMeter
from setpoint.agents.streams.turn_record import Failure
from setpoint.model.attempt import NOT_REACHED, Breakage, BreakageKind

AUTH_REQUIRED = -32000
"""ACP's code for an agent that wants a login first."""
_NOT_FOUND = -32002
"""ACP's code for a resource that does not exist: what a prompt names is its session."""
OPENING = "opening a session"
"""What a wait before the first prompt is called."""
_PROTOCOL_CODES = frozenset({-32700, -32600, -32601, -32602})
_BY_STATUS = {
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
}
_STATUS_KEYS = frozenset({"status", "statuscode", "httpstatus", "httpstatuscode", "code"})
_NAME_KEYS = frozenset(
    {"type", "code", "status", "kind", "errorkind", "errorcode", "reason", "codexerrorinfo"}
)
_STATUS = re.compile(r"\b(401|403|407|413|429|502|503|504|529)\b")
_KNOWN_BETTER = (BreakageKind.MISSING, BreakageKind.BUDGET, BreakageKind.SESSION)
_WAIT_KEYS = frozenset({"retryafter", "retryafterseconds", "retrydelay", "resetsinseconds", "resetafter"})
_RESET_KEYS = frozenset({"resetsat", "resetat", "ratelimitreset", "retryat"})
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)(ms|s)?$")
_EMBEDDED = re.compile(r"\{.*\}", re.DOTALL)
FORBIDDEN = 403
"""The status of an account that is known and may not do what was asked."""
_REFUSED = frozenset({"permission_error", "permission_denied"})
_DEPTH = 6
_MILLISECONDS = 1e11
"""A time since 1970 above this is in milliseconds."""
_SHOWN_CHARS = 600


def of_error(launch: Launch, code: object, message: str, data: object) -> Breakage:
    """Name the breakage behind a JSON-RPC error: by its code, else by a status or a name in its data."""
    kind, status = _kind(code, data), _status(code, data)
    shown = _shortened(message if data is None else f"{message}: {_readable(data)}")
    return Breakage(
        kind=kind,
        message=f"{launch.name} answered with error {code}: {shown}; {_mend(launch, kind, status)}",
        wait_s=wait_of(data),
        status=status,
    )


def known(launch: Launch, broken: Breakage | None, spending: UsageMeter) -> Breakage | None:
    """Name a breakage by the last call of a model that the recording proxy saw, where the agent told less.

    A turn that was ended because the model refused one call after the other is a breakage too.
    """
    call = spending.last_call
    if broken is None and spending.refused:
        message = f"{launch.name} repeated a call that its model refused"
        broken = Breakage(kind=BreakageKind.MODEL, message=message)
    if broken is None or call is None or broken.kind in _KNOWN_BETTER:
        return broken
    unreached = call.status == 0 and call.fault.startswith(NOT_REACHED)
    kind = BreakageKind.NETWORK if unreached else _BY_STATUS.get(call.status)
    if kind is None:
        return broken
    seen = "the model could not be reached" if unreached else f"the model answered with status {call.status}"
    hint = _mend(launch, kind, call.status)
    message = broken.message if broken.kind is kind else f"{broken.message} ({seen}; {hint})"
    wait_s = call.retry_after_s if call.retry_after_s is not None else broken.wait_s
    return Breakage(kind=kind, message=message, wait_s=wait_s, status=call.status or None)


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


def of_stream(launch: Launch, failure: Failure, how_long: str = "") -> Breakage:
    """Return the breakage behind an error that a command reported in its stream.

    Besides its data, a status in the message counts too: the message comes from an event that reports an
    error, and some agents put the status nowhere else.
    """
    kind, status = _kind("", failure.data), _status("", failure.data)
    if kind is BreakageKind.MODEL and (found := _EMBEDDED.search(failure.message)) is not None:
        kind, status = _kind("", found.group(0)), _status("", found.group(0))
    if kind is BreakageKind.MODEL and (named := _STATUS.search(failure.message)) is not None:
        status = int(named.group(1))
        kind = _BY_STATUS[status]
    told = f"reported an error{f' {how_long}' if how_long else ''}: {_shortened(failure.message)}"
    return Breakage(
        kind=kind,
        message=f"{launch.name} {told}; {_mend(launch, kind, status)}",
        wait_s=wait_of(failure.data),
        status=status,
    )


def missing(launch: Launch, reason: str) -> Breakage:
    """Return the breakage of a program that could not be started."""
    hint = (
        f"install it: {launch.way_in}" if launch.way_in else f"correct the command of agent '{launch.name}'"
    )
    return Breakage(kind=BreakageKind.MISSING, message=f"{launch.name}: {reason}; {hint}")


def prompt_too_long(launch: Launch, size: int) -> Breakage:
    """Return the breakage of a prompt that is too long for an argument."""
    hint = f"leave {{prompt}} out of the command of agent '{launch.name}' and have it read standard input"
    message = f"{launch.name}: the prompt ({size} bytes) is too long for an argument; {hint}"
    return Breakage(kind=BreakageKind.MISSING, message=message)


def no_choice(launch: Launch, what: str, wanted: str, offered: Sequence[str]) -> Breakage:
    """Return the breakage of a setting that names a model or a mode that the agent does not offer."""
    shown = _shortened(f"it offers {', '.join(offered)}") if offered else f"it offers no choice of a {what}"
    hint = f"correct {what} under [agent.{launch.name}]"
    return Breakage(
        kind=BreakageKind.MISSING, message=f"{launch.name} has no {what} '{wanted}': {shown}; {hint}"
    )


def crash(launch: Launch, exit_code: int | None, stderr: str, junk: str) -> Breakage:
    """Return the breakage of a process that ended during its work, with its last output."""
    how = (
        "ended"
        if exit_code is None
        else f"signal {-exit_code}"
        if exit_code < 0
        else f"exit code {exit_code}"
    )
    said = _tail(stderr) or _tail(junk)
    last = f"; its last output: {said}" if said else "; it said nothing"
    return Breakage(kind=BreakageKind.CRASH, message=f"{launch.name} died ({how}){last}")


def protocol(launch: Launch, what: str, sample: str = "") -> Breakage:
    """Return the breakage of output that is not the protocol."""
    shown = f", for example: {_shortened(sample)!r}" if sample else ""
    hint = f"check that `{' '.join(launch.argv)}` starts the agent's ACP mode"
    return Breakage(kind=BreakageKind.PROTOCOL, message=f"{launch.name} {what}{shown}; {hint}")


def overdue(launch: Launch, kind: BreakageKind, seconds: float, doing: str) -> Breakage:
    """Return the breakage of a time limit."""
    if kind is BreakageKind.IDLE:
        text, hint = f"gave no sign of life for {seconds:g} s", "raise agents.idle_s if it needs longer"
    else:
        text, hint = f"was not ready after {seconds:g} s", "raise agents.wall_s if it needs longer"
    if doing == OPENING:
        hint = f"start `{' '.join(launch.argv)}` by hand and see what it waits for"
    return Breakage(kind=kind, message=f"{launch.name} {text} ({doing}); {hint}")


def _mend(launch: Launch, kind: BreakageKind, status: int | None = None) -> str:
    if kind is BreakageKind.AUTH and status == FORBIDDEN:
        return f"the account lacks the permission; choose another model under [agent.{launch.name}]"
    return {
        BreakageKind.AUTH: launch.login or f"log in to {launch.name} or hand on its key (pass_environment)",
        BreakageKind.RATE_LIMIT: "wait until the limit is lifted, or choose another agent",
        BreakageKind.OVERLOAD: "its provider has no room for now; wait, or choose another model",
        BreakageKind.NETWORK: "check the network and the address of the model",
        BreakageKind.OVERFLOW: "the conversation is too long for the model; a new session is shorter",
        BreakageKind.SESSION: "the agent has lost the session; a new one is begun",
        BreakageKind.MODEL: "the provider of the model may be down; try again, or choose another model",
        BreakageKind.PROTOCOL: f"bring {launch.name} up to date",
    }[kind]


def _kind(code: object, data: object) -> BreakageKind:
    if code == AUTH_REQUIRED:
        return BreakageKind.AUTH
    if code == _NOT_FOUND:
        return BreakageKind.SESSION
    for number in (code, *_numbers(data)):
        if number in _BY_STATUS:
            return _BY_STATUS[number]
    for name in _names(data):
        if name in _BY_NAME:
            return _BY_NAME[name]
    return BreakageKind.PROTOCOL if code in _PROTOCOL_CODES else BreakageKind.MODEL


def _status(code: object, data: object) -> int | None:
    """Return the status of HTTP that an error holds, if it is one that tells how the agent broke."""
    for number in (code, *_numbers(data)):
        if isinstance(number, int) and number in _BY_STATUS:
            return number
    return FORBIDDEN if _REFUSED & set(_names(data)) else None


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


def _readable(data: object) -> str:
    try:
        return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    except RecursionError:
        return "data that is nested too deeply to be shown"


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARS else f"{flat[:_SHOWN_CHARS]}…"


def _tail(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _SHOWN_CHARS else f"…{flat[-_SHOWN_CHARS:]}"
