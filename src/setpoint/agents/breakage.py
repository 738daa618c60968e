"""Classify how an agent broke by the structure of its answer, never by text that echoes an error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from setpoint.agents.launch import Launch
from setpoint.agents.streams.turn_record import Failure
from setpoint.model.attempt import Breakage, BreakageKind

AUTH_REQUIRED = -32000
"""ACP's code for an agent that wants a login first."""
OPENING = "opening a session"
"""What a wait before the first prompt is called."""
_PROTOCOL_CODES = frozenset({-32700, -32600, -32601, -32602})
_BY_STATUS = {
    401: BreakageKind.AUTH,
    403: BreakageKind.AUTH,
    407: BreakageKind.AUTH,
    429: BreakageKind.RATE_LIMIT,
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
}
_STATUS_KEYS = frozenset({"status", "statuscode", "httpstatus", "httpstatuscode", "code"})
_NAME_KEYS = frozenset({"type", "code", "status", "kind", "errorkind", "errorcode", "reason"})
_STATUS = re.compile(r"\b(401|403|407|429)\b")
_EMBEDDED = re.compile(r"\{.*\}", re.DOTALL)
_DEPTH = 6
_SHOWN_CHARS = 600


def of_error(launch: Launch, code: object, message: str, data: object) -> Breakage:
    """Name the breakage behind a JSON-RPC error: by its code, else by a status or a name in its data."""
    kind = _kind(code, data)
    shown = _shortened(message if data is None else f"{message}: {_readable(data)}")
    return Breakage(
        kind=kind, message=f"{launch.name} answered with error {code}: {shown}; {_mend(launch, kind)}"
    )


def of_stream(launch: Launch, failure: Failure, how_long: str = "") -> Breakage:
    """Return the breakage behind an error that a command reported in its stream.

    Besides its data, a status in the message counts too: the message comes from an event that reports an
    error, and some agents put the status nowhere else.
    """
    kind = _kind("", failure.data)
    if kind is BreakageKind.MODEL:
        found = _EMBEDDED.search(failure.message)
        kind = _kind("", found.group(0)) if found else kind
    if kind is BreakageKind.MODEL and (status := _STATUS.search(failure.message)) is not None:
        kind = _BY_STATUS[int(status.group(1))]
    told = f"reported an error{f' {how_long}' if how_long else ''}: {_shortened(failure.message)}"
    return Breakage(kind=kind, message=f"{launch.name} {told}; {_mend(launch, kind)}")


def missing(launch: Launch, reason: str) -> Breakage:
    """Return the breakage of a program that could not be started."""
    hint = (
        f"install it: {launch.install}" if launch.install else f"correct the command of agent '{launch.name}'"
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


def _mend(launch: Launch, kind: BreakageKind) -> str:
    return {
        BreakageKind.AUTH: launch.login or f"log in to {launch.name} or hand on its key (pass_environment)",
        BreakageKind.RATE_LIMIT: "wait until the limit is lifted, or choose another agent",
        BreakageKind.MODEL: "the provider of the model may be down; try again, or choose another model",
        BreakageKind.PROTOCOL: f"bring {launch.name} up to date",
    }[kind]


def _kind(code: object, data: object) -> BreakageKind:
    if code == AUTH_REQUIRED:
        return BreakageKind.AUTH
    for number in (code, *_numbers(data)):
        if number in _BY_STATUS:
            return _BY_STATUS[number]
    for name in _names(data):
        if name in _BY_NAME:
            return _BY_NAME[name]
    return BreakageKind.PROTOCOL if code in _PROTOCOL_CODES else BreakageKind.MODEL


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
