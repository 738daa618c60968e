"""The job that comments trusts GitHub's event and API, and nothing that the checking job left."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from app.ci.conftest import Forge, Ran
from setpoint.app.ci.comment import MARK, MOST_BYTES, comment_report, read_report
from setpoint.app.ci.job_files import REPORT
from setpoint.errors import UsageError
from setpoint.model.ci_report import CiReport, CiState, Level, Problem

HEAD, OTHER = "a" * 40, "d" * 40
BOT = "github-actions[bot]"
NOW = "2026-01-01T00:00:00Z"
REPO = "/repos/octo/project"


@dataclass
class Site:
    """What GitHub answers to the requests of this job."""

    api_url: str = ""
    pulls: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)

    def answer(self, method: str, target: str, body: Any) -> tuple[int, Any]:  # noqa: PLR0911 - one for each request
        self.asked.append(f"{method} {target}")
        path = urlsplit(target)
        query = parse_qs(path.query)
        if (method, path.path) == ("GET", f"{REPO}/pulls"):
            (head,) = query["head"]
            return 200, [each for each in self.pulls if each["label"] == head]
        if path.path.endswith("/comments") and method == "GET":
            return 200, [each for each in self.comments if f"/issues/{each['on']}/" in path.path]
        if path.path.endswith("/comments"):
            made = comment(BOT, body["body"], on=int(path.path.split("/")[5]), id_=len(self.comments) + 1)
            self.comments.append(made)
            return 201, made
        if method == "PATCH":
            (changed,) = [each for each in self.comments if path.path.endswith(f"/{each['id']}")]
            changed["body"] = body["body"]
            return 200, changed
        if path.path == "/user":  # a token of a workflow belongs to no person
            return 403, {"message": "Resource not accessible by integration"}
        if path.path == "/graphql":
            return 200, {"data": {"viewer": {"login": BOT}}}
        return 404, {"message": "Not Found"}


def comment(login: str, body: str, on: int = 7, id_: int = 1) -> dict[str, Any]:
    url = f"https://github.com/octo/project/pull/{on}#issuecomment-{id_}"
    return {
        "id": id_,
        "on": on,
        "body": body,
        "user": {"login": login},
        "created_at": NOW,
        "updated_at": NOW,
        "html_url": url,
    }


def pull(number: int, sha: str = HEAD, owner: str = "fork", branch: str = "patch") -> dict[str, Any]:
    return {
        "number": number,
        "state": "open",
        "label": f"{owner}:{branch}",
        "head": {"ref": branch, "sha": sha, "repo": {"full_name": f"{owner}/project"}},
        "base": {"ref": "main", "sha": OTHER, "repo": {"full_name": "octo/project"}},
    }


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site(pulls=[pull(7)])

    class Requests(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length)) if length else None
            made.tokens.add(self.headers.get("authorization", ""))
            status, answer = made.answer(self.command, self.path, body)
            raw = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PATCH = _answer  # noqa: N815 - names of the standard library

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the standard library
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
    made.api_url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def report(**more: Any) -> CiReport:
    given = {"setpoint": "0", "event": "pull_request opened", "head": HEAD, "measured": HEAD, "base": OTHER}
    return CiReport.model_validate({**given, "state": CiState.PASSED, **more})


def run_payload(**more: Any) -> dict[str, Any]:
    run = {
        "event": "pull_request",
        "head_branch": "patch",
        "head_sha": HEAD,
        "head_repository": {"full_name": "fork/project", "owner": {"login": "fork"}},
    }
    return {"action": "completed", "workflow_run": {**run, **more}}


@dataclass
class Job:
    """A job in an empty folder."""

    folder: Path
    site: Site

    def comment(self, told: object, name: str = "workflow_run", payload: object = None) -> Any:
        self.folder.mkdir(exist_ok=True)
        text = told.model_dump_json() if isinstance(told, CiReport) else json.dumps(told)
        (self.folder / REPORT).write_text(text, "utf-8")
        event = self.folder / "event.json"
        event.write_text(json.dumps(run_payload() if payload is None else payload), "utf-8")
        return comment_report(self.folder, self.variables(name, event), self.folder)

    def variables(self, name: str, event: Path) -> dict[str, str]:
        return {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "octo/project",
            "GITHUB_API_URL": self.site.api_url,
            "GITHUB_TOKEN": "secret",
        }


@pytest.fixture
def job(tmp_path: Path, site: Site) -> Job:
    return Job(tmp_path / "job", site)


def test_one_comment_is_written_and_then_updated(job: Job, site: Site) -> None:
    assert job.comment(report()).url.endswith("#issuecomment-1")
    assert "nothing new is wrong" in site.comments[0]["body"]
    assert site.comments[0]["body"].endswith(f"<!-- {MARK} -->")
    failed = Problem(level=Level.ERROR, blocking=True, kind="test", title="t", message="@octo/team fails")

    job.comment(report(state=CiState.FAILED, problems=[failed]))

    (only,) = site.comments
    assert "not yet" in only["body"]
    assert "`@octo/team fails`" in only["body"]
    assert site.tokens == {"Bearer secret"}


def test_a_comment_of_another_person_with_the_mark_stays(job: Job, site: Site) -> None:
    forged = comment("mallory", f"all is well\n\n<!-- {MARK} -->", id_=1)
    site.comments.append(dict(forged))

    job.comment(report())

    assert site.comments[0] == forged
    assert site.comments[1]["user"] == {"login": BOT}


def test_the_pull_request_is_asked_of_the_forge_by_head_and_branch(job: Job, site: Site) -> None:
    site.pulls = [pull(3, sha=OTHER), pull(4, owner="else"), pull(5)]
    site.pulls[0]["label"] = "fork:patch"

    job.comment(report())

    assert [each["on"] for each in site.comments] == [5]
    site.pulls = [pull(5, sha=OTHER)]  # the branch has moved since
    assert job.comment(report()).reason == f"no open pull request has the head {HEAD}"
    site.pulls = [{**pull(5), "head": {"ref": "patch", "sha": HEAD, "repo": None}}]  # the fork is gone
    assert job.comment(report()).reason.startswith("no open pull request")


def test_a_second_job_of_the_same_workflow_knows_its_pull_request(job: Job, site: Site) -> None:
    payload = {"action": "opened", "pull_request": {"number": 9, "head": {"sha": HEAD}}}
    job.comment(report(), "pull_request", payload)

    assert [each["on"] for each in site.comments] == [9]
    assert not [each for each in site.asked if "/pulls?" in each]


def test_nothing_is_written_for_a_push_or_a_skipped_check(job: Job, site: Site) -> None:
    assert job.comment(report(), payload=run_payload(event="push")).reason == "the checked event was push"
    assert job.comment(report(state=CiState.SKIPPED, reason="closed")).reason == "closed"
    assert site.asked == []


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (report(head=OTHER), "and the event is about"),
        ({}, "not a report of Setpoint"),
        ([], "not a report of Setpoint"),
        ({**report().model_dump(mode="json"), "number": 1}, "number: extra inputs"),
        ({**report().model_dump(mode="json"), "problems": "x" * MOST_BYTES}, "larger than"),
    ],
)
def test_a_file_that_is_no_report_of_this_head_is_refused(
    job: Job, site: Site, told: object, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        job.comment(told)
    assert site.asked == []


@pytest.mark.parametrize("name", ["pull_request_target", "issues", "push", ""])
def test_other_events_are_refused(job: Job, site: Site, name: str) -> None:
    with pytest.raises(UsageError, match="a comment is not written for the event"):
        job.comment(report(), name)
    assert site.asked == []


@pytest.mark.parametrize(
    "payload",
    [{}, run_payload(head_sha="main"), run_payload(head_branch=None), run_payload(head_repository=None), []],
)
def test_a_malformed_event_is_refused(job: Job, site: Site, payload: object) -> None:
    with pytest.raises(UsageError, match="not the payload of an event 'workflow_run'"):
        job.comment(report(), payload=payload)
    assert site.asked == []


def test_links_and_other_files_that_are_not_plain_are_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(report().model_dump_json())
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "pipe")

    for name in ("link", "pipe", "none", "."):
        with pytest.raises(UsageError):
            read_report(tmp_path / name)


def test_a_checkout_of_the_head_beside_the_token_is_refused(forge: Forge, site: Site) -> None:
    change = forge.propose({"other.py": "A = 1\n"})
    place = forge.checkout("refs/pull/1/head")
    site.pulls = [pull(1, sha=change["head"])]

    def run(here: Path) -> Ran:
        (place.parent / REPORT).write_text(report(head=change["head"]).model_dump_json())
        event = place.parent / "event.json"
        event.write_text(json.dumps(run_payload(head_sha=change["head"])))
        words = ("ci", "github", "comment", "--report", str(place.parent))
        return forge.job(here, *words, **Job(here, site).variables("workflow_run", event))

    refused = run(place)
    assert (refused.code, site.comments) == (2, [])
    assert "remove actions/checkout from this job" in refused.err

    done = run(place.parent)
    assert done.code == 0, done.err
    assert "#issuecomment-1" in done.out
    assert len(site.comments) == 1
