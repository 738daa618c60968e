"""The webhook of a forge: what is signed is stored once, everything else is refused."""

from __future__ import annotations

import copy
import hashlib
import hmac
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from starlette.testclient import TestClient

from checks.conftest import git, write
from setpoint.cli.project.serve import _told
from setpoint.model.events.forge import TRACE
from setpoint.people.policy.forge_record import ForgeRecord
from setpoint.testing.forge import FakeForge
from setpoint.web.app import make_app
from setpoint.wiring.project import open_project
from web.keys import known_access

HERE, SECRET = "127.0.0.1:7410", "a secret of the webhook"
BURST, FORGED = 1000, 240
NEWS = {
    ("issues", "labeled"),
    ("issue_comment", "created"),
    ("pull_request_review", "submitted"),
    ("pull_request", "closed"),
}
"""Messages that something follows from."""


@pytest.fixture
def place(tmp_path):
    root = tmp_path / "clone"
    write(root, {"a.py": "x = 1\n", "setpoint.toml": '[forge]\nkind = "github"\nrepository = "octo/shop"\n'})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    return root


@pytest.fixture
def project(place, monkeypatch):
    monkeypatch.setenv("FORGE_WEBHOOK_SECRET", SECRET)
    opened = open_project(place)
    yield opened
    opened.store.close()


@pytest.fixture
def client(project):
    with TestClient(
        make_app(project, known_access(project), [HERE], _told), base_url=f"http://{HERE}"
    ) as made:
        yield made


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """One message of each kind, as the fake forge writes them."""
    with FakeForge(tmp_path_factory.mktemp("forge"), files={"a.py": "x = 1\n"}) as forge:
        forge.people["ana"] = "write"
        hook = forge.deliver_to("http://127.0.0.1:9/", SECRET)
        hook.pause()
        issue = forge.open_issue("Totals are wrong", "Mend them.", by="ana")
        forge.label(issue.number, "setpoint", by="ana")
        forge.comment(issue.number, "/setpoint status", by="ana")
        forge.push("work", {"a.py": "x = 2\n"}, by="ana")
        pull = forge.open_pull("work", "Work", "", by="setpoint-bot")
        forge.review(pull.number, "changes_requested", "Nearly.", comments=[("a.py", 1, "Why?")], by="ana")
        forge.merge(pull.number, by="ana")
        return {(each.event, each.action): json.loads(each.body) for each in hook.deliveries}


def signed(body, secret=SECRET):
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def sent(client, event, payload, guid="72d3162e", **headers):
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    given = {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": guid,
        "x-hub-signature-256": signed(body),
    } | headers
    return client.post("/hooks/forge", content=body, headers=given)


def record(project):
    return ForgeRecord().after(project.log.replay(TRACE))


def comment(real, number):
    """A comment of its own, as the forge sends it."""
    payload = copy.deepcopy(real["issue_comment", "created"])
    payload["comment"] |= {"id": 10_000 + number, "body": f"remark {number}"}
    return payload


def test_a_message_is_stored_once_however_often_it_is_sent(client, project, real):
    payload = real["issues", "labeled"]
    answers = [sent(client, "issues", payload, guid=guid) for guid in ("a-1", "a-1", "b-2")]

    assert [each.status_code for each in answers] == [202] * 3
    assert [each.json()["new"] for each in answers] == [True, False, False]
    assert len(record(project).news) == 1


def test_every_kind_of_news_is_read(client, project, real):
    for (event, _), payload in real.items():
        assert sent(client, event, payload).status_code == 202
    kinds = [each.kind for each in record(project).news.values()]

    assert sorted(set(kinds)) == ["comment", "labelled", "pull", "review"]


@pytest.mark.slow
def test_a_burst_is_stored_whole_and_nothing_twice(client, project, real):
    messages = [comment(real, number) for number in range(BURST)]
    with ThreadPoolExecutor(16) as pool:
        answers = list(
            pool.map(
                lambda pair: (
                    sent(client, "issue_comment", pair[1], guid=f"guid-{pair[0] % BURST}").status_code
                ),
                enumerate(messages + messages[: BURST // 5]),
            )
        )

    assert answers == [202] * (BURST + BURST // 5)
    said = [each.text for each in record(project).news.values() if each.kind == "comment"]
    assert sorted(said) == sorted(f"remark {number}" for number in range(BURST))


def spoilt(real, random):
    """One message that nobody may accept: event, body, and what differs in its headers."""
    event, action = random.choice(sorted(set(real) & NEWS))
    payload = copy.deepcopy(real[event, action])
    body, place = json.dumps(payload).encode(), random.randrange(8, 70)
    good, at = signed(body), random.randrange(len(body))
    wrong = good[:place] + ("0" if good[place] != "0" else "1") + good[place + 1 :]
    old = datetime.now(UTC) - timedelta(days=random.randrange(5, 900))
    other = json.dumps(payload | {"repository": payload["repository"] | {"full_name": "octo/other"}}).encode()
    odd = random.choice((b"", b"[]", b"null", b"\xff\xfe", b'{"a": NaN}', b"[" * 60_000))
    ways = (
        (body, {"x-hub-signature-256": signed(body, "another secret")}),
        (body, {"x-hub-signature-256": random.choice(("", "sha256=", "sha1=" + "0" * 40, good[7:]))}),
        (body, {"x-hub-signature-256": wrong}),
        (body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :], {"x-hub-signature-256": good}),
        (body[:at], {}),
        (backdated(payload, old), {}),
        (other, {}),
        (odd, {}),
    )
    return event, *random.choice(ways)


def backdated(payload, at):
    """Write a message in which everything happened long ago."""
    told = at.strftime("%Y-%m-%dT%H:%M:%SZ")

    def changed(value, key=""):
        if isinstance(value, dict):
            return {name: changed(each, name) for name, each in value.items()}
        if isinstance(value, list):
            return [changed(each) for each in value]
        dated = key.endswith("_at") and isinstance(value, str)
        return told if dated else value

    return json.dumps(changed(payload)).encode()


def test_forged_and_malformed_messages_are_refused_and_valid_ones_between_them_kept(client, project, real):
    random, refused, kept = Random(7), [], 0
    for number in range(FORGED):
        event, body, headers = spoilt(real, random)
        answer = sent(client, event, body, guid=f"bad-{number}", **headers)
        refused.append((answer.status_code, event, body[:60] if answer.status_code == 202 else b""))
        if number % 6 == 0:
            assert (
                sent(client, "issue_comment", comment(real, number), guid=f"good-{number}").status_code == 202
            )
            kept += 1

    assert [each for each in refused if each[0] not in (400, 401)] == []
    assert len(record(project).news) == kept


@pytest.mark.parametrize(("method", "status"), [("get", 401), ("put", 405), ("delete", 405)])
def test_only_posts_pass_without_a_visitor(client, method, status):
    assert getattr(client, method)("/hooks/forge").status_code in (status, 401, 405, 415)


def test_without_a_secret_nothing_is_accepted(place, real, monkeypatch):
    monkeypatch.delenv("FORGE_WEBHOOK_SECRET", raising=False)
    project = open_project(place)
    with TestClient(
        make_app(project, known_access(project), [HERE], _told), base_url=f"http://{HERE}"
    ) as client:
        answer = sent(client, "issues", real["issues", "labeled"])
    project.store.close()

    assert answer.status_code == 404
    assert "FORGE_WEBHOOK_SECRET" in answer.json()["detail"]
