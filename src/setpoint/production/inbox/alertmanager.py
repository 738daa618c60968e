"""The webhook of Prometheus' Alertmanager, version 4 of its message."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from setpoint.errors import UsageError
from setpoint.model.production import Signal, digest, signal_name
from setpoint.production.inbox import common_fields
from setpoint.production.inbox.common_fields import Ended

SOURCE = "alertmanager"
MOST_ALERTS = 1000
_STACKS = ("stacktrace", "stack_trace", "stack", "traceback", "exception")
"""Annotations that may hold a stack; a description may too."""


class _Alert(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    status: Literal["firing", "resolved"]
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    starts_at: datetime = Field(alias="startsAt")
    ends_at: datetime | None = Field(default=None, alias="endsAt")
    url: str = Field(default="", alias="generatorURL")
    fingerprint: str = ""


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    version: Literal["4"]
    alerts: tuple[_Alert, ...] = Field(max_length=MOST_ALERTS)
    left_out: int = Field(default=0, alias="truncatedAlerts")


class Notified(NamedTuple):
    """What a message says."""

    signals: tuple[Signal, ...]
    ended: tuple[Ended, ...]
    left_out: int
    """Alerts that Alertmanager itself left out (`max_alerts`)."""


def read(body: bytes, volatile: Collection[str]) -> Notified:
    """Read a message; `volatile` are labels that do not tell two problems apart.

    Raises `UsageError` where it is none.
    """
    try:
        message = _Message.model_validate_json(body)
    except ValidationError as error:
        hint = "send it from a webhook_config of Alertmanager 0.25 or newer (message version 4)"
        raise common_fields.unreadable("no message of Alertmanager", error, hint) from None
    except ValueError as error:
        raise UsageError(f"no message of Alertmanager: {error}", hint="send JSON in UTF-8") from None
    firing = tuple(_signal(each, volatile) for each in message.alerts if each.status == "firing")
    return Notified(firing, tuple(_ended(message)), message.left_out)


def _ended(message: _Message) -> Iterator[Ended]:
    for alert in message.alerts:
        if alert.status != "firing":
            at = common_fields.aware(alert.ends_at or alert.starts_at)
            yield Ended(signal_name(SOURCE, _id(alert)), at)


def _id(alert: _Alert) -> str:
    """Name one outbreak of an alert: sent again and again while it lasts, and once more when it is over."""
    mark = alert.fingerprint or digest(*(f"{name}={value}" for name, value in sorted(alert.labels.items())))
    return common_fields.word(f"{mark}@{common_fields.aware(alert.starts_at).isoformat()}")


def _signal(alert: _Alert, volatile: Collection[str]) -> Signal:
    known, said = alert.labels, alert.annotations
    name = known.get("alertname", "")
    summary = common_fields.first(said, "summary", "title", "message")
    title = f"{name}: {summary}" if name and summary else name or summary or "an alert without a name"
    kept = [each for key, each in said.items() if key != "summary"]
    stack = next((found for key in _STACKS if (found := common_fields.frames(said.get(key, "")))), ())
    what = sorted(f"{key}={value}" for key, value in known.items() if key not in volatile)
    return Signal(
        source=SOURCE,
        id=_id(alert),
        fingerprint=digest(SOURCE, *what),
        severity=common_fields.severity(known.get("severity", "")),
        title=common_fields.word(title),
        body=common_fields.text("\n".join(kept)),
        environment=common_fields.word(
            common_fields.first(known, "environment", "env", "deployment_environment")
        ),
        release=common_fields.word(
            common_fields.first({**said, **known}, "release", "version", "commit", "sha")
        ),
        frames=stack or common_fields.frames("\n".join(kept)),
        labels=common_fields.labels(known),
        occurred_at=common_fields.aware(alert.starts_at),
        url=common_fields.word(alert.url),
        ends=True,
    )
