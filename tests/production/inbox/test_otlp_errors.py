"""Spans that ended with an error, in both forms of OTLP over HTTP."""

import json
from datetime import UTC, datetime

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from setpoint.errors import UsageError
from setpoint.model.finding import Severity
from setpoint.production.inbox.otlp_errors import PROTOBUF, read

JSON, NOW = "application/json", datetime(2026, 2, 1, 12, tzinfo=UTC)
STACK = (
    'Traceback (most recent call last):\n  File "/srv/shop/cart.py", line 14, in average\nZeroDivisionError'
)
RAISED = {
    "exception.type": "ZeroDivisionError",
    "exception.message": "by zero",
    "exception.stacktrace": STACK,
}


def attributes(**told):
    return [{"key": name, "value": {"stringValue": value}} for name, value in told.items()]


def span(number=1, *, code=2, raised=RAISED, trace=1, **more):
    happened = {
        "name": "exception",
        "timeUnixNano": "1769943600000000000",
        "attributes": attributes(**raised or {}),
    }
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{number:016x}",
        "name": "GET /cart",
        "startTimeUnixNano": "1769943599000000000",
        "endTimeUnixNano": "1769943601000000000",
        "events": [{"name": "cache.miss"}, happened] if raised else [],
        "status": {"code": code, "message": "failed"},
        **more,
    }


def message(*spans, **told):
    known = {"service.name": "shop", "service.version": "v2", "deployment.environment.name": "prod", **told}
    cores = {"key": "host.cores", "value": {"intValue": "4"}}
    resource = {"attributes": [*attributes(**known), cores, {"key": "x"}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def told(*spans, **more):
    return read(json.dumps(message(*spans, **more)).encode(), JSON, NOW)


def one(*args, **more):
    (signal,) = told(span(*args, **more)).signals
    return signal


def test_a_span_with_an_exception_becomes_a_signal():
    signal = one()
    assert (signal.source, signal.severity) == ("otlp/shop", Severity.ERROR)
    assert signal.title == "ZeroDivisionError: by zero"
    assert (signal.environment, signal.release) == ("prod", "v2")
    assert [each.shown for each in signal.frames] == ["/srv/shop/cart.py:14 in average"]
    assert signal.occurred_at == datetime(2026, 2, 1, 11, tzinfo=UTC)
    assert (signal.labels["span"], signal.labels["host.cores"]) == ("GET /cart", "4")


def test_protobuf_says_the_same_as_json():
    hexadecimal = message(span())
    for source in hexadecimal["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        source["traceId"] = source["spanId"] = ""
    hexadecimal["resourceSpans"][0]["resource"]["attributes"].pop()
    request = ParseDict(hexadecimal, ExportTraceServiceRequest())
    inner = request.resource_spans[0].scope_spans[0].spans[0]
    inner.trace_id, inner.span_id = b"\x01" * 16, b"\x02" * 8
    (signal,) = read(request.SerializeToString(), PROTOBUF, NOW).signals
    same = (
        "source",
        "fingerprint",
        "severity",
        "title",
        "body",
        "environment",
        "release",
        "frames",
        "labels",
    )
    assert {name: getattr(signal, name) for name in same} == {name: getattr(one(), name) for name in same}
    assert signal.occurred_at == one().occurred_at


def test_what_ended_well_is_left_and_counted():
    found = told(span(), span(2, code=1, trace=2), span(3, code=0, trace=3))
    assert (len(found.signals), found.left_out) == (1, 2)


def test_of_one_trace_the_span_counts_that_tells_the_exception():
    above = span(2, raised=None)
    found = told(above, span())
    assert [signal.title for signal in found.signals] == ["ZeroDivisionError: by zero"]
    (alone,) = told(above).signals
    assert (alone.title, alone.frames) == ("failed", ())


def test_a_problem_is_known_by_service_kind_and_calls():
    assert one().fingerprint == one(2, trace=2, name="POST /cart").fingerprint
    assert one().fingerprint != one(raised={**RAISED, "exception.type": "OSError"}).fingerprint
    (other,) = told(span(), **{"service.name": "till"}).signals
    assert other.fingerprint != one().fingerprint
    numbered = [
        one(raised=None, status={"code": 2, "message": f"order {number} failed"}) for number in (1, 22)
    ]
    assert len({each.fingerprint for each in numbered}) == 1


def test_a_span_that_tells_little_is_still_a_signal():
    signal = one(raised=None, status={"code": "STATUS_CODE_ERROR"}, endTimeUnixNano="soon")
    assert (signal.title, signal.occurred_at) == ("GET /cart", NOW)


@pytest.mark.parametrize(
    ("body", "media", "said"),
    [
        (b"", JSON, "not valid JSON"),
        (b"[" * 100_000, JSON, "not valid JSON"),
        (b"[]", JSON, "no spans: "),
        (b"\xff\xff\xff", PROTOBUF, "not valid protobuf"),
        (json.dumps(message({"spanId": "1"})).encode(), JSON, "traceId: field required"),
        (json.dumps(message(span(traceId="x" * 65))).encode(), JSON, "traceId: "),
    ],
)
def test_what_is_none_is_refused_with_the_reason(body, media, said):
    with pytest.raises(UsageError) as raised:
        read(body, media)
    assert said in raised.value.message
    assert "OTLP" in raised.value.hint


@given(st.binary(max_size=300), st.sampled_from([JSON, PROTOBUF]))
def test_whatever_comes_is_read_or_refused(body, media):
    try:
        found = read(body, media)
    except UsageError:
        return
    assert found.signals == ()
