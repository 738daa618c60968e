"""What people say of findings and of lines of a change, in pages and for programs."""

import re

import pytest

from setpoint.model.events.people import CommentAdded, FindingDismissed
from setpoint.web.access import Scope
from setpoint.web.api_feedback import Dismissal
from web.conftest import ASKING, HOSTILE, VERIFIED

API = "/api/v1"
HERE = f"{API}/runs/{VERIFIED}"
WORDS = "<script>alert(1)</script> \x1b[31m\u202e why not `round`?"


def said(project, kind, trace=VERIFIED):
    return [each.body for each in project.log.replay(trace) if isinstance(each.body, kind)]


@pytest.fixture
def blocker(program):
    found = program.get(f"{HERE}/findings").json()
    return next(each["id"] for each in found if each["finding"]["message"] == "the total is rounded twice")


def test_findings_are_listed_with_what_was_decided(program, blocker):
    one = program.get(f"{HERE}/findings/{blocker[:6]}").json()
    assert (one["id"], one["decided"], one["finding"]["file"]) == (blocker, [], "src/cart.py")
    assert program.get(f"{HERE}/findings/ffff").status_code == 404
    assert program.get(f"{API}/runs/{ASKING}/findings").json() == []


def test_a_finding_is_dismissed_once_with_the_time_it_took(program, browser, project, blocker):
    wrong = browser.post(f"/runs/{VERIFIED}/findings/{blocker}/dismiss", data={"considered_s": "-1"})
    assert (wrong.status_code, "considered_s" in wrong.text) == (422, True)
    for endless in ("inf", "nan", "1e999"):
        wrong = browser.post(f"/runs/{VERIFIED}/findings/{blocker}/dismiss", data={"considered_s": endless})
        assert wrong.status_code == 422
    done = browser.post(
        f"/runs/{VERIFIED}/findings/{blocker}/dismiss", data={"reason": " meant so ", "considered_s": "2.5"}
    )
    assert "dismissed" in done.text
    again = program.post(f"{HERE}/findings/{blocker}/dismiss", json={"reason": "another"}).json()
    assert again["body"]["reason"] == "meant so", "the first word stands"
    assert again["learnt"] is None, "what is dismissed is suppressed; it teaches nothing"
    (body,) = said(project, FindingDismissed)
    assert (body.by, body.considered_s) == ("Ada", 2.5)
    assert program.get(f"{HERE}/findings/{blocker}").json()["decided"][0]["body"]["reason"] == "meant so"
    assert re.search(r"Ada dismissed it until [\d-]+: meant so", browser.get(f"/runs/{VERIFIED}").text)


def test_a_page_left_open_for_days_still_dismisses():
    assert Dismissal(considered_s=1e6).considered_s == 86_400
    assert Dismissal(considered_s=12.5).considered_s == 12.5


def test_a_line_is_commented_on(program, browser, project):
    row = browser.post(
        f"/runs/{VERIFIED}/comments", data={"file": "src/cart.py", "line": "12", "text": WORDS}
    )
    assert row.status_code == 200, row.text
    assert row.text.strip().startswith('<tr class="remark">')
    assert "&lt;script&gt;alert(1)" in row.text
    assert "\x1b" not in row.text
    given = program.post(f"{HERE}/comments", json={"file": "a b.py", "line": 3, "text": "and here?"})
    assert (given.status_code, given.json()["body"]["line"]) == (201, 3)
    assert [each.file for each in said(project, CommentAdded)] == ["src/cart.py", "a b.py"]
    listed = program.get(f"{HERE}/comments").json()
    assert [each["body"]["text"] for each in listed] == [WORDS, "and here?"]
    part = browser.get(f"/runs/{VERIFIED}/diff/1/comments").text
    assert "2 comments on this run" in part
    assert "<script" not in part
    assert "2 comments" in browser.get(f"/runs/{VERIFIED}").text


