"""What an older Setpoint recorded is read, answered and resumed by this one.

`recorded/first-layout.tar.gz` is a repository with the state folder of Setpoint 0.1.0, from before the source
tree was laid out in rooms: a verified run, a run that waits for a person, a run that was killed after its
agent had finished, and a problem in production with its story.
"""

import json
import tarfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from acceptance.conftest import Repository
from setpoint.history.replay import history
from setpoint.web.access import Access, Scope
from setpoint.web.app import make_app
from setpoint.wiring.project import open_project

ARCHIVE = Path(__file__).with_name("recorded") / "first-layout.tar.gz"
VERIFIED, ASKING, KILLED = "run-1m85p0tk8ez4h4", "run-1m85p1d3at3we2", "run-1m85p2bsgg95fp"
PROBLEM = "e16d3f"


@pytest.fixture
def shop(tmp_path):
    with tarfile.open(ARCHIVE) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # new in Python 3.11.4
        archive.extractall(tmp_path, **safely)
    return Repository(tmp_path / "shop")


def told(shop, *words, expect=0):
    done = shop.setpoint(*words)
    assert (done.returncode, "Traceback" in done.stderr) == (expect, False), done.stderr
    return done.stdout


def test_every_recorded_run_is_read_and_replayed(shop):
    states = {row["trace_id"]: row["state"] for row in json.loads(told(shop, "status", "--json"))}
    assert states == {VERIFIED: "finished", ASKING: "waiting", KILLED: "interrupted"}
    assert "every hard gate passes" in told(shop, "show", VERIFIED)
    assert f"setpoint answer continue 3 {ASKING}" in told(shop, "answer", "show", ASKING)
    page = shop.root.parent / "run.html"
    told(shop, "admin", "export", VERIFIED, "--html", str(page))
    assert "src/basket.py" in page.read_text("utf-8")

    project = open_project(shop.root)
    past = {run: history(project.log.replay(run)) for run in states}
    project.store.close()
    assert [str(each.decision.action) for each in past[VERIFIED].decisions] == ["halt"]
    assert past[ASKING].outcome is None
    assert [each.finished for each in past[KILLED].tries] == [True]


def test_the_dashboard_shows_what_was_recorded(shop):
    project = open_project(shop.root)
    access = Access(keys=lambda: ())
    host = "127.0.0.1:7410"
    app = make_app(project, access, {host}, lambda body: (body.kind, False))
    paths = ["/", "/gates", "/board", "/metrics", "/production", "/learnings"]
    paths += [f"/runs/{run}" for run in (VERIFIED, ASKING, KILLED)]
    paths += [f"/runs/{VERIFIED}/report", f"/runs/{VERIFIED}/diff/1", f"/runs/{ASKING}/diff/1"]
    with TestClient(app, base_url=f"http://{host}") as browser:
        browser.cookies.set(access.cookie, access.session(Scope.READ))
        browser.headers["accept"] = "text/html"
        answers = {path: browser.get(path) for path in paths}
    project.store.close()
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(paths, 200)
    assert "1 of 1 iterations are used up" in answers["/gates"].text
    assert "TypeError in total" in answers["/production"].text


def test_the_evidence_of_a_verified_run_is_attested_and_made_again(shop):
    statement = json.loads(told(shop, "admin", "attest", VERIFIED))
    assert statement["predicate"]["result"] == "PASSED"
    assert "the evidence holds" in told(shop, "verify", VERIFIED)


def test_an_old_question_is_answered_and_its_run_ends(shop):
    outcome = json.loads(told(shop, "answer", "accept", ASKING, "--go", "--json"))
    assert (outcome["ending"], outcome["iterations"]) == ("accepted", 1)
    assert "TECH_DEBT.md" in shop.git("ls-tree", "--name-only", outcome["branch"])


def test_a_killed_run_continues_with_what_its_agent_left(shop):
    outcome = json.loads(told(shop, "resume", KILLED, "--json"))
    assert (outcome["ending"], outcome["iterations"]) == ("verified", 1)
    assert "sum(prices) - discount" in shop.git("show", f"{outcome['branch']}:src/basket.py")


def test_a_problem_in_production_keeps_its_story_and_is_approved(shop):
    assert "last changed src/basket.py:2" in told(shop, "ci", "signal", "show", PROBLEM)
    told(shop, "ci", "signal", "approve", PROBLEM)
    assert "story: production-typeerror-in-total-e16d3f (ready)" in told(shop, "ci", "signal", "list")
