"""The JSON API: what the pages show and do, for programs."""

import pytest

from setpoint.model.gate import Via
from web.conftest import ASKING, HOSTILE, VERIFIED

API = "/api/v1"


def test_runs_are_listed_and_found_by_the_beginning_of_their_name(program):
    listed = program.get(f"{API}/runs").json()
    assert {each["trace_id"] for each in listed} == {VERIFIED, HOSTILE, ASKING}
    assert program.get(f"{API}/runs/1ver").json()["ending"] == "verified"
    assert program.get(f"{API}/runs", params={"most": 1}).json() == listed[:1]
    missing = program.get(f"{API}/runs/nothing")
    assert (missing.status_code, "no run" in missing.json()["detail"]) == (404, True)


def test_events_are_paged(program):
    first = program.get(f"{API}/runs/{VERIFIED}/events", params={"most": 3}).json()
    rest = program.get(f"{API}/runs/{VERIFIED}/events", params={"after": first[-1]["seq"]}).json()
    assert [each["seq"] for each in first] == [1, 2, 3]
    assert rest[0]["seq"] == 4
    assert rest[-1]["body"]["kind"] == "run.finished"
    assert "IMPLEMENTATION_VERIFIED" in program.get(f"{API}/runs/{VERIFIED}/report").text


def test_metrics_and_the_board(program):
    made = program.get(f"{API}/metrics", params={"days": 30}).json()
    assert {each["name"]: each["n"] for each in made["metrics"]}["success_rate"] == 2
    assert program.get(f"{API}/metrics", params={"days": 0}).status_code == 422
    assert program.get(f"{API}/metrics/snapshots").json() == []
    assert program.get(f"{API}/stories").json() == []
    scraped = program.get("/metrics")
    assert scraped.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'setpoint_success_ratio{window_days="7"} 0.5' in scraped.text.splitlines()


def test_a_change_that_is_gone_is_said_to_be(program):
    answer = program.get(f"{API}/runs/{VERIFIED}/diff/1")
    assert answer.status_code == 500
    assert "the change is gone" in answer.json()["detail"]
    assert program.get(f"{API}/runs/{ASKING}/diff/1").status_code == 409


def test_every_operation_is_described(program):
    paths = program.get("/api/openapi.json").json()["paths"]
    assert len(paths) == 46
    assert all(operation["description"] for path in paths.values() for operation in path.values())


def test_a_change_that_does_not_fit_is_no_answer(program, project):
    for answer in ({"choice": "cancel", "patch": "x"}, {"choice": "continue", "patch": "no diff"}):
        refused = program.post(f"{API}/gates/{ASKING}", json=answer)
        assert refused.status_code >= 400, refused.text
    assert [each["trace_id"] for each in program.get(f"{API}/gates").json()] == [ASKING]


def test_the_first_answer_to_a_question_counts(program, project):
    (asked,) = program.get(f"{API}/gates").json()
    assert asked["trace_id"] == ASKING
    wrong = program.post(f"{API}/gates/{ASKING}", json={"choice": "continue", "iterations": 99})
    assert wrong.status_code == 422
    given = program.post(f"{API}/gates/{ASKING}", json={"choice": "continue", "instruction": "simpler"})
    assert given.status_code == 200, given.text
    assert (given.json()["via"], given.json()["grant"]["iterations"]) == (Via.WEB, 3)
    later = program.post(f"{API}/gates/{ASKING}", json={"choice": "cancel"})
    assert (later.status_code, "answered already" in later.json()["detail"]) == (409, True)
    assert program.get(f"{API}/gates").json() == []


@pytest.mark.parametrize("what", ["nothing", "run-9"])
def test_there_is_no_stream_of_what_is_not_there(browser, what):
    assert browser.get(f"/live/{what}").status_code == 409


def test_older_runs_are_listed_behind_a_run(program, browser):
    names = [run["trace_id"] for run in program.get("/api/v1/runs").json()]
    behind = program.get("/api/v1/runs", params={"before": names[0], "most": 1}).json()
    assert [run["trace_id"] for run in behind] == names[1:2]
    assert program.get("/api/v1/runs", params={"before": "run-none"}).status_code == 404
    page = browser.get("/", params={"before": names[-1]}).text
    assert "No older run" in page
    assert "sse-connect" not in page
