"""Every answer and every webhook of the fake forge has the shape that GitHub publishes."""

from __future__ import annotations

import re

import pytest

from setpoint.testing.forge.rest import accounts, dispatch
from testing.forge.published import descriptions, example_faults, webhook_faults
from testing.forge.story import everything

UNDESCRIBED = {"/api/graphql"}
INCIDENTAL = re.compile(
    r"permissions\.\w+ is missing$"  # those of the app that sent the example
    r"|\.organization is missing$"  # the owner of the fake's repository is a person
    r"|^(issues\.closed|pull_request\.edited) has no example$"
)
SENT = {
    "check_run.completed",
    "check_run.created",
    "deployment.created",
    "deployment_status.created",
    "issue_comment.created",
    "issue_comment.deleted",
    "issue_comment.edited",
    "issues.closed",
    "issues.edited",
    "issues.labeled",
    "issues.locked",
    "issues.opened",
    "issues.reopened",
    "issues.unlabeled",
    "issues.unlocked",
    "ping",
    "pull_request.closed",
    "pull_request.converted_to_draft",
    "pull_request.edited",
    "pull_request.labeled",
    "pull_request.locked",
    "pull_request.opened",
    "pull_request.ready_for_review",
    "pull_request.reopened",
    "pull_request.synchronize",
    "pull_request.unlabeled",
    "pull_request_review.dismissed",
    "pull_request_review.submitted",
    "pull_request_review_comment.created",
    "pull_request_review_comment.edited",
    "pull_request_review_thread.resolved",
    "pull_request_review_thread.unresolved",
    "push",
    "status",
}


@pytest.fixture
def played(forge, client, inbox):
    descriptions()
    hook = forge.deliver_to(inbox.url, "secret")
    everything(forge, client, hook)
    return client, inbox


def test_every_answer_is_as_described_and_every_webhook_as_published(played):
    client, inbox = played
    answers = [each for each in client.answers if each.path not in UNDESCRIBED]
    assert [each for each in answers if each.status >= 500] == []
    faults = {
        fault
        for each in answers
        for description in descriptions()
        for fault in description.faults(each.method, each.path, each.status, each.body)
    }
    assert "\n".join(sorted(faults)) == ""
    asked = [(each.method, each.path.partition("?")[0]) for each in answers if each.status < 400]
    routes = [(route, "/repos/octo/shop") for route in dispatch._REPOSITORY]
    routes += [(route, "") for route in accounts.GLOBAL_ROUTES]
    unasked = [
        f"{route.method} {route.path}"
        for route, start in routes
        if not any(
            path.startswith(start) and route.match(how, path[len(start) :]) is not None for how, path in asked
        )
    ]
    assert unasked == []
    assert set(inbox.names) == SENT
    assert "\n".join({fault for each in inbox.payloads for fault in webhook_faults(*each)}) == ""
    unlike = {fault for each in inbox.payloads for fault in example_faults(*each)}
    assert "\n".join(each for each in unlike if not INCIDENTAL.search(each)) == ""


def test_what_does_not_fit_is_found():
    described = descriptions()[0]
    assert described.faults("GET", "/repos/a/b/issues", 200, [{"id": "one"}])
    assert described.faults("GET", "/repos/a/b/issues", 418, [])
    assert described.faults("GET", "/nowhere", 200, [])
    assert webhook_faults("issues", {"action": "labeled"})
    assert webhook_faults("issues", {"action": "unknown"})
    assert any("missing" in fault for fault in example_faults("issues", {"action": "labeled", "issue": {}}))
    assert any("str instead" in fault for fault in example_faults("push", {"ref": 1, "commits": "none"}))
