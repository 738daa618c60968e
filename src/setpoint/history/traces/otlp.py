"""Sending spans to a collector by OTLP over HTTP, in protobuf, as OpenTelemetry defines it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import httpx2

from setpoint.errors import UsageError
from setpoint.model.ids import TraceId
from setpoint.model.reports.span import Attribute, Span
from setpoint.model.value import Instant

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue
    from opentelemetry.proto.trace.v1 import trace_pb2

HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
"""The variable that OpenTelemetry gives to headers, for example a token: `name=value,name=value`."""
PATH = "/v1/traces"
TIMEOUT_S = 10.0
MOST_AT_ONCE = 2000
"""Spans in one request."""


def send(url: str, spans: Sequence[Span], run: TraceId, told: Mapping[str, str], headers: str = "") -> int:
    """Send the spans of a run to a collector; gives how many it took.

    `told` says what made them (name and version of the program, the schema of the names). The same run has
    the same identifiers each time. Raises `UsageError` where the collector cannot be reached, or refuses.
    """
    where, taken = endpoint(url), 0
    with httpx2.Client(timeout=TIMEOUT_S, headers=parsed_headers(headers)) as client:
        for first in range(0, len(spans), MOST_AT_ONCE):
            part = spans[first : first + MOST_AT_ONCE]
            taken += len(part) - _posted(client, where, request(part, run, told))
    return taken


def endpoint(url: str) -> str:
    """Return the address of the traces: that of a collector alone gets their usual path."""
    parts = _taken_apart(url)
    if parts is None:
        message = f"'{url}' is not the address of a collector"
        raise UsageError(message, hint="set one such as http://127.0.0.1:4318")
    return urlunsplit(parts._replace(path=PATH)) if parts.path in ("", "/") else url


def _taken_apart(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or an address that cannot be one
        return None
    return parts if usable else None


def parsed_headers(text: str) -> dict[str, str]:
    """Read headers as OpenTelemetry writes them into a variable; raises `UsageError` for what is none."""
    found = {}
    for each in filter(str.strip, text.split(",")):
        name, equals, value = each.partition("=")
        name, value = name.strip(), unquote(value.strip())
        if not (equals and name and (name + value).isascii() and (name + value).isprintable()):
            raise UsageError(f"{HEADERS}: a header is not name=value", hint="write name=value,name=value")
        found[name] = value
    return found


def request(spans: Sequence[Span], run: TraceId, told: Mapping[str, str]) -> ExportTraceServiceRequest:
    """Make the message that carries spans."""
    try:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: PLC0415 - part of an extra
    except ModuleNotFoundError as error:
        message = f"sending traces needs '{error.name}', which is not installed"
        raise UsageError(message, hint="pip install 'setpoint[otel]'") from None
    made = ExportTraceServiceRequest()
    resource = made.resource_spans.add()
    resource.schema_url = told["schema_url"]
    for name in ("service.name", "service.version"):
        _put(resource.resource.attributes.add(), name, told[name])
    scope = resource.scope_spans.add()
    scope.schema_url = told["schema_url"]
    scope.scope.name, scope.scope.version = told["service.name"], told["service.version"]
    for span in spans:
        _fill(scope.spans.add(), span, run)
    return made


def _fill(made: trace_pb2.Span, span: Span, run: TraceId) -> None:
    made.trace_id, made.span_id = _digest(run, 16), _digest(f"{run}/{span.path}", 8)
    if span.parent is not None:
        made.parent_span_id = _digest(f"{run}/{span.parent}", 8)
    made.name = span.name
    made.kind = made.SPAN_KIND_CLIENT if span.kind == "client" else made.SPAN_KIND_INTERNAL
    made.start_time_unix_nano, made.end_time_unix_nano = (
        _nanoseconds(span.started_at),
        _nanoseconds(span.ended_at),
    )
    for name, value in span.attributes.items():
        _put(made.attributes.add(), name, value)
    for note in span.notes:
        event = made.events.add()
        event.name, event.time_unix_nano = note.name, _nanoseconds(note.at)
        for name, value in note.attributes.items():
            _put(event.attributes.add(), name, value)
    if span.failed is not None:
        made.status.code = made.status.STATUS_CODE_ERROR
        made.status.message = span.failed


def _put(pair: KeyValue, name: str, value: Attribute) -> None:
    pair.key = name
    match value:
        case bool():
            pair.value.bool_value = value
        case int():
            pair.value.int_value = value
        case float():
            pair.value.double_value = value
        case str():
            pair.value.string_value = value
        case _:
            pair.value.array_value.SetInParent()
            for each in value:
                pair.value.array_value.values.add().string_value = each


def _digest(text: str, length: int) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:length]


def _nanoseconds(at: Instant) -> int:
    # Whole microseconds first: a float of nanoseconds since 1970 is off by hundreds of them.
    return int(at.timestamp()) * 1_000_000_000 + at.microsecond * 1000


def _posted(client: httpx2.Client, where: str, made: ExportTraceServiceRequest) -> int:
    """Post one message; gives how many spans were refused."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped] # has no stubs of its own # noqa: PLC0415 - part of an extra
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse  # noqa: PLC0415 - part of an extra

    kind = {"content-type": "application/x-protobuf"}
    hint = "check the address, and that a collector listens there for OTLP over HTTP"
    try:
        answer = client.post(where, content=made.SerializeToString(), headers=kind)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise UsageError(f"{where}: the collector cannot be reached: {error}", hint=hint) from None
    if not answer.is_success:
        text = " ".join(answer.text.split())[:300]
        raise UsageError(f"{where}: the collector refuses: {answer.status_code} {text}".rstrip(), hint=hint)
    if "protobuf" not in answer.headers.get("content-type", ""):
        return 0
    try:
        partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    except DecodeError:
        raise UsageError(f"{where}: what answers there does not speak OTLP", hint=hint) from None
    return int(partial.rejected_spans)
