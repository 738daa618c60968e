"""What every client of GitHub must cope with: pages, ETags, limits, refusals, faults."""

from __future__ import annotations

import base64
import gzip
import json
from http.client import HTTPException

import pytest


def test_lists_come_in_pages(forge, client):
    for number in range(1, 8):
        forge.open_issue(f"Issue {number}", by="ana")
        forge.pass_time(1)
    first = client.repo("GET", "/issues?per_page=3&sort=created&direction=asc")
    assert [each["number"] for each in first.body] == [1, 2, 3]
    links = dict(part.split("; rel=")[::-1] for part in first.headers["link"].split(", "))
    assert set(links) == {'"next"', '"last"'}
    assert links['"next"'].startswith(f"<{forge.api_url}/repos/octo/shop/issues?")
    last = client.ask("GET", links['"last"'].strip("<>").removeprefix(forge.url))
    assert [each["number"] for each in last.body] == [7]
    assert 'rel="prev"' in last.headers["link"]
    assert "link" not in client.repo("GET", "/issues").headers


def test_issues_can_be_filtered(forge, client):
    forge.open_issue("One", by="ana", labels=["a", "b"])
    forge.open_issue("Two", by="bob", labels=["a"])
    forge.pass_time(5)
    since = client.repo("GET", "/issues/1").body["updated_at"]
    forge.pass_time(5)
    forge.comment(1, "New", by="ana")
    forge.close(2, by="ana")

    def numbers(query):
        return [each["number"] for each in client.repo("GET", f"/issues?{query}").body]

    assert numbers("labels=a,b&state=all") == [1]
    assert numbers("state=closed") == [2]
    assert numbers("state=all&sort=updated&direction=asc&creator=bob") == [2]
    later = since[:-3] + "09Z" if since < "9" else since
    assert numbers(f"state=all&since={later}&sort=comments") in ([1, 2], [2, 1])
    assert client.repo("GET", "/issues?since=yesterday").status == 422
    assert len(client.repo("GET", "/issues/comments").body) == 1


def test_an_unchanged_answer_is_304_and_costs_nothing(forge, client):
    forge.open_issue("One", by="ana")
    first = client.repo("GET", "/issues")
    same = client.repo("GET", "/issues", If_None_Match=first.headers["etag"])
    assert (same.status, same.body) == (304, None)
    assert same.headers["x-ratelimit-remaining"] == first.headers["x-ratelimit-remaining"]
    forge.comment(1, "New", by="ana")
    assert client.repo("GET", "/issues", If_None_Match=first.headers["etag"]).status == 200


def test_the_rate_limit_ends_and_begins_again(forge, client):
    forge.limit_rate(2)
    assert [client.ask("GET", "/user").status for _ in range(3)] == [200, 200, 403]
    refused = client.answers[-1]
    assert refused.headers["x-ratelimit-remaining"] == "0"
    assert refused.body["message"].startswith("API rate limit exceeded")
    assert client.ask("GET", "/rate_limit").body["rate"]["remaining"] == 0
    forge.pass_time(3600)
    assert client.ask("GET", "/user").status == 200


def test_faults_meet_the_next_requests(forge, client):
    forge.fail_next(403, headers={"Retry-After": "7"})
    forge.fail_next(502, 2, path="/user")
    refused = client.ask("GET", "/rate_limit")
    assert (refused.status, refused.headers["retry-after"]) == (403, "7")
    assert "secondary rate limit" in refused.body["message"]
    assert client.ask("GET", "/rate_limit").status == 200
    assert [client.ask("GET", "/user").status for _ in range(3)] == [502, 502, 200]
    forge.fail_next(0)
    with pytest.raises((OSError, HTTPException)):
        client.ask("GET", "/user")
    forge.slow_next(0.01)
    assert client.ask("GET", "/user").status == 200
    assert [status for *_, status in forge.asked][-2:] == [0, 200]


def test_an_answer_may_be_lost_after_its_effect(forge, client):
    forge.open_issue("One", by="ana")
    forge.fail_next(0, after=True)
    with pytest.raises((OSError, HTTPException)):
        client.repo("POST", "/issues/1/comments", {"body": "Once"})
    assert [each.body for each in forge.issue(1).comments] == ["Once"]


