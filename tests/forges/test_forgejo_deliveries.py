"""Messages of Forgejo and Gitea to a webhook."""

import pytest

from forges.payloads import AT, EVE, SHA, comment, issue, message, pull
from forges.signing import ID, SECRET, signature, written
from setpoint.errors import DeliveryRefused, UsageError
from setpoint.forges.forgejo.deliveries import read_delivery

LABELLED = message("label_updated", issue=issue(), changes={"added_labels": [{"name": "setpoint"}]})
NEWS = {
    "a label that is named": ("issues", LABELLED, "labelled:7:setpoint:1767323045"),
    "a label by its own kind": ("issue_label", LABELLED, "labelled:7:setpoint:1767323045"),
    "a label that is not named": ("issues", message("label_updated", issue=issue()), ""),
    "a comment": (
        "issue_comment",
        message("created", issue={"number": 7}, comment=comment()),
        "comment:issue-31",
    ),
    "an edited comment": ("issue_comment", message("edited", issue={"number": 7}, comment=comment()), ""),
    "a push to the branch": (
        "pull_request_sync",
        message("synchronized", pull_request=pull()),
        f"pull:8:open:{SHA}",
    ),
    "a closed one": (
        "pull_request",
        message("closed", pull_request=pull(state="closed")),
        f"pull:8:closed:{SHA}",
    ),
    "a review": ("pull_request_approved", message("reviewed", pull_request=pull()), ""),
}


def signed(vendor, event, body):
    return {
        f"x-{vendor}-signature": signature(body),
        f"x-{vendor}-event": event,
        f"x-{vendor}-delivery": ID,
    }


@pytest.mark.parametrize("vendor", ["forgejo", "gitea"])
@pytest.mark.parametrize("name", NEWS)
def test_messages_give_news(vendor, name):
    event, payload, key = NEWS[name]
    body = written(payload)
    delivery = read_delivery(signed(vendor, event, body), body, SECRET)
    assert (delivery.id, delivery.repository) == (ID, "octo/shop")
    assert [each.key for each in delivery.news] == [key] * bool(key)


def test_forged_and_malformed_messages_are_refused():
    body = written(LABELLED)
    right = signed("forgejo", "issues", body)
    wrong = ("", "0" * 64, signature(body, "other"), f"sha256={signature(body)}", signature(body).upper())
    for given in wrong:
        with pytest.raises(DeliveryRefused):
            read_delivery({**right, "x-forgejo-signature": given}, body, SECRET)
    for odd in (b"", b"[]", b'{"a": NaN}', written(message("label_updated", issue={"number": 0}))):
        with pytest.raises(UsageError):
            read_delivery(signed("forgejo", "issues", odd), odd, SECRET)


def test_times_and_people_are_those_of_the_message():
    body = written(LABELLED)
    (news,) = read_delivery(signed("gitea", "issues", body), body, SECRET).news
    assert (news.by, news.author, news.at.isoformat()) == ("wes", EVE["login"], AT.replace("Z", "+00:00"))
