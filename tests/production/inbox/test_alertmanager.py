"""Messages of Alertmanager, as its 0.25 sends them, and what is none."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from setpoint.errors import UsageError
from setpoint.model.config.production import ProductionTerms
from setpoint.model.finding import Severity
from setpoint.production.inbox.alertmanager import read

VOLATILE = ProductionTerms().volatile_labels
STACK = (
    'Traceback (most recent call last):\n  File "/srv/shop/cart.py", line 14, in average\nZeroDivisionError'
)


def alert(status="firing", *, labels=None, **more):
    return {
        "status": status,
        "labels": {
            "alertname": "HighErrorRate",
            "severity": "critical",
            "instance": "a:80",
            **(labels or {}),
        },
        "annotations": {"summary": "5 % of requests fail", "description": "see the log"},
        "startsAt": "2026-02-01T12:00:00.123456789Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus/graph?g0",
        "fingerprint": "ab12cd34ab12cd34",
        **more,
    }


def message(*alerts, **more):
    told = {
        "receiver": "setpoint",
        "status": "firing",
        "alerts": alerts,
        "groupLabels": {"alertname": "HighErrorRate"},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager",
        "version": "4",
        "groupKey": '{}:{alertname="HighErrorRate"}',
        "truncatedAlerts": 0,
        **more,
    }
    return json.dumps(told).encode()


def one(**more):
    (signal,) = read(message(alert(**more)), VOLATILE).signals
    return signal


def test_an_alert_becomes_a_signal():
    signal = one(labels={"env": "prod", "version": "v2"})
    assert (signal.source, signal.severity) == ("alertmanager", Severity.CRITICAL)
    assert signal.title == "HighErrorRate: 5 % of requests fail"
    assert signal.body == "see the log"
    assert (signal.environment, signal.release) == ("prod", "v2")
    assert signal.occurred_at == datetime(2026, 2, 1, 12, 0, 0, 123456, UTC)
    assert signal.url == "http://prometheus/graph?g0"


def test_one_outbreak_has_one_name_and_the_next_another():
    again = one(startsAt="2026-02-02T12:00:00Z")
    assert one().name == one().name != again.name
    assert one().fingerprint == again.fingerprint


def test_where_it_happens_does_not_make_another_problem_but_what_does():
    assert one().fingerprint == one(labels={"instance": "b:80", "version": "v3"}).fingerprint
    assert one().fingerprint != one(labels={"service": "cart"}).fingerprint
    assert one().fingerprint != one(labels={"alertname": "Other"}).fingerprint


def test_what_is_resolved_ends_the_signal_that_it_was():
    over = alert("resolved", endsAt="2026-02-01T13:00:00Z")
    told = read(message(over, alert()), VOLATILE)
    assert [(each.signal, each.at.hour) for each in told.ended] == [(one().name, 13)]
    assert len(told.signals) == 1


def test_a_stack_is_found_in_an_annotation():
    for name in ("stacktrace", "description", "exception"):
        (frame,) = one(annotations={name: STACK}).frames
        assert (frame.file, frame.line, frame.function) == ("/srv/shop/cart.py", 14, "average")


def test_an_alert_that_says_nothing_is_still_a_signal():
    bare = {"status": "firing", "startsAt": "2026-02-01T12:00:00Z"}
    (signal,) = read(message(bare), VOLATILE).signals
    assert (signal.title, signal.severity) == ("an alert without a name", Severity.WARNING)


def test_alerts_that_were_left_out_are_counted():
    assert read(message(truncatedAlerts=7), VOLATILE).left_out == 7


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "the message: "),
        (b"\xff\xfe", "the message: "),
        (b"[]", "the message: "),
        (b"{}", "version: field required"),
        (message(version="3"), "version: input should be '4'"),
        (message(alert(startsAt="yesterday")), "alerts.0.startsAt: "),
        (message(alert("silenced")), "alerts.0.status: "),
        (message(*[alert()] * 1001), "alerts: "),
    ],
)
def test_what_is_no_message_says_where_and_how_to_mend(body, said):
    with pytest.raises(UsageError, match="no message of Alertmanager") as raised:
        read(body, VOLATILE)
    assert said in raised.value.message
    assert "webhook_config" in raised.value.hint


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.text(), st.lists).map(lambda x: json.dumps(x).encode())
)
def test_whatever_comes_is_read_or_refused(body):
    with pytest.raises(UsageError):
        read(body, VOLATILE)
