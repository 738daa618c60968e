"""Every event of GitHub leads to a check, to a reason to skip it, or to a refusal that says why."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app.ci.conftest import BAD, DOUBLE, TEST_DOUBLE, Forge, pull_payload
from setpoint.app.ci.change import Change, Skipped
from setpoint.app.ci.github_event import read_event
from setpoint.errors import UsageError
from setpoint.model.ci_report import CiState

HEAD, BASE, MERGE = ("a" * 40, "b" * 40, "c" * 40)
PULL = {"number": 7, "head": HEAD, "base": BASE, "merge": MERGE}
CHECKED = ("pull_request", "merge_group", "push", "workflow_dispatch")


def read(folder: Path, name: str, payload: object, **variables: str) -> Change | Skipped:
    path = folder / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload), "utf-8")
    told = {"GITHUB_SHA": MERGE, "GITHUB_REF": "refs/pull/7/merge"}
    return read_event({**told, "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), **variables})


@pytest.mark.parametrize(
    "action", ["opened", "synchronize", "reopened", "ready_for_review", "labeled", "unlabeled", "edited"]
)
def test_a_pull_request_is_checked(tmp_path: Path, action: str) -> None:
    change = read(tmp_path, "pull_request", pull_payload(PULL, action))

    assert isinstance(change, Change)
    assert (change.head, change.base, change.merged) == (HEAD, BASE, MERGE)
    assert change.accepted == (HEAD, MERGE)
    assert change.event == f"pull_request {action}"
    assert not change.released


def test_a_closed_pull_request_is_skipped(tmp_path: Path) -> None:
    assert read(tmp_path, "pull_request", pull_payload(PULL, "closed")) == Skipped(
        "pull_request closed", HEAD, "the pull request was closed"
    )


def test_a_deleted_fork_is_no_obstacle(tmp_path: Path) -> None:
    payload = pull_payload(PULL)
    payload["pull_request"]["head"]["repo"] = None

    assert isinstance(read(tmp_path, "pull_request", payload), Change)


def test_a_label_releases_the_tests(tmp_path: Path) -> None:
    labels = [{"name": "setpoint: tests may change"}]
    change = read(tmp_path, "pull_request", pull_payload(PULL, "labeled", labels=labels))

    assert isinstance(change, Change)
    assert change.released


def test_a_push_is_compared_with_what_was_there_before(tmp_path: Path) -> None:
    push = {"before": BASE, "after": HEAD, "repository": {"default_branch": "main"}}
    change = read(tmp_path, "push", push, GITHUB_REF="refs/heads/x", GITHUB_SHA=HEAD)
    assert isinstance(change, Change)
    assert (change.base, change.merged) == (BASE, "")

    new = read(tmp_path, "push", {**push, "before": "0" * 40}, GITHUB_REF="refs/heads/x")
    assert isinstance(new, Change)
    assert (new.base, new.default_branch) == ("", "main")

    deleted = read(tmp_path, "push", {**push, "after": "0" * 40, "deleted": True})
    assert isinstance(deleted, Skipped)
    assert isinstance(read(tmp_path, "push", push, GITHUB_REF="refs/tags/v1"), Skipped)


def test_a_merge_group_is_compared_with_its_base(tmp_path: Path) -> None:
    group = {"action": "checks_requested", "merge_group": {"head_sha": HEAD, "base_sha": BASE}}
    change = read(tmp_path, "merge_group", group, GITHUB_REF="refs/heads/gh-readonly-queue/main/pr-7")
    assert isinstance(change, Change)
    assert (change.head, change.base) == (HEAD, BASE)

    assert isinstance(read(tmp_path, "merge_group", {**group, "action": "destroyed"}), Skipped)


@pytest.mark.parametrize("name", ["workflow_run", "issues", "issue_comment", "schedule", "no such event"])
def test_an_event_without_a_change_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="brings no change to check"):
        read(tmp_path, name, {})


def test_the_event_with_secrets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds the token and the secrets"):
        read(tmp_path, "pull_request_target", pull_payload(PULL))


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        {},
        {"action": "opened"},
        {"action": 7, "pull_request": {}},
        pull_payload({**PULL, "head": "main"}),
        pull_payload({**PULL, "base": "--upload-pack=x"}),
        pull_payload({**PULL, "head": HEAD.upper()}),
        pull_payload(PULL, labels=[{}]),
        pull_payload(PULL, title=None),
    ],
)
def test_a_malformed_payload_is_refused_by_name(tmp_path: Path, payload: object) -> None:
    with pytest.raises(UsageError, match=r"not the payload of an event 'pull_request'"):
        read(tmp_path, "pull_request", payload)


def test_a_payload_that_is_not_there_is_named(tmp_path: Path) -> None:
    told = {"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "none.json")}
    with pytest.raises(UsageError, match=r"none\.json: No such file"):
        read_event(told)
    with pytest.raises(UsageError, match="GITHUB_EVENT_NAME is not set"):
        read_event({})


def test_each_event_ends_as_it_should_in_an_empty_environment(forge: Forge) -> None:
    """Run the verb itself for the events that need no measuring."""
    pull = forge.propose({"calc.py": BAD})
    place = forge.checkout("refs/pull/1/merge")
    of_pull = {"GITHUB_REF": "refs/pull/1/merge", "GITHUB_SHA": pull["merge"]}

    closed = forge.check(place, "pull_request", pull_payload(pull, "closed"), **of_pull)
    assert (closed.code, closed.report.state) == (0, CiState.SKIPPED)

    for name in ("pull_request_target", "workflow_run", "issues", "no such event"):
        refused = forge.check(place, name, pull_payload(pull, "labeled"), **of_pull)
        assert (refused.code, len(refused.commands)) == (2, 1), name
        assert refused.commands[0].startswith("::error title=Setpoint::")
        assert "%0A  hint: " in refused.commands[0]

    other = forge.check(
        place, "pull_request", pull_payload({**pull, "head": HEAD}), **{**of_pull, "GITHUB_SHA": MERGE}
    )
    assert other.code == 2
    assert "use actions/checkout without `ref`" in other.err
    assert forge.check(place, "pull_request", "{", **of_pull).code == 2


@pytest.mark.slow  # several checks, each a job of its own
def test_pushes_and_merge_groups_are_checked_in_shallow_checkouts(forge: Forge) -> None:
    before = forge.main
    after = forge.advance({"calc.py": BAD})
    place = forge.checkout("refs/heads/main")
    payload: dict[str, Any] = {"before": before, "after": after, "repository": {"default_branch": "main"}}
    pushed = forge.check(place, "push", payload, GITHUB_REF="refs/heads/main", GITHUB_SHA=after)
    assert (pushed.code, pushed.report.base) == (1, before)

    pull = forge.propose({"calc.py": DOUBLE, "tests/test_double.py": TEST_DOUBLE})
    group = {"action": "checks_requested", "merge_group": {"head_sha": pull["merge"], "base_sha": after}}
    place = forge.checkout("refs/pull/1/merge")
    queued = forge.check(place, "merge_group", group, "--fail-on", "unproven", GITHUB_SHA=pull["merge"])
    assert (queued.code, queued.report.base) == (0, after), queued.out + queued.err

    place = forge.checkout("refs/heads/main")
    asked = forge.check(
        place, "workflow_dispatch", {"repository": {"default_branch": "main"}}, GITHUB_SHA=after
    )
    assert (asked.code, asked.report.base) == (1, before)


@pytest.mark.slow  # a package from the registry
def test_payloads_of_github_are_read(tmp_path: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    argv = (
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "@octokit/webhooks-examples@7.6.1",
    )
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False, timeout=300)
    if done.returncode:
        pytest.skip("the registry of npm cannot be reached")
    folder = tmp_path / "node_modules" / "@octokit" / "webhooks-examples" / "api.github.com"
    seen: dict[str, int] = {}
    for event in json.loads((folder / "index.json").read_text("utf-8")):
        for example in event["examples"]:
            seen[event["name"]] = seen.get(event["name"], 0) + 1
            if event["name"] in CHECKED:
                found = read(tmp_path, event["name"], example, GITHUB_REF="refs/heads/x")
                closed = example.get("action") in ("closed", "locked", "unlocked")
                assert isinstance(found, Skipped) == (closed or example.get("deleted", False)), example
            else:
                with pytest.raises(UsageError, match="brings no change"):
                    read(tmp_path, event["name"], example)
    assert {name: seen[name] for name in CHECKED} == {
        "pull_request": 29,
        "merge_group": 2,
        "push": 7,
        "workflow_dispatch": 2,
    }
