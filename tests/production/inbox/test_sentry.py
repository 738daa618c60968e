"""Envelopes as Sentry's SDKs send them, and what is none."""

import gzip
import json
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.errors import UsageError
from setpoint.model.finding import Severity
from setpoint.production.inbox.sentry import MOST_BYTES, read

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
ID = "0123456789abcdef0123456789abcdef"
FRAMES = [
    {"abs_path": "/venv/site-packages/web.py", "function": "serve", "lineno": 7, "in_app": False},
    {"abs_path": "/srv/app/shop/views.py", "function": "show", "lineno": 3, "in_app": True},
    {"abs_path": "/srv/app/shop/cart.py", "function": "average", "lineno": 14, "in_app": True},
]
ERROR = {"type": "ZeroDivisionError", "value": "division by zero\nmore", "stacktrace": {"frames": FRAMES}}
EVENT = {
    "event_id": ID,
    "timestamp": "2026-02-01T11:00:00.5Z",
    "level": "fatal",
    "release": "v2",
    "environment": "prod",
    "exception": {"values": [{"type": "KeyError", "value": "'x'"}, ERROR]},
    "tags": {"region": "eu", "count": 7},
    "user": {"email": "someone@example.com"},
    "request": {"headers": {"Cookie": "secret-cookie"}},
}


def envelope(*events, head=None, lengths=True):
    lines = [json.dumps({"event_id": ID} if head is None else head).encode()]
    for kind, content in events:
        payload = content if isinstance(content, bytes) else json.dumps(content).encode()
        told = {"type": kind, **({"length": len(payload)} if lengths else {})}
        lines += [json.dumps(told).encode(), payload]
    return b"\n".join(lines) + b"\n"


def one(**more):
    (signal,) = read(envelope(("event", {**EVENT, **more})), "1", now=NOW).signals
    return signal


def test_an_error_becomes_a_signal():
    signal = one()
    assert (signal.source, signal.id, signal.severity) == ("sentry/1", ID, Severity.CRITICAL)
    assert signal.title == "ZeroDivisionError: division by zero"
    assert (signal.release, signal.environment) == ("v2", "prod")
    assert signal.labels == {"region": "eu", "count": "7"}
    assert signal.occurred_at == datetime(2026, 2, 1, 11, 0, 0, 500_000, UTC)


def test_the_stack_is_the_applications_own_the_innermost_call_first():
    assert [each.shown for each in one().frames] == [
        "/srv/app/shop/cart.py:14 in average",
        "/srv/app/shop/views.py:3 in show",
    ]
    nobodys = [{**each, "in_app": None} for each in FRAMES]
    told = one(exception=[{**ERROR, "stacktrace": {"frames": nobodys}}])
    assert [each.line for each in told.frames] == [14, 3, 7]


def test_who_the_user_was_and_what_was_asked_is_not_kept():
    text = one().model_dump_json()
    assert "someone@example.com" not in text
    assert "secret-cookie" not in text


def test_a_problem_is_known_by_its_calls_not_by_lines_or_values():
    moved = [{**each, "lineno": each["lineno"] + 1} for each in FRAMES]
    again = one(exception=[{**ERROR, "value": "other", "stacktrace": {"frames": moved}}])
    assert again.fingerprint == one().fingerprint
    assert one(exception=[{**ERROR, "type": "OSError"}]).fingerprint != one().fingerprint
    assert one(exception=[{**ERROR, "stacktrace": {"frames": FRAMES[:2]}}]).fingerprint != one().fingerprint


def test_the_sender_may_say_what_is_one_problem():
    mine = one(fingerprint=["cart", "empty"])
    assert mine.fingerprint == one(fingerprint=["cart", "empty"], exception=None, message="x").fingerprint
    assert one(fingerprint=["{{ default }}"]).fingerprint == one().fingerprint
    assert one(fingerprint=["{{ default }}", "eu"]).fingerprint not in {one().fingerprint, mine.fingerprint}


@pytest.mark.parametrize(
    "more",
    [
        {"message": "order 17 is lost"},
        {"message": {"formatted": "order 17 is lost", "message": "order %s is lost"}},
        {"logentry": {"formatted": "order 17 is lost"}},
        {"logentry": {"message": "order 17 is lost", "params": None}},
    ],
)
def test_a_message_without_an_error_is_a_signal_too(more):
    signal = one(exception=None, level="warning", **more)
    assert (signal.title, signal.severity, signal.frames) == ("order 17 is lost", Severity.WARNING, ())
    assert signal.fingerprint == one(exception=None, message="order 4711 is lost").fingerprint


def test_what_is_no_error_is_left_and_counted():
    told = read(envelope(("transaction", {}), ("session", b"{}"), ("event", EVENT), ("log", b"x\ny")), "1")
    assert (told.id, len(told.signals), told.left_out) == (ID, 1, 3)


def test_items_may_go_without_their_length():
    assert len(read(envelope(("event", EVENT), lengths=False), "1").signals) == 1


def test_odd_but_harmless_events_are_read():
    signal = one(
        timestamp=1769943600.25,
        level=None,
        tags=[["region", "eu"], "x", [1]],
        exception={
            "values": [None, {"type": None, "value": 7, "stacktrace": {"frames": [{"lineno": -3}, None]}}]
        },
        release=None,
    )
    assert (signal.title, signal.severity, signal.labels) == ("7", Severity.WARNING, {"region": "eu"})
    assert signal.occurred_at.tzinfo is not None
    assert one(exception=None).title == "an event without a message"


@pytest.mark.parametrize(
    ("packing", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("GZIP", gzip.compress)]
)
def test_an_envelope_may_be_packed(packing, pack):
    assert len(read(pack(envelope(("event", EVENT))), "1", packing).signals) == 1


def test_a_small_message_that_becomes_huge_is_refused():
    bomb = gzip.compress(b"\n" * (MOST_BYTES * 4))
    assert len(bomb) < MOST_BYTES // 100
    with pytest.raises(UsageError, match="bytes unpacked"):
        read(bomb, "1", "gzip")


@pytest.mark.parametrize(
    ("body", "packing", "said"),
    [
        (b"", "", "a JSON object"),
        (b"{", "", "a JSON object"),
        (b"[]", "", "a JSON object"),
        (b"\xff", "", "a JSON object"),
        (b"[" * 100_000, "", "a JSON object"),
        (b"x", "gzip", "not packed with gzip"),
        (b"x", "br", "packed with 'br'"),
        (b'{}\n{"type":"event","length":99}\n{}', "", "shorter than it says"),
        (b'{}\n{"type":"event","length":-1}\n{}', "", "shorter than it says"),
        (envelope(("event", {})), "", "event_id: field required"),
        (envelope(("event", {**EVENT, "event_id": "../x"})), "", "event_id: "),
        (envelope(("event", {**EVENT, "timestamp": "soon"})), "", "timestamp: "),
    ],
)
def test_what_is_none_is_refused_with_the_reason(body, packing, said):
    with pytest.raises(UsageError) as raised:
        read(body, "1", packing)
    assert said in raised.value.message
    assert "Sentry SDK" in raised.value.hint


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*EVENT, "message", "logentry", "fingerprint", "transaction"]), JSON))
def test_whatever_an_event_holds_is_read_or_refused(event):
    try:
        found = read(envelope(("event", {"event_id": ID, **event})), "1", now=NOW).signals
    except UsageError:
        return
    assert found[0].occurred_at.tzinfo is not None
