"""The page Production and its API, and what others may send: tokens, sizes, repetition, hostile texts."""

import gzip
import json
import re
import time
from datetime import UTC, datetime, timedelta

import pytest
from starlette.testclient import TestClient

from checks.conftest import git, write
from production.inbox.test_alertmanager import alert, message
from production.inbox.test_cloudevents import DATA, event
from production.inbox.test_otlp_errors import message as spans
from production.inbox.test_otlp_errors import span
from production.inbox.test_sentry import EVENT, envelope
from setpoint.app.production.signals import ProductionRecord, ingest_events
from setpoint.app.runs.board import list_cards
from setpoint.cli.project.serve import _told
from setpoint.model.events.production import TRACE
from setpoint.web.access import Scope
from setpoint.web.app import make_app
from setpoint.web.shield import MOST_BODY, MOST_SIGNALS
from setpoint.wiring.project import open_project
from web.conftest import HERE
from web.keys import known_access

SPANS = "/hooks/otlp/v1/traces"
ALERTS, EVENTS, DEPLOYMENT = "/hooks/alertmanager", "/hooks/cloudevents", "/hooks/deployment"
JSON = {"content-type": "application/json"}
API = "/api/v1/production"


@pytest.fixture
def project(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("begin", "<b>break</b>"):
        write(tmp_path, {"a.py": f"x = '{name}'\n"})
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", name)
    made = open_project(tmp_path)
    yield made
    made.store.close()


@pytest.fixture
def access(project):
    return known_access(project)


@pytest.fixture
def app(project, access):
    return make_app(project, access, [HERE], _told)


@pytest.fixture
def served(app):
    """A visitor that nobody knows, of a server that works on what it is told."""
    with TestClient(app, base_url=f"http://{HERE}", follow_redirects=False) as client:
        yield client


@pytest.fixture
def sender(served, access):
    """A monitoring system with its token."""
    served.headers |= {"authorization": f"Bearer {access.tokens[Scope.SIGNAL]}"}
    return served


def stored(project):
    return [each.body for each in project.log.replay(TRACE)]


def as_(client, access, scope):
    return {**client.headers, "authorization": f"Bearer {access.tokens[scope]}"}


def waited(client, headers):
    """Give the problems once each has been worked on."""
    for _ in range(200):
        found = client.get(API, headers=headers).json()["problems"]
        if found and all(each["stage"] != "new" for each in found):
            return found
        time.sleep(0.05)
    raise AssertionError(found)


def test_from_an_alert_to_a_story_that_a_person_approves(sender, access, project):
    at = datetime.now(UTC) - timedelta(minutes=5)
    for commit, release in (("HEAD~1", "v1"), ("HEAD", "v2")):
        body = {"commit": commit, "release": release, "at": at.isoformat()}
        answer = sender.post(DEPLOYMENT, json=body)
        assert (answer.status_code, answer.json()["new"]) == (202, True)
        at += timedelta(minutes=1)
    firing = message(alert(labels={"version": "v2"}, startsAt=datetime.now(UTC).isoformat()))
    answer = sender.post(ALERTS, content=firing, headers=JSON)
    assert answer.status_code == 202
    (name,) = answer.json()["new"]
    reader = as_(sender, access, Scope.FEEDBACK)
    (problem,) = waited(sender, reader)
    assert (problem["stage"], problem["signals"]) == ("waits", [name])
    assert problem["newest"]["hypothesis"]["suspects"][0]["title"] == "<b>break</b>"
    assert sender.get(f"{API}/signals/{name}", headers=reader).json()["signal"]["release"] == "v2"
    said = sender.post(f"{API}/problems/{name}/approve", json={"reason": "real"}, headers=reader)
    assert (said.status_code, said.json()["stage"]) == (200, "story")
    assert [card.action.automatic for card in list_cards(project)] == [True]


def test_the_same_message_again_is_stored_once(sender, project):
    for new, known in ((1, 0), (0, 1)):
        answer = sender.post(ALERTS, content=message(alert()), headers=JSON).json()
        assert (len(answer["new"]), answer["known"]) == (new, known)
    assert [each.kind for each in stored(project)].count("production.anomaly_detected") == 1
    over = message(alert("resolved", endsAt="2026-02-01T13:00:00Z"))
    assert [sender.post(ALERTS, content=over, headers=JSON).json()["ended"] for _ in "ab"] == [1, 0]


def test_what_was_stored_before_a_crash_is_worked_on_at_the_next_start(project, access, app):
    ingest_events(ProductionRecord(project), json.dumps(event(data=DATA)).encode())
    with TestClient(app, base_url=f"http://{HERE}") as client:
        assert waited(client, as_(client, access, Scope.READ))[0]["stage"] == "waits"


@pytest.mark.parametrize("path", [ALERTS, EVENTS, DEPLOYMENT, SPANS])
def test_without_the_right_token_nothing_is_taken(served, access, project, path):
    tokens = {"": 401, "no token": 401, access.tokens[Scope.READ]: 403, access.tokens[Scope.FEEDBACK]: 403}
    for token, status in tokens.items():
        headers = {"authorization": f"Bearer {token}"} if token else {}
        assert served.post(path, json=event(), headers=headers).status_code == status
    cookie = {"cookie": f"{access.cookie}={access.session(Scope.ADMIN)}"}
    assert served.post(path, json=event(), headers=cookie).status_code == 403
    assert served.post(f"{path}?token={access.tokens[Scope.SIGNAL]}", json=event()).status_code == 401
    assert stored(project) == []


def test_the_token_of_a_monitoring_system_opens_nothing_else(sender, access):
    for path in ("/", "/production", "/board", API, "/api/v1/runs", "/metrics", "/live/production"):
        assert sender.get(path).status_code == 403, path
    for path in ("/api/v1/runs", f"{API}/problems/x/approve"):
        assert sender.post(path, json={"wish": "x"}).status_code in {403, 404}
    answer = sender.post("/login", data={"token": access.tokens[Scope.SIGNAL]})
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    assert "set-cookie" not in sender.get("/login", params={"ticket": access.ticket(Scope.SIGNAL)}).headers


def test_a_message_has_a_limit_of_its_own_also_where_its_length_is_not_told(sender, project):
    large = json.dumps(event(data={"message": "x" * (MOST_BODY + 1)})).encode()
    assert sender.post(EVENTS, content=large, headers=JSON).status_code == 202
    before = len(stored(project))
    huge = b"x" * (MOST_SIGNALS + 1)
    assert sender.post(ALERTS, content=huge, headers=JSON).status_code == 413
    assert sender.post(ALERTS, content=iter([huge[:100], huge]), headers=JSON).status_code == 413
    assert not [each for each in stored(project)[before:] if each.kind == "production.anomaly_detected"]


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"sec-fetch-site": "cross-site"},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
    ],
)
def test_the_shield_stands_before_the_hooks_too(sender, project, headers):
    answer = sender.post(EVENTS, content=json.dumps(event()), headers={**JSON, **headers})
    assert answer.status_code in {403, 415, 421}
    assert stored(project) == []