def test_a_secret_in_a_comment_is_kept_nowhere(program, browser, project):
    secret = "AKIAIOSFODNN7EXAMPLE"
    words = f"why is {secret} in here?"
    row = browser.post(f"/runs/{VERIFIED}/comments", data={"file": "a.py", "line": 5, "text": words})
    assert (row.status_code, "in here?" in row.text) == (200, True)
    given = program.post(f"{HERE}/comments", json={"file": f"{secret}.py", "line": 6, "text": words})
    assert given.status_code == 201
    again = program.post(f"{HERE}/comments", json={"file": "a.py", "line": 5, "text": words})
    assert again.json()["body"]["line"] == 5
    assert len([each for each in said(project, CommentAdded) if "in here?" in each.text]) == 2
    read = [f"{HERE}/comments", f"{HERE}/events?most=5000", f"{API}/feedback", f"{API}/learnings"]
    for text in (row.text, given.text, *(program.get(path).text for path in read)):
        assert secret not in text
    for file in project.state.rglob("app.db*"):
        assert secret.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    "wrong",
    [
        {"file": "", "line": 1, "text": "x"},
        {"file": "a.py", "line": 0, "text": "x"},
        {"file": "a.py", "line": 1, "text": ""},
        {"file": "a.py", "line": 1, "text": "x" * 20_001},
    ],
)
def test_a_comment_that_says_nothing_is_refused(program, browser, wrong):
    assert program.post(f"{HERE}/comments", json=wrong).status_code == 422
    assert browser.post(f"/runs/{VERIFIED}/comments", data=wrong).status_code == 422
    blank = {"file": "a.py", "line": 1, "text": "  "}
    assert program.post(f"{HERE}/comments", json=blank).status_code == 409


def test_what_people_said_is_found_by_person_finding_gate_and_run(program, blocker):
    program.post(f"{HERE}/findings/{blocker}/dismiss", json={"reason": "meant so"})
    program.post(f"{HERE}/comments", json={"file": "src/cart.py", "line": 12, "text": WORDS})

    def kinds(**asked):
        found = program.get(f"{API}/feedback", params=asked).json()
        return {each["kind"].removeprefix("feedback.") for each in found}

    assert kinds() >= {"finding_dismissed", "human_comment_added"}
    assert kinds(finding=blocker[:5]) == {"finding_dismissed"}
    assert kinds(run=VERIFIED, by="Ada") == kinds()
    assert kinds(by="Eve") == kinds(gate="escalation-7") == kinds(run=HOSTILE) == set()


def test_of_all_that_people_said_the_last_is_given_first_said_first(program):
    for text in ("one", "two", "three"):
        program.post(f"{HERE}/comments", json={"file": "c.py", "line": 1, "text": text})
    every = program.get(f"{API}/feedback").json()
    assert [each["body"]["text"] for each in every[-3:]] == ["one", "two", "three"]
    assert program.get(f"{API}/feedback", params={"most": 2}).json() == every[-2:]
    later = program.get(f"{API}/feedback", params={"since": every[-2]["at"]}).json()
    assert later == every[-1:]
    for wrong in ({"most": 0}, {"most": 5001}, {"since": "2026-01-01T00:00:00"}, {"of": "x"}):
        assert program.get(f"{API}/feedback", params=wrong).status_code == 422, wrong


def test_a_fix_that_cannot_be_tried_is_refused_before_anything_starts(program, browser, blocker):
    none = program.post(f"{HERE}/findings/{blocker}/apply")
    assert none.status_code == 415, "a writing request says what it holds"
    none = program.post(f"{HERE}/findings/{blocker}/apply", json={})
    assert (none.status_code, "comes without a fix" in none.json()["detail"]) == (409, True)
    none = browser.post(f"/runs/{VERIFIED}/findings/{blocker}/apply", data={"x": ""})
    assert "comes without a fix" in none.text
    own = {"start": 1, "end": 2, "text": "x"}
    gone = browser.post(f"/runs/{VERIFIED}/findings/{blocker}/rewrite", data=own).text
    assert "cannot be shown" in gone
    assert "cannot be shown" in browser.get(f"/runs/{VERIFIED}/findings/{blocker}/fix").text
    assert program.get(f"{API}/work").json() == {"working": [], "failed": []}
    assert program.post(f"{HERE}/findings/{blocker}/rewrite", json={"patch": ""}).status_code == 422


