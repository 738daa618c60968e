"""Sentry's envelopes: an application with a Sentry SDK sends its errors here, with Setpoint as its DSN."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from setpoint.errors import UsageError
from setpoint.model.production import Frame, Signal, digest
from setpoint.production.inbox import common_fields

MOST_BYTES = 4 * 1024 * 1024
"""Bytes of an envelope once it is unpacked."""
MOST_ITEMS = 100
_DEFAULT = ("{{ default }}", "{{default}}")
_TOLD_APART = 5
"""Calls of a stack that tell two problems apart."""
_MEND = "send it from a Sentry SDK, with gzip or without compression"
_PACKED = {"gzip": 31, "deflate": 47, "": 0, "identity": 0}
"""Window of zlib by what a message says of its packing; 0: it is not packed."""


def _text(said: object) -> str:
    return said if isinstance(said, str) else "" if said is None else json.dumps(said)


def _said(said: object) -> object:
    return said if isinstance(said, dict) else _text(said)


def _number(said: object) -> int:
    return said if isinstance(said, int) and said > 0 else 0


def _listed(said: object) -> object:
    """Take the values of `{"values": [...]}`, and a list as it is."""
    values = said.get("values") if isinstance(said, dict) else said
    return [each for each in values if each is not None] if isinstance(values, list) else []


def _tags(said: object) -> dict[str, str]:
    """Take tags as a table or as pairs."""
    pairs = list(said.items()) if isinstance(said, dict) else said if isinstance(said, list) else []
    told = {}
    for pair in pairs:
        match pair:
            case [str(name), value]:
                told[name] = _text(value)
            case _:
                continue  # no pair
    return told


_Text = Annotated[str, BeforeValidator(_text)]
_Line = Annotated[int, BeforeValidator(_number)]


class _Payload(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Frame(_Payload):
    filename: _Text = ""
    abs_path: _Text = ""
    function: _Text = ""
    lineno: _Line = 0
    in_app: bool | None = None


class _Stack(_Payload):
    frames: Annotated[tuple[_Frame, ...], BeforeValidator(_listed)] = ()


class _Exception(_Payload):
    type: _Text = ""
    value: _Text = ""
    stacktrace: _Stack | None = None


class _Log(_Payload):
    formatted: _Text = ""
    message: _Text = ""


class _Event(_Payload):
    """What is read of an event; who the user was and what was requested is not."""

    event_id: str = Field(pattern=r"[0-9a-fA-F-]{32,36}")
    timestamp: datetime | None = None
    level: _Text = "error"
    release: _Text = ""
    environment: _Text = ""
    message: Annotated[str | _Log, BeforeValidator(_said)] = ""
    logentry: _Log | None = None
    transaction: _Text = ""
    exception: Annotated[tuple[_Exception, ...], BeforeValidator(_listed)] = ()
    fingerprint: Annotated[tuple[_Text, ...], BeforeValidator(_listed)] = ()
    tags: Annotated[dict[str, str], BeforeValidator(_tags)] = {}


class Enclosed(NamedTuple):
    """What an envelope holds."""

    id: str
    """Of the event, as the sender knows it."""
    signals: tuple[Signal, ...]
    left_out: int
    """Items other than errors: traces, sessions, attachments."""


def read(body: bytes, project: str, packing: str = "", now: datetime | None = None) -> Enclosed:
    """Read an envelope, packed as its `Content-Encoding` says.

    Raises `UsageError` where it is none, or becomes too large when it is unpacked.
    """
    lines = _unpacked(body, packing.strip().lower())
    head, place = _line(lines, 0)
    told = _json(head)
    signals: list[Signal] = []
    left_out = 0
    for kind, payload in _items(lines, place):
        if kind == "event":
            signals.append(_signal(_event(payload), project, now or datetime.now(UTC)))
        else:
            left_out += 1
    return Enclosed(_text(told.get("event_id")), tuple(signals), left_out)


def _unpacked(body: bytes, packing: str) -> bytes:
    window = _PACKED.get(packing)
    if window is None:
        raise UsageError(f"no envelope: packed with '{common_fields.word(packing)}'", hint=_MEND)
    if not window:
        return body
    unpacking = zlib.decompressobj(window)
    try:
        found = unpacking.decompress(body, MOST_BYTES)
    except zlib.error:
        raise UsageError(f"no envelope: not packed with {packing}", hint=_MEND) from None
    if unpacking.unconsumed_tail:
        raise UsageError(f"no envelope: more than {MOST_BYTES} bytes unpacked", hint="send less at once")
    if not unpacking.eof:
        raise UsageError(f"no envelope: not packed with {packing}, or broken off", hint=_MEND)
    return found


def _line(lines: bytes, place: int) -> tuple[bytes, int]:
    end = lines.find(b"\n", place)
    return (lines[place:], len(lines)) if end < 0 else (lines[place:end], end + 1)


def _items(lines: bytes, place: int) -> Iterator[tuple[str, bytes]]:
    """Yield the kind and the content of each item; one that tells its length may hold line ends."""
    for _ in range(MOST_ITEMS):
        if not lines[place:].strip():
            return
        head, place = _line(lines, place)
        told = _json(head)
        length = told.get("length")
        if isinstance(length, int):
            if not 0 <= length <= len(lines) - place:
                raise UsageError("no envelope: an item is shorter than it says", hint=_MEND)
            content, place = lines[place : place + length], place + length
            place += lines[place : place + 1] == b"\n"
        else:
            content, place = _line(lines, place)
        yield _text(told.get("type")), content


def _json(line: bytes) -> dict[str, Any]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise UsageError("no envelope: a line that should be a JSON object is none", hint=_MEND)
    return told


def _event(payload: bytes) -> _Event:
    try:
        return _Event.model_validate(_json(payload))
    except ValidationError as error:
        raise common_fields.unreadable("no event of Sentry", error, _MEND) from None


def _signal(event: _Event, project: str, now: datetime) -> Signal:
    raised = event.exception[-1] if event.exception else None
    said = _message(event)
    title = (
        ": ".join(part for part in (raised.type, raised.value.partition("\n")[0]) if part) if raised else ""
    )
    frames = _frames(raised)
    return Signal(
        source=f"sentry/{common_fields.word(project)}",
        id=event.event_id.replace("-", "").lower(),
        fingerprint=_fingerprint(event, project, title or said, frames),
        severity=common_fields.severity(event.level),
        title=common_fields.word(
            title or said.partition("\n")[0] or event.transaction or "an event without a message"
        ),
        body=common_fields.text("\n".join(part for part in (said, raised.value if raised else "") if part)),
        environment=common_fields.word(event.environment),
        release=common_fields.word(event.release),
        frames=frames,
        labels=common_fields.labels(event.tags),
        occurred_at=common_fields.aware(event.timestamp or now),
    )


def _message(event: _Event) -> str:
    log = event.message if isinstance(event.message, _Log) else event.logentry
    own = event.message if isinstance(event.message, str) else ""
    return own or (log.formatted or log.message if log else "")


def _frames(raised: _Exception | None) -> tuple[Frame, ...]:
    """Return application's own calls, the innermost first; all calls where none says that it is its own."""
    told = raised.stacktrace.frames if raised and raised.stacktrace else ()
    own = [each for each in told if each.in_app] or told
    return tuple(
        Frame(
            file=common_fields.word(each.abs_path or each.filename),
            line=each.lineno,
            function=common_fields.word(each.function),
        )
        for each in reversed(own[-common_fields.MOST_FRAMES :])
    )


def _fingerprint(event: _Event, project: str, title: str, frames: tuple[Frame, ...]) -> str:
    """Take the sender's word for what is one problem; else the kind of the error and the calls to it."""
    own = [part for part in event.fingerprint if part not in _DEFAULT]
    if own and len(own) == len(event.fingerprint):
        return digest("sentry", project, *own)
    kind = event.exception[-1].type if event.exception else ""
    calls = [f"{each.file.rpartition('/')[2]} {each.function}" for each in frames[:_TOLD_APART]]
    if calls:
        return digest("sentry", project, kind, *calls, *own)
    return common_fields.fingerprint("sentry", project, kind, title, *own)