@pytest.mark.parametrize(
    "kind", ["application/cloudevents+json", "application/cloudevents-batch+json; charset=utf-8"]
)
def test_events_come_under_their_own_names_too(sender, kind):
    assert (
        sender.post(EVENTS, content=json.dumps([event()]), headers={"content-type": kind}).status_code == 202
    )


@pytest.mark.parametrize("path", [ALERTS, EVENTS, DEPLOYMENT])
@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 50_000, b"null", b'{"commit": "--all"}'])
def test_what_cannot_be_read_is_refused_with_the_reason(sender, project, path, body):
    answer = sender.post(path, content=body, headers=JSON)
    assert answer.status_code in {400, 422}, answer.text
    assert answer.json()["detail"]
    assert stored(project) == []


def test_too_many_are_refused_and_may_come_again(project, access):
    settings = project.settings
    few = settings.production.model_copy(update={"signals_per_hour": 1})
    narrow = project._replace(settings=settings.model_copy(update={"production": few}))
    with TestClient(make_app(narrow, access, [HERE], _told), base_url=f"http://{HERE}") as client:
        headers = as_(client, access, Scope.SIGNAL)
        answer = client.post(EVENTS, json=[event(), event(id="2")], headers=headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "600")
        assert (len(answer.json()["new"]), answer.json()["refused"]) == (1, 1)


