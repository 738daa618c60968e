"""Spans as they reach a collector: a real server on loopback, real protobuf."""

import gzip
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as messages

from history.report_runs import verified_run
from model.examples import EXAMPLES
from setpoint.errors import UsageError
from setpoint.history.traces.otlp import MOST_AT_ONCE, endpoint, parsed_headers, send
from setpoint.history.traces.spans import SCHEMA_URL, spans
from setpoint.model.ids import TraceId
from setpoint.model.reports.span import Note, Span

RUN = TraceId("run-0000000000test")
TOLD = {"service.name": "setpoint", "service.version": "1.2.3", "schema_url": SCHEMA_URL}
AT = datetime(2026, 3, 1, 12, 0, 0, 123457, tzinfo=UTC)


class Collector(HTTPServer):
    """Takes what it is sent, and answers as it is told."""

    status, refused, kind = 200, 0, "application/x-protobuf"
    body = b""
    """What it answers instead of what it should."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.requests, self.paths, self.headers = [], [], []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def spans(self):
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


class _Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.requests.append(messages.ExportTraceServiceRequest.FromString(body))
        self.server.paths.append(self.path)
        self.server.headers.append(dict(self.headers))
        answer = messages.ExportTraceServiceResponse()
        answer.partial_success.rejected_spans = self.server.refused
        text = answer.SerializeToString() if self.server.status == 200 else b"no such tenant"
        text = self.server.body or text
        self.send_response(self.server.status)
        self.send_header("content-type", self.server.kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


@contextmanager
def listening():
    with Collector() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def collector():
    with listening() as server:
        yield server


def attributes(pairs):
    def value(found):
        name = found.WhichOneof("value")
        return (
            [value(each) for each in found.array_value.values]
            if name == "array_value"
            else getattr(found, name)
        )

    return {pair.key: value(pair.value) for pair in pairs}


def test_a_run_arrives_as_it_is_told(collector, tmp_path):
    told = spans(verified_run(tmp_path))
    assert send(collector.url, told, RUN, TOLD) == len(told)
    assert collector.paths == ["/v1/traces"]
    assert collector.headers[0]["content-type"] == "application/x-protobuf"
    (resource,) = collector.requests[0].resource_spans
    assert attributes(resource.resource.attributes) == {
        "service.name": "setpoint",
        "service.version": "1.2.3",
    }
    assert (resource.schema_url, resource.scope_spans[0].scope.name) == (SCHEMA_URL, "setpoint")
    found = collector.spans
    assert len({span.trace_id for span in found}) == 1
    assert {len(span.trace_id) for span in found} == {16}
    ids = {span.span_id: span for span in found}
    assert len(ids) == len(told)
    root = [span for span in found if not span.parent_span_id]
    assert [span.name for span in root] == ["invoke_workflow change"]
    assert all(span.parent_span_id in ids for span in found if span.parent_span_id)
    for sent, span in zip(told, found, strict=True):
        assert sent.name == span.name
        wanted = {k: list(v) if isinstance(v, tuple) else v for k, v in sent.attributes.items()}
        assert attributes(span.attributes) == wanted
        assert (span.status.code == span.status.STATUS_CODE_ERROR) == (sent.failed is not None)


def test_times_are_exact_and_failures_and_notes_are_told(collector):
    note = Note(
        name="setpoint.bounce",
        at=AT,
        attributes={"setpoint.bounce.number": 1, "ok": True, "x": 0.5, "who": ()},
    )
    span = Span(
        path="run",
        name="a",
        kind="client",
        started_at=AT,
        ended_at=AT + timedelta(seconds=1),
        notes=(note,),
        failed="it broke",
    )
    send(collector.url, (span,), RUN, TOLD)
    (found,) = collector.spans
    assert found.start_time_unix_nano == int(AT.timestamp()) * 10**9 + 123_457_000
    assert found.end_time_unix_nano - found.start_time_unix_nano == 10**9
    assert (found.kind, found.status.code, found.status.message) == (
        found.SPAN_KIND_CLIENT,
        found.status.STATUS_CODE_ERROR,
        "it broke",
    )
    assert attributes(found.events[0].attributes) == {
        "setpoint.bounce.number": 1,
        "ok": True,
        "x": 0.5,
        "who": [],
    }


def test_sent_twice_it_is_the_same_trace(collector, tmp_path):
    told = spans(verified_run(tmp_path))
    for _ in range(2):
        send(collector.url, told, RUN, TOLD)
    first, second = collector.requests
    assert first == second


def test_a_long_run_goes_in_parts(collector):
    span = Span(path="run", name="a", started_at=AT, ended_at=AT)
    many = [span.model_copy(update={"path": f"run-{number}"}) for number in range(MOST_AT_ONCE + 1)]
    assert send(collector.url, many, RUN, TOLD) == MOST_AT_ONCE + 1
    assert len(collector.requests) == 2
    assert len(collector.spans) == MOST_AT_ONCE + 1


def test_headers_of_the_standard_variable_are_sent(collector):
    span = Span(path="run", name="a", started_at=AT, ended_at=AT)
    send(f"{collector.url}/own/path", (span,), RUN, TOLD, "authorization=Bearer%20abc, x-tenant=me")
    assert collector.paths == ["/own/path"]
    assert collector.headers[0]["authorization"] == "Bearer abc"
    assert collector.headers[0]["x-tenant"] == "me"


def test_what_a_collector_did_not_take_is_not_counted(collector):
    span = Span(path="run", name="a", started_at=AT, ended_at=AT)
    collector.refused = 1
    assert send(collector.url, (span,), RUN, TOLD) == 0
    collector.kind = "application/json"
    assert send(collector.url, (span,), RUN, TOLD) == 1


def test_a_collector_that_refuses_or_is_not_there_is_named(collector):
    span = Span(path="run", name="a", started_at=AT, ended_at=AT)
    collector.status = 403
    with pytest.raises(UsageError, match=r"v1/traces: the collector refuses: 403 no such tenant"):
        send(collector.url, (span,), RUN, TOLD)
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:1/v1/traces: the collector cannot be reached"):
        send("http://127.0.0.1:1", (span,), RUN, TOLD)


@pytest.mark.parametrize(
    "url", ["", "localhost:4318", "ftp://host", "http://", "http://[::1", "http://a:99999"]
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(UsageError, match="is not the address of a collector"):
        endpoint(url)


def test_headers_that_are_none_are_refused():
    assert parsed_headers("") == {}
    for text in ("Bearer abc", "=x", "a=b%0D%0Ac: d", "a=%E2%82%AC"):
        with pytest.raises(UsageError, match="a header is not name=value"):
            parsed_headers(text)


def test_every_kind_of_event_can_be_sent(collector):
    from history.report_runs import recorded

    bodies = (EXAMPLES["run.started"], *(body for kind, body in EXAMPLES.items() if kind != "run.started"))
    told = spans(recorded(*bodies))
    assert send(collector.url, told, RUN, TOLD) == len(told)
