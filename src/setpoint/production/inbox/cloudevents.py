"""Signals as CloudEvents 1.0 in JSON, one or several: what any program can send."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from setpoint.errors import UsageError
from setpoint.model.production import FINGERPRINT, Frame, Signal, digest
from setpoint.production.inbox import common_fields

MOST_EVENTS = 1000
_MEND = "docs/how-to/production.md shows an event with all that Setpoint reads"


class _Frame(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    file: str
    line: int = Field(default=0, ge=0)
    function: str = ""


class _Data(BaseModel):
    """What Setpoint reads of an event's data; all of it may be left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    title: str = ""
    message: str = ""
    severity: str = ""
    environment: str = ""
    release: str = ""
    fingerprint: str = ""
    stacktrace: str = ""
    frames: tuple[_Frame, ...] = Field(default=(), max_length=1000)
    labels: dict[str, str] = {}
    url: str = ""


class _Event(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    specversion: Literal["1.0"]
    id: str = Field(min_length=1, max_length=500)
    source: str = Field(min_length=1, max_length=500)
    type: str = Field(min_length=1, max_length=500)
    subject: str = ""
    time: datetime | None = None
    data: _Data = _Data()


def read(body: bytes, now: datetime | None = None) -> tuple[Signal, ...]:
    """Read one event, or a list of them; one without a time happens `now`.

    Raises `UsageError` where it is none.
    """
    try:
        told: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError("no CloudEvent: not valid JSON in UTF-8", hint=_MEND) from None
    listed = told if isinstance(told, list) else [told]
    if len(listed) > MOST_EVENTS:
        raise UsageError(f"{len(listed)} events at once", hint=f"send at most {MOST_EVENTS}")
    try:
        events = [_Event.model_validate(each) for each in listed]
    except ValidationError as error:
        raise common_fields.unreadable("no CloudEvent", error, _MEND) from None
    return tuple(_signal(each, now or datetime.now(UTC)) for each in events)


def _signal(event: _Event, now: datetime) -> Signal:
    data = event.data
    message = data.message.strip()
    title = data.title or message.partition("\n")[0] or event.subject or event.type
    frames = tuple(
        Frame(file=common_fields.word(each.file), line=each.line, function=common_fields.word(each.function))
        for each in data.frames[: common_fields.MOST_FRAMES]
    ) or common_fields.frames(data.stacktrace or message)
    return Signal(
        source=common_fields.word(event.source),
        id=common_fields.word(event.id),
        fingerprint=_fingerprint(event, title, frames),
        severity=common_fields.severity(data.severity),
        title=common_fields.word(title),
        body=common_fields.text("\n".join(part for part in (message, data.stacktrace) if part)),
        environment=common_fields.word(data.environment),
        release=common_fields.word(data.release),
        frames=frames,
        labels=common_fields.labels(data.labels),
        occurred_at=common_fields.aware(event.time or now),
        url=common_fields.word(data.url),
    )


def _fingerprint(event: _Event, title: str, frames: tuple[Frame, ...]) -> str:
    """Take the sender's word for which events are one problem; else type, title and innermost call tell."""
    if FINGERPRINT.fullmatch(event.data.fingerprint):
        return event.data.fingerprint
    if event.data.fingerprint:
        return digest(event.source, event.data.fingerprint)
    inner = f"{frames[0].file} {frames[0].function}" if frames else ""
    return common_fields.fingerprint(event.source, event.type, event.subject, title, inner)
