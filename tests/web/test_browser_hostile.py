"""Texts from outside that try to run as a script, shown by a real browser: none runs, none becomes markup.

A script that the policy stops is a complaint of the browser, and those fail the test as well.
"""

import json
import urllib.request
from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from history.reports.test_run_report import hostile_run
from model.examples import GATE, ORDER
from production.inbox.test_alertmanager import alert, message
from production.inbox.test_sentry import EVENT, envelope
from setpoint.app.project.access_keys import make_key
from setpoint.app.views.export import run_report
from setpoint.model.events.people import CommentAdded
from setpoint.model.events.run import GateOpened, RunStarted
from setpoint.model.ids import TraceId
from web.browsing import in_a_browser
from web.reviewed import teach
from web.test_change_page import AFTER, BEFORE, NAMED
from web.vaulted import TRACE, vaulted_run

pytestmark = in_a_browser
EVIL = (
    "'\"></textarea></script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>"
    "<svg onload=window.hacked=3><a href=javascript:window.hacked=4>{{ 7*7 }}</a>\x1b[31m\u202e"
)
STORY = f"---\npriority: 1\n---\n\n# {EVIL}\n\nWhat is wanted: {EVIL}\n".replace("\x1b", "")
ASKS, RAN = TraceId("run-5asks"), TraceId("run-2hostile")
MARKUP = "main :is(img, script, iframe, object, embed, [onerror], [onload], a[href^='javascript'])"
"""What no page has of its own within its content."""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    place = tmp_path_factory.mktemp("hostile") / "shop"
    made, _ = vaulted_run(place, BEFORE, AFTER)
    for event in hostile_run(place):
        body = event.body
        if isinstance(body, RunStarted):
            body = RunStarted(order=_named(body.order, RAN), workdir=str(place))
        made.log.append(RAN, event.key, [body])
    gate = {"question": EVIL, "context": (EVIL,), "go_on": EVIL, "deadline": None, "default": None}
    gate["asked_at"] = datetime.now(UTC)
    made.log.append(ASKS, "start", [RunStarted(order=_named(ORDER, ASKS), workdir=str(place))])
    made.log.append(ASKS, "gate", [GateOpened(gate=GATE.model_copy(update=gate))])
    remark = CommentAdded(file=NAMED, line=1, text=EVIL, by=EVIL)
    made.log.append(TRACE, "feedback:comment:evil", [remark])
    stories = made.state / "stories"
    stories.mkdir(parents=True, exist_ok=True)
    (stories / "evil.md").write_text(STORY, encoding="utf-8")
    yield made
    made.store.close()


def _named(order, trace):
    return order.model_copy(update={"trace_id": trace, "started_at": datetime.now(UTC)})


@pytest.fixture(scope="module")
def learnt(project):
    return teach(project)


@pytest.fixture(scope="module")
def signals(link, project):
    """Let monitoring systems tell of what is wrong, in the words of whoever makes it go wrong."""
    token = make_key(project, "signal")
    error = {"type": EVIL, "value": EVIL, "stacktrace": {"frames": [{"filename": EVIL, "function": EVIL}]}}
    event = {**EVENT, "message": EVIL, "culprit": EVIL, "exception": {"values": [error]}}
    alarm = alert(labels={"alertname": EVIL}, annotations={"summary": EVIL, "description": EVIL})
    bearer = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    sentry = {
        "x-sentry-auth": f"Sentry sentry_version=7, sentry_key={token}",
        "content-type": "application/x-sentry-envelope",
    }
    deployed = json.dumps({"commit": "HEAD", "release": EVIL[:200], "environment": EVIL[:200]}).encode()
    for path, body, headers in (
        ("/hooks/deployment", deployed, bearer),
        ("/hooks/alertmanager", message(alarm), bearer),
        ("/api/1/envelope/", envelope(("event", event)), sentry),
    ):
        data = body if isinstance(body, bytes) else body.encode()
        base = link.partition("/login")[0]
        sent = urllib.request.Request(base + path, data, headers)
        with urllib.request.urlopen(sent) as answer:
            assert answer.status in (200, 202)


@pytest.fixture
def watched(page):
    """A page that fails the test where a dialog opens."""
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    return page


def assert_harmless(page):
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    expect(page.get_by_text("The lines are being read.")).to_have_count(0)
    assert page.evaluate("window.hacked") is None
    assert page.locator(MARKUP).evaluate_all("(found) => found.map((each) => each.outerHTML)") == []
    text = page.content()
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_no_page_runs_what_others_wrote(watched, signals, learnt):
    runs = [f"/runs/{trace}" for trace in (RAN, ASKS, TRACE)]
    change = f"/runs/{TRACE}/diff/1"
    learning = ["/learnings", f"/learnings/{learnt[4]}", "/learnings/alike"]
    for path in (
        "/",
        *runs,
        change,
        f"{change}?view=beside",
        "/gates",
        "/board",
        *learning,
        "/metrics",
        "/metrics/halting",
    ):
        watched.goto(path)
        assert_harmless(watched)


def test_words_of_attackers_are_shown_as_they_are(watched, signals):
    watched.goto("/gates")
    expect(watched.get_by_role("heading", level=2)).to_contain_text("<script>window.hacked=1</script>")
    watched.goto("/board")
    for title in watched.locator("article.card h3").all():
        expect(title).to_contain_text("<script>window.hacked=1</script><img src=x onerror=window.hacked=2>")
    evil = watched.locator("article.card", has=watched.get_by_role("button", name="evil"))
    expect(evil).to_contain_text("{{ 7*7")


def test_alerts_and_errors_of_production_are_texts_too(watched, signals):
    watched.goto("/production")
    problems = watched.locator("main article.card")
    expect(problems).to_have_count(2)
    for problem in problems.all():
        expect(problem.get_by_role("heading")).to_contain_text("<script>window.hacked=1</script>")
    assert_harmless(watched)
    problems.first.get_by_label("Reason, for the record").fill(EVIL)
    problems.first.get_by_role("button", name="Dismiss").click()
    expect(watched.locator("main")).to_contain_text(": '\"></textarea>")
    assert_harmless(watched)


def test_what_a_person_types_comes_back_as_text(watched):
    watched.goto(f"/runs/{TRACE}/diff/1")
    watched.get_by_role("button", name="Comment on line 1").first.click()
    watched.keyboard.insert_text(EVIL)
    watched.get_by_role("button", name="Comment", exact=True).click()
    expect(watched.locator("tr.remark", has_text="window.hacked=3").first).to_be_visible()
    assert_harmless(watched)
    watched.goto("/learnings")
    watched.get_by_label("Search by words").fill(EVIL)
    watched.get_by_role("button", name="Show").click()
    expect(watched.get_by_role("link", name="Reviews miss: '\"></textarea>")).to_be_visible()
    assert_harmless(watched)


def test_a_report_that_was_sent_to_somebody_runs_nothing_either(watched, project, tmp_path):
    """There no header holds it back: the page itself must be harmless."""
    for trace in (RAN, ASKS):
        file = tmp_path / f"{trace}.html"
        file.write_text(run_report(project, trace), encoding="utf-8")
        watched.goto(file.as_uri())
        expect(watched.get_by_role("heading").first).to_be_visible()
        assert watched.evaluate("window.hacked") is None
        assert watched.locator(":is(img, script, iframe, [onerror], [onload])").count() == 0