def test_hostile_texts_are_shown_as_texts(sender, access):
    bad = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    data = {
        "title": bad,
        "message": bad,
        "release": bad,
        "url": "javascript:alert(1)",
        "frames": [{"file": bad, "function": bad}],
    }
    sender.post(EVENTS, json=event(source=bad, data=data))
    waited(sender, as_(sender, access, Scope.READ))
    headers = {**as_(sender, access, Scope.ADMIN), "accept": "text/html"}
    for path in ("/production", "/board"):
        text = sender.get(path, headers=headers).text
        assert "&lt;script&gt;" in text
        assert not re.search(r"<script>|<img src=x|javascript:", text), path


def test_names_of_alerts_and_words_of_errors_are_texts_too(sender, access):
    bad = "</h3><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[31m\u202e"
    error = {"type": bad, "value": bad, "stacktrace": {"frames": [{"filename": bad, "function": bad}]}}
    told = {**EVENT, "message": bad, "culprit": bad, "exception": {"values": [error]}}
    named = alert(labels={"alertname": bad}, annotations={"summary": bad, "description": bad})
    assert sender.post(ALERTS, content=message(named), headers=JSON).status_code == 202
    token = access.tokens[Scope.SIGNAL]
    assert sentry(sender, token, content=envelope(("event", told))).status_code == 200
    raised = span(raised={"exception.type": bad, "exception.message": bad, "exception.stacktrace": bad})
    assert sender.post(SPANS, json=spans(raised)).status_code == 200
    assert len(waited(sender, as_(sender, access, Scope.READ))) == 3
    headers = {**as_(sender, access, Scope.ADMIN), "accept": "text/html"}
    text = sender.get("/production", headers=headers).text
    assert text.count("&lt;script&gt;") >= 3
    assert not re.search(r"<script>|<img|[\x1b\u202e]", text)


def test_the_forms_of_the_page(sender, access, project):
    sender.post(EVENTS, json=event(data=DATA | {"environment": ""}))
    (problem,) = waited(sender, as_(sender, access, Scope.READ))
    place = f"/production/{problem['fingerprint']}"
    refused = sender.post(f"{place}/approve", data={"reason": ""}, headers=as_(sender, access, Scope.READ))
    assert refused.status_code == 403
    headers = as_(sender, access, Scope.FEEDBACK)
    page = sender.get("/production", headers=headers).text
    assert f'hx-post="{place}/approve"' in page
    assert f'hx-post="{place}/dismiss"' in page
    assert (
        'hx-post="/production' not in sender.get("/production", headers=as_(sender, access, Scope.READ)).text
    )
    assert "dismissed" in sender.post(f"{place}/dismiss", data={"reason": "a drill"}, headers=headers).text
    assert "may be worked on" in sender.post(f"{place}/approve", data={"reason": ""}, headers=headers).text
    assert sender.post("/production/0/approve", data={"reason": ""}, headers=headers).status_code == 404
    assert [card.action.automatic for card in list_cards(project)] == [True]


def test_nothing_there_yet_says_how_signals_come(served, access):
    text = served.get("/production", headers=as_(served, access, Scope.READ)).text
    assert "setpoint ci signal token" in text
    assert "setpoint ci deploy record" in text


ENVELOPE = "/api/1/envelope/"


