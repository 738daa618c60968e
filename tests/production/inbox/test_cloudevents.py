"""CloudEvents that any program may send."""

import json
from datetime import UTC, datetime

import pytest

from setpoint.errors import UsageError
from setpoint.model.finding import Severity
from setpoint.production.inbox.cloudevents import read

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
DATA = {
    "title": "It fails",
    "message": "It fails\nbadly",
    "severity": "fatal",
    "environment": "staging",
    "release": "v2",
    "frames": [{"file": "/srv/a.py", "line": 3, "function": "f"}, {"file": "b.py"}],
    "labels": {"region": "eu"},
    "url": "https://errors.example/1",
}


def event(**more):
    return {"specversion": "1.0", "id": "1", "source": "shop", "type": "app.error", **more}


def one(**more):
    (signal,) = read(json.dumps(event(**more)).encode(), NOW)
    return signal


def test_all_that_an_event_may_tell():
    signal = one(data=DATA, time="2026-02-01T11:00:00+02:00")
    assert (signal.source, signal.id, signal.severity) == ("shop", "1", Severity.CRITICAL)
    assert (signal.title, signal.body) == ("It fails", "It fails\nbadly")
    assert (signal.environment, signal.release, signal.labels) == ("staging", "v2", {"region": "eu"})
    assert [frame.shown for frame in signal.frames] == ["/srv/a.py:3 in f", "b.py"]
    assert signal.occurred_at == datetime(2026, 2, 1, 9, tzinfo=UTC)


def test_the_least_that_an_event_tells():
    signal = one()
    assert (signal.title, signal.severity, signal.occurred_at) == ("app.error", Severity.WARNING, NOW)


def test_problems_are_told_apart_by_title_and_innermost_call_but_not_by_numbers():
    first = one(data={"message": "order 17 took 0x7f3a"})
    assert first.fingerprint == one(id="2", data={"message": "order 4711 took 0x7f99"}).fingerprint
    assert first.fingerprint != one(data={"message": "order 17 was lost"}).fingerprint
    assert one(data=DATA).fingerprint != one(data={**DATA, "frames": [{"file": "c.py"}]}).fingerprint


def test_the_sender_may_say_what_is_one_problem():
    assert one(data={"fingerprint": "0123456789abcdef"}).fingerprint == "0123456789abcdef"
    mine = one(data={"title": "a", "fingerprint": "mine"}).fingerprint
    assert mine == one(data={"title": "b", "fingerprint": "mine"}).fingerprint
    assert mine != one(source="other", data={"fingerprint": "mine"}).fingerprint


def test_several_come_as_a_list():
    body = json.dumps([event(), event(id="2")]).encode()
    assert [each.id for each in read(body, NOW)] == ["1", "2"]


def test_secrets_and_what_steers_a_terminal_are_taken_out():
    signal = one(data={"title": "\x1b[31mred", "message": "password=hunter2hunter2\x00"})
    assert signal.title == "[31mred"
    assert "hunter2" not in signal.body
    assert "\x00" not in signal.body


def test_long_texts_are_cut():
    signal = one(
        data={"title": "t" * 5000, "message": "m" * 50_000, "labels": {str(n): "x" for n in range(99)}}
    )
    assert (len(signal.title), len(signal.body), len(signal.labels)) == (300, 8000, 40)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"7", "no CloudEvent"),
        (b"{}", "specversion"),
        (json.dumps(event(specversion="0.3")).encode(), "specversion"),
        (json.dumps(event(id="")).encode(), "id: "),
        (json.dumps(event(data={"frames": [{"line": 1}]})).encode(), "data.frames.0.file"),
        (json.dumps([event()] * 1001).encode(), "1001 events at once"),
    ],
)
def test_what_is_none_says_where(body, said):
    with pytest.raises(UsageError) as raised:
        read(body, NOW)
    assert said in raised.value.message
    assert raised.value.hint