@pytest.mark.parametrize("scope", [None, Scope.READ, Scope.FEEDBACK])
def test_only_who_may_run_things_tries_a_fix(anyone, access, project, program, scope):
    finding = program.get(f"{HERE}/findings").json()[0]["id"]
    before = len(project.log.replay(VERIFIED))
    del anyone.headers["authorization"]
    if scope:
        anyone.headers |= {"authorization": f"Bearer {access.tokens[scope]}"}
    refused = (401,) if scope is None else (403,)
    for stem, body in ((HERE, "json"), (f"/runs/{VERIFIED}", "data")):
        for verb in ("apply", "rewrite"):
            sent = {"patch": "x", "start": 1, "end": 1, "text": "x"} if body == "data" else {"patch": "x"}
            answer = anyone.post(f"{stem}/findings/{finding}/{verb}", **{body: sent})
            assert answer.status_code in refused, verb
        if scope is not Scope.FEEDBACK:
            for verb in ("comments", f"findings/{finding}/dismiss"):
                remark = {body: {"file": "a.py", "line": 1, "text": "no"}}
                assert anyone.post(f"{stem}/{verb}", **remark).status_code in refused
    assert anyone.get(f"/runs/{VERIFIED}/findings/{finding}/fix").status_code in refused
    assert len(project.log.replay(VERIFIED)) == before


@pytest.mark.parametrize(
    "path",
    [
        f"/runs/{VERIFIED}/comments",
        f"/runs/{VERIFIED}/findings/x/dismiss",
        f"/runs/{VERIFIED}/findings/x/apply",
        "/learnings/x/approve",
        "/learnings/retire",
        f"{HERE}/comments",
        f"{API}/learnings/x/reject",
    ],
)
def test_another_site_cannot_speak_for_a_person(browser, path):
    form = {"file": "a.py", "line": "1", "text": "no", "source": "x"}
    assert browser.post(path, data=form, headers={"x-setpoint-csrf": "0"}).status_code == 403
    assert browser.post(path, data=form, headers={"origin": "http://evil.example"}).status_code == 403
    assert browser.post(path, data=form, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    kind = {"content-type": "text/plain"}
    assert browser.post(path, content='{"text": "no"}', headers=kind).status_code == 415


def test_hostile_findings_and_comments_stay_texts(browser, program, project):
    finding = program.get(f"{API}/runs/{HOSTILE}/findings").json()[0]["id"]
    program.post(f"{API}/runs/{HOSTILE}/findings/{finding}/dismiss", json={"reason": WORDS})
    program.post(f"{API}/runs/{HOSTILE}/comments", json={"file": WORDS, "line": 1, "text": WORDS})
    del browser.headers["authorization"]
    for part in ("", "/diff/1/comments", f"/findings/{finding}/fix"):
        text = browser.get(f"/runs/{HOSTILE}{part}").text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_a_dismissal_is_listed_and_taken_back(program, browser, blocker):
    program.post(f"{HERE}/findings/{blocker}/dismiss", json={"reason": "meant so", "days": 7})
    held = {each["id"]: each for each in program.get(f"{API}/suppressions").json()}
    assert (held[blocker]["by"], held[blocker]["reason"]) == ("Ada", "meant so")
    lifted = program.post(f"{API}/suppressions/{blocker[:8]}/lift", json={})
    assert (lifted.status_code, lifted.json()["id"]) == (200, blocker)
    assert blocker not in [each["id"] for each in program.get(f"{API}/suppressions").json()]
    assert program.post(f"{API}/suppressions/{blocker}/lift", json={}).status_code in (404, 409)
    assert "took the dismissal back" in browser.get(f"/runs/{VERIFIED}").text
