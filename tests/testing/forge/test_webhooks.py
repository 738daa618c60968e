"""Webhooks: signed, with a GUID that stays at redelivery, and as unreliable as a test wants them."""

from __future__ import annotations

import hashlib
import hmac

import pytest


def test_each_change_is_signed_and_delivered_in_order(forge, inbox):
    hook = forge.deliver_to(inbox.url, "secret")
    forge.open_issue("One", "Text", by="bob")
    forge.label(1, "setpoint", by="ana")
    written = forge.comment(1, "Hello", by="bob")
    forge.edit_comment(written, "Hi", by="bob")
    hook.flush()
    assert inbox.names == [
        "ping",
        "issues.opened",
        "issues.labeled",
        "issue_comment.created",
        "issue_comment.edited",
    ]
    for headers, body in inbox.got:
        expected = hmac.new(b"secret", body, hashlib.sha256).hexdigest()
        assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert len({headers["x-github-delivery"] for headers, _ in inbox.got}) == 5
    payload = inbox.payloads[2][1]
    assert (payload["sender"]["login"], payload["label"]["name"]) == ("ana", "setpoint")
    assert payload["repository"]["full_name"] == "octo/shop"
    assert payload["installation"]["id"] == forge.installation_id
    assert inbox.payloads[4][1]["changes"] == {"body": {"from": "Hello"}}


def test_a_push_over_http_and_a_merge_are_told(forge, inbox, pull):
    hook = forge.deliver_to(inbox.url, "secret")
    forge.push("fix", {"more.py": "x = 1\n"}, by="ana")
    forge.merge(pull, by="ana", method="squash")
    hook.flush()
    assert inbox.names == ["ping", "push", "pull_request.synchronize", "pull_request.closed", "push"]
    push, synchronized, closed = (payload for _, payload in inbox.payloads[1:4])
    assert (push["pusher"]["name"], push["commits"][0]["added"]) == ("ana", ["more.py"])
    assert (synchronized["before"], synchronized["after"]) == (push["before"], push["after"])
    assert closed["pull_request"]["merged"] is True


def test_deliveries_can_be_held_reversed_doubled_and_lost(forge, inbox):
    hook = forge.deliver_to(inbox.url, "")
    hook.flush()
    hook.pause()
    hook.double_next()
    for text in ("one", "two", "three"):
        forge.open_issue(text, by="ana")
    hook.reverse()
    hook.drop_next()
    forge.open_issue("lost", by="ana")
    assert inbox.names == ["ping"]
    hook.resume()
    hook.flush()
    assert [payload["issue"]["title"] for _, payload in inbox.payloads[1:]] == ["three", "two", "one", "one"]
    assert inbox.got[3][0]["x-github-delivery"] == inbox.got[4][0]["x-github-delivery"]
    assert "x-hub-signature-256" not in inbox.got[1][0]
    assert [each.attempts[-1].status for each in hook.deliveries] == [202, 202, 202, 202, 0]


def test_a_redelivery_keeps_its_guid(forge, client, inbox):
    inbox.status = 500
    hook = forge.deliver_to(inbox.url, "secret")
    forge.open_issue("One", by="ana")
    hook.flush()
    inbox.status = 202
    listed = client.repo("GET", f"/hooks/{hook.id}/deliveries").body
    assert [(each["event"], each["status_code"]) for each in listed] == [("issues", 500), ("ping", 500)]
    again = client.repo("POST", f"/hooks/{hook.id}/deliveries/{listed[0]['id']}/attempts")
    assert again.status == 202
    hook.flush()
    assert inbox.got[-1][0]["x-github-delivery"] == listed[0]["guid"]
    assert [each.status for each in hook.deliveries[1].attempts] == [500, 202]
    with pytest.raises(KeyError):
        hook.redeliver("none")


def test_a_receiver_that_is_gone_gets_nothing_and_harms_nothing(forge):
    hook = forge.deliver_to("http://127.0.0.1:9/hook", "secret")
    forge.open_issue("One", by="ana")
    hook.flush()
    assert [each.attempts[0].status for each in hook.deliveries] == [0, 0]


def test_a_burst_arrives_whole_and_in_order(forge, inbox):
    hook = forge.deliver_to(inbox.url, "secret")
    forge.open_issue("One", by="ana")
    for number in range(300):
        forge.comment(1, str(number), by="ana")
    hook.flush()
    said = [payload["comment"]["body"] for event, payload in inbox.payloads if event == "issue_comment"]
    assert said == [str(number) for number in range(300)]
