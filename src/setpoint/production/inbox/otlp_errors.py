"""Spans that ended with an error, as an application's OpenTelemetry SDK sends them by OTLP over HTTP."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from setpoint.errors import UsageError
from setpoint.model.finding import Severity
from setpoint.model.production import Frame, Signal, digest
from setpoint.production.inbox import common_fields

PROTOBUF = "application/x-protobuf"
_MEND = "send spans by OTLP over HTTP, in JSON or (extra `otel`) in protobuf"
_ERROR = (2, "STATUS_CODE_ERROR")
_TOLD_APART = 5
_ENVIRONMENTS = ("deployment.environment.name", "deployment.environment")


def _listed(said: object) -> object:
    return said if isinstance(said, list) else []


def _nanoseconds(said: object) -> int:
    """Take a time as JSON writes it: a number, or a text of digits."""
    text = str(said)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 19 else 0  # noqa: PLR2004 - digits of 64 bits


def _attributes(said: object) -> dict[str, str]:
    """Take those attributes that are single values, as texts."""
    found = {}
    for each in said if isinstance(said, list) else ():
        match each:
            case {"key": str(name), "value": {"stringValue": str(value)}}:
                found[name] = value
            case {"key": str(name), "value": {"intValue": value} | {"boolValue": value}}:
                found[name] = str(value)
            case _:
                continue  # a list, a table, a measure
    return found


_Attributes = Annotated[dict[str, str], BeforeValidator(_attributes)]
_Time = Annotated[int, BeforeValidator(_nanoseconds)]


class _Payload(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Happened(_Payload):
    name: str = ""
    at: _Time = Field(default=0, alias="timeUnixNano")
    attributes: _Attributes = {}


class _Status(_Payload):
    code: int | str = 0
    message: str = ""


class _Span(_Payload):
    trace: str = Field(alias="traceId", min_length=1, max_length=64)
    id: str = Field(alias="spanId", min_length=1, max_length=64)
    name: str = ""
    ended: _Time = Field(default=0, alias="endTimeUnixNano")
    attributes: _Attributes = {}
    events: Annotated[tuple[_Happened, ...], BeforeValidator(_listed)] = ()
    status: _Status = _Status()


class _Scope(_Payload):
    spans: Annotated[tuple[_Span, ...], BeforeValidator(_listed)] = ()


class _Resource(_Payload):
    attributes: _Attributes = {}


class _Source(_Payload):
    resource: _Resource = _Resource()
    scopes: Annotated[tuple[_Scope, ...], BeforeValidator(_listed)] = Field(default=(), alias="scopeSpans")


class _Message(_Payload):
    sources: tuple[_Source, ...] = Field(default=(), alias="resourceSpans")


class Traced(NamedTuple):
    """What a message holds."""

    signals: tuple[Signal, ...]
    left_out: int
    """Spans that ended well, and those whose error a span below tells already."""


def read(body: bytes, media: str, now: datetime | None = None) -> Traced:
    """Read the spans of a message, JSON or protobuf; raises `UsageError` where it is none.

    An error goes up through all spans above it: of one trace, a span without an exception of its own is
    left out where another tells one.
    """
    try:
        message = _Message.model_validate(_decoded(body, media))
    except ValidationError as error:
        raise common_fields.unreadable("no spans", error, _MEND) from None
    spans = [
        (source.resource.attributes, span)
        for source in message.sources
        for scope in source.scopes
        for span in scope.spans
    ]
    wrong = [(told, span) for told, span in spans if span.status.code in _ERROR]
    explained = {span.trace for _, span in wrong if _exception(span)}
    signals = tuple(
        _signal(told, span, now or datetime.now(UTC))
        for told, span in wrong
        if _exception(span) or span.trace not in explained
    )
    return Traced(signals, len(spans) - len(signals))


def _decoded(body: bytes, media: str) -> Any:  # noqa: ANN401 - what pydantic looks at next
    if media == PROTOBUF:
        return _from_protobuf(body)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError("no spans: not valid JSON in UTF-8", hint=_MEND) from None


def _from_protobuf(body: bytes) -> dict[str, Any]:
    try:
        # Only who sends protobuf needs it.
        from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped] # has no stubs of its own # noqa: PLC0415 - as said
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped] # as above # noqa: PLC0415 - as above
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: PLC0415 - as above
            ExportTraceServiceRequest,
        )
    except ModuleNotFoundError as error:
        message = f"no spans: to read protobuf '{error.name}' is needed, which is not installed"
        raise UsageError(message, hint="pip install 'setpoint[otel]', or send JSON") from None
    try:
        return dict(MessageToDict(ExportTraceServiceRequest.FromString(body)))
    except (DecodeError, RecursionError):
        raise UsageError("no spans: not valid protobuf", hint=_MEND) from None


def _exception(span: _Span) -> _Happened | None:
    return next((each for each in reversed(span.events) if each.name == "exception"), None)


def _signal(told: dict[str, str], span: _Span, now: datetime) -> Signal:
    raised = _exception(span)
    said = raised.attributes if raised else {}
    kind, what = said.get("exception.type", ""), said.get("exception.message", "") or span.status.message
    stack = said.get("exception.stacktrace", "")
    frames = common_fields.frames(stack)
    service = told.get("service.name", "unknown")
    at = (raised.at if raised else 0) or span.ended
    return Signal(
        source=f"otlp/{common_fields.word(service)}",
        id=common_fields.word(f"{span.trace}:{span.id}"),
        fingerprint=_fingerprint(service, span.name, kind, what, frames),
        severity=Severity.ERROR,
        title=common_fields.word(
            ": ".join(part for part in (kind, what.partition("\n")[0]) if part) or span.name
        ),
        body=common_fields.text("\n".join(part for part in (f"in {span.name}", what, stack) if part)),
        environment=common_fields.word(common_fields.first(told, *_ENVIRONMENTS)),
        release=common_fields.word(common_fields.first(told, "service.version", "vcs.ref.head.revision")),
        frames=frames,
        labels=common_fields.labels({"span": span.name, **{name: told[name] for name in sorted(told)}}),
        occurred_at=datetime.fromtimestamp(at // 1_000_000_000, UTC) if at else now,
    )


def _fingerprint(service: str, span: str, kind: str, what: str, frames: tuple[Frame, ...]) -> str:
    calls = [f"{each.file.rpartition('/')[2]} {each.function}" for each in frames[:_TOLD_APART]]
    if calls:
        return digest("otlp", service, kind, *calls)
    return common_fields.fingerprint("otlp", service, span, kind, what)