def sentry(client, token, path=ENVELOPE, content=None, **headers):
    told = {
        "content-type": "application/x-sentry-envelope",
        "x-sentry-auth": f"Sentry sentry_version=7, sentry_client=test/1, sentry_key={token}",
        **headers,
    }
    return client.post(path, content=content or envelope(("event", EVENT)), headers=told)


def test_an_envelope_is_stored_once_and_answered_as_sentry_does(served, access, project):
    token = access.tokens[Scope.SIGNAL]
    packed = gzip.compress(envelope(("event", EVENT)))
    for content, more in ((None, {}), (packed, {"content-encoding": "gzip"})):
        answer = sentry(served, token, content=content, **more)
        assert (answer.status_code, answer.json()) == (200, {"id": EVENT["event_id"]})
    assert sentry(served, token, "/api/1/envelope").status_code == 200
    assert [each.kind for each in stored(project)].count("production.anomaly_detected") == 1


@pytest.mark.parametrize("scope", [Scope.READ, Scope.FEEDBACK, Scope.ADMIN, None])
def test_an_address_with_another_token_in_it_sends_nothing(served, access, project, scope):
    token = access.tokens[scope] if scope else "wrong"
    assert sentry(served, token).status_code == 401
    bearer = {"authorization": f"Bearer {access.tokens[Scope.SIGNAL]}"}
    assert sentry(served, token, **bearer).status_code == 401
    assert stored(project) == []


def test_the_key_of_a_dsn_tells_of_errors_and_nothing_else(served, access, project):
    key = access.ingest_key
    assert sentry(served, key).status_code == 200
    bearer = {"authorization": f"Bearer {key}"}
    assert served.post(SPANS, json=spans(span()), headers=bearer).status_code == 200
    assert [each.kind for each in stored(project)].count("production.anomaly_detected") == 2
    for path, told in (
        (ALERTS, {"alerts": []}),
        (EVENTS, event()),
        (DEPLOYMENT, {"commit": "HEAD"}),
        ("/api/v1/production/problems/x/dismiss", {}),
    ):
        assert served.post(path, json=told, headers=bearer).status_code == 401, path
    assert served.get("/api/v1/production", headers=bearer).status_code == 401
    kinds = [each.kind for each in stored(project)]
    assert kinds.count("production.anomaly_detected") == 2
    assert not {"production.deployed", "production.anomaly_ended"} & set(kinds)


def test_an_envelope_stands_behind_the_shield_too(served, access, project):
    token = access.tokens[Scope.SIGNAL]
    refused = [
        sentry(served, token, host="evil.example"),
        sentry(served, token, origin="http://evil.example"),
        sentry(served, token, **{"content-type": "text/plain;charset=UTF-8"}),
        sentry(served, token, content=b"x" * (MOST_SIGNALS + 1)),
        sentry(served, token, content=gzip.compress(b"x" * 50_000_000), **{"content-encoding": "gzip"}),
        sentry(served, token, **{"content-encoding": "br"}),
        sentry(served, token, content=b"{"),
        sentry(served, token, "/api/x/envelope/"),
        sentry(served, token, "/api/1/../v1/production"),
    ]
    assert [each.status_code for each in refused] == [421, 403, 415, 413, 400, 400, 400, 415, 415]
    assert stored(project) == []


def test_spans_are_stored_once_and_answered_in_their_own_form(sender, project):
    for _ in "ab":
        answer = sender.post(SPANS, json=spans(span()))
        assert (answer.status_code, answer.content) == (200, b"{}")
    empty = sender.post(SPANS, content=b"", headers={"content-type": "application/x-protobuf"})
    assert (empty.status_code, empty.headers["content-type"]) == (200, "application/x-protobuf")
    assert [each.kind for each in stored(project)].count("production.anomaly_detected") == 1
    assert sender.post(SPANS, content=b"{", headers=JSON).status_code == 400
    assert sender.post(SPANS, content=b"x", headers={"content-type": "text/plain"}).status_code == 415
    assert (
        sender.post(ALERTS, content=b"x", headers={"content-type": "application/x-protobuf"}).status_code
        == 415
    )