def test_what_does_not_exist_or_cannot_be_read(forge, client):
    assert client.repo("GET", "/issues/99").status == 404
    assert client.repo("GET", "/nothing").status == 404
    assert client.ask("GET", "/repos/other/shop").status == 404
    assert client.as_("").repo("GET", "/issues").status == 404
    assert client.as_(forge.token_of("eve")).repo("GET", "/issues").status == 404
    assert client.as_("wrong").ask("GET", "/user").body["message"] == "Bad credentials"
    forge.open_issue("One", by="ana")
    assert client.repo("POST", "/issues/1/comments", {"body": "  "}).status == 422
    assert client.repo("POST", "/issues/1/comments", {"body": "x" * 65_537}).status == 422
    assert client.repo("POST", "/issues/1/comments", {}).status == 422
    assert client.repo("POST", "/issues/1/comments", "text").status == 400
    assert client.repo("DELETE", "/issues/1/labels/none").status == 404


def test_comments_are_changed_by_author_or_writers(forge, client):
    forge.open_issue("One", by="ana")
    written = forge.comment(1, "First", by="rob")
    rob = client.as_(forge.token_of("rob"))
    forge.pass_time(3)
    assert rob.repo("PATCH", f"/issues/comments/{written.id}", {"body": "Second"}).status == 200
    shown = client.repo("GET", f"/issues/comments/{written.id}").body
    assert shown["updated_at"] > shown["created_at"]
    other = forge.comment(1, "Mine", by="ana")
    assert rob.repo("PATCH", f"/issues/comments/{other.id}", {"body": "x"}).status == 403
    assert client.repo("DELETE", f"/issues/comments/{written.id}").status == 204
    assert [each["body"] for each in client.repo("GET", "/issues/1/comments").body] == ["Mine"]


def test_check_runs_are_for_apps(forge, client, pull):
    sha = forge.branches()["fix"]
    sent = {"name": "setpoint", "head_sha": sha, "status": "in_progress"}
    refused = client.repo("POST", "/check-runs", sent)
    assert (refused.status, refused.body["message"]) == (403, "You must authenticate via a GitHub App.")
    app = client.as_(forge.app_token())
    made = app.repo("POST", "/check-runs", sent).body
    place = {"path": "calc.py", "start_line": 1, "end_line": 1}
    note = {**place, "annotation_level": "failure", "message": "m"}
    output = {"title": "t", "summary": "s"}
    url = f"/check-runs/{made['id']}"
    too_many = app.repo("PATCH", url, {"output": {**output, "annotations": [note] * 51}})
    assert too_many.status == 422
    for _ in range(2):
        assert app.repo("PATCH", url, {"output": {**output, "annotations": [note] * 50}}).status == 200
    ended = app.repo("PATCH", url, {"conclusion": "failure"}).body
    assert (ended["status"], ended["output"]["annotations_count"]) == ("completed", 100)
    listed = client.repo("GET", f"/commits/{sha}/check-runs").body
    assert (listed["total_count"], listed["check_runs"][0]["conclusion"]) == (1, "failure")
    assert client.repo("GET", f"/pulls/{pull}").body["mergeable_state"] == "unstable"
    assert len(client.repo("GET", f"{url}/annotations?per_page=100").body) == 100
    assert app.repo("POST", "/check-runs", {**sent, "conclusion": "great"}).status == 422
    assert app.repo("POST", "/check-runs", {**sent, "head_sha": "0" * 40}).status == 422
    assert app.ask("GET", "/user").status == 403


def test_statuses_deployments_and_sarif(forge, client):
    sha = forge.branches()["main"]
    made = client.repo("POST", f"/statuses/{sha}", {"state": "success", "context": "setpoint"})
    assert (made.status, made.body["context"]) == (201, "setpoint")
    assert client.repo("POST", f"/statuses/{sha}", {"state": "great"}).status == 422
    assert client.repo("POST", f"/statuses/{'0' * 40}", {"state": "success"}).status == 422
    forge.deploy(sha, "production", "success")
    forge.deploy("main", "production", "failure")
    (deployment,) = client.repo("GET", "/deployments?environment=production").body
    states = client.repo("GET", f"/deployments/{deployment['id']}/statuses").body
    assert [each["state"] for each in states] == ["failure", "success"]

    def upload(document):
        packed = base64.b64encode(gzip.compress(document)).decode()
        sent = {"commit_sha": sha, "ref": "refs/heads/main", "sarif": packed}
        return client.repo("POST", "/code-scanning/sarifs", sent)

    sent = upload(json.dumps({"version": "2.1.0", "runs": []}).encode())
    assert sent.status == 202
    assert forge.sarifs[0].document["version"] == "2.1.0"
    shown = client.repo("GET", f"/code-scanning/sarifs/{sent.body['id']}").body
    assert shown["processing_status"] == "complete"
    assert upload(b"no JSON").status == 400
    assert upload(b"{}").status == 400
    plain = {"commit_sha": sha, "ref": "refs/heads/main", "sarif": "{}"}
    assert client.repo("POST", "/code-scanning/sarifs", plain).status == 400
