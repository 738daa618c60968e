"""From a label to a merged and reverted pull request, as an adapter and people see it."""

from __future__ import annotations

import pytest

from setpoint.testing.forge import FakeForge, Refused
from testing.forge.client import Client
from testing.forge.conftest import FIXED


def test_a_labelled_issue_is_listed_with_who_labelled_it_and_when(forge, client):
    forge.open_issue("Add subtracts", "See calc.py", by="bob")
    forge.open_issue("Other", by="bob")
    forge.pass_time(60)
    forge.label(1, "setpoint", by="ana")
    listed = client.repo("GET", "/issues?labels=setpoint").body
    assert [(each["number"], each["author_association"]) for each in listed] == [(1, "NONE")]
    events = client.repo("GET", "/issues/1/events").body
    assert [(each["event"], each["actor"]["login"], each["label"]["name"]) for each in events] == [
        ("labeled", "ana", "setpoint")
    ]
    assert events[0]["created_at"] > listed[0]["created_at"]


def test_an_edit_after_the_label_can_be_seen(forge, client):
    forge.open_issue("Add subtracts", "Good text", by="bob", labels=["setpoint"])
    query = (
        "query IssueEdited($owner: String!, $name: String!, $number: Int!) {"
        " repository(owner: $owner, name: $name) { issue(number: $number) { lastEditedAt body } } }"
    )
    told = {"owner": "octo", "name": "shop", "number": 1}
    assert client.graphql(query, **told)["data"]["repository"]["issue"]["lastEditedAt"] is None
    forge.pass_time(10)
    forge.edit(1, by="bob", text="Evil text")
    seen = client.graphql(query, **told)["data"]["repository"]["issue"]
    labelled = client.repo("GET", "/issues/1/timeline").body[0]["created_at"]
    assert seen["body"] == "Evil text"
    assert seen["lastEditedAt"] > labelled


def test_a_pull_request_is_opened_once_and_only_with_commits(forge, client):
    forge.push("fix", FIXED, by="setpoint-bot")
    sent = {"title": "Add adds", "body": "Text", "head": "fix", "base": "main", "draft": True}
    opened = client.repo("POST", "/pulls", sent)
    assert (opened.status, opened.body["mergeable_state"], opened.body["commits"]) == (201, "draft", 1)
    again = client.repo("POST", "/pulls", sent)
    assert (again.status, again.body["errors"][0]["message"]) == (
        422,
        "A pull request already exists for octo:fix.",
    )
    forge.push("same", {}, by="setpoint-bot")
    for wrong in ({"head": "nowhere"}, {"base": "nowhere"}, {"title": None}, {"title": 3}):
        assert client.repo("POST", "/pulls", {**sent, **wrong}).status == 422
    listed = client.repo("GET", "/pulls?head=octo:fix&state=all").body
    assert [each["number"] for each in listed] == [1]
    assert client.repo("GET", "/pulls?head=octo:main").body == []
    for draft, name in ((False, "markPullRequestReadyForReview"), (True, "convertPullRequestToDraft")):
        changed = client.graphql(
            f"mutation($id: ID!) {{ {name}(input: {{pullRequestId: $id}}) {{ pullRequest {{ isDraft }} }} }}",
            id=opened.body["node_id"],
        )
        assert changed["data"][name]["pullRequest"]["isDraft"] is draft
    patched = client.repo("PATCH", "/pulls/1", {"title": "New", "body": "More", "state": "closed"}).body
    assert (patched["title"], patched["body"], patched["state"]) == ("New", "More", "closed")


def test_no_pull_request_without_commits(forge, client):
    main = forge.branches()["main"]
    forge._world.bare.point("refs/heads/same", main)
    refused = client.repo("POST", "/pulls", {"title": "t", "head": "same", "base": "main"})
    assert (refused.status, refused.body["errors"][0]["message"]) == (422, "No commits between main and same")


def test_a_review_with_comments_threads_and_resolution(forge, client, pull):
    forge.review(pull, "changes_requested", "Please rename", by="ana", comments=[("calc.py", 2, "Name it")])
    reviews = client.repo("GET", f"/pulls/{pull}/reviews").body
    assert [(each["state"], each["user"]["login"]) for each in reviews] == [("CHANGES_REQUESTED", "ana")]
    (line,) = client.repo("GET", f"/pulls/{pull}/comments").body
    assert (line["path"], line["line"], line["side"], line["position"]) == ("calc.py", 2, "RIGHT", 3)
    assert line["diff_hunk"].endswith("+    return a + b")
    answered = client.repo("POST", f"/pulls/{pull}/comments/{line['id']}/replies", {"body": "Done"})
    assert (answered.status, answered.body["in_reply_to_id"]) == (201, line["id"])
    (thread,) = forge.threads(pull)
    query = (
        'query ReviewThreads($number: Int!, $after: String) { repository(owner: "octo", name: "shop") {'
        " pullRequest(number: $number) { reviewThreads(first: 1, after: $after) {"
        " pageInfo { hasNextPage endCursor } nodes { id isResolved resolvedBy { login }"
        " comments(first: 100) { nodes { databaseId } } } } } } }"
    )
    forge.resolve(thread, by="ana")
    found = client.graphql(query, number=pull)["data"]["repository"]["pullRequest"]["reviewThreads"]
    assert found["pageInfo"]["hasNextPage"] is False
    assert found["nodes"][0]["resolvedBy"] == {"login": "ana"}
    assert [each["databaseId"] for each in found["nodes"][0]["comments"]["nodes"]] == [
        line["id"],
        answered.body["id"],
    ]


def test_a_comment_is_outdated_when_its_line_changes(forge, client, pull):
    forge.review(pull, "commented", by="ana", comments=[("calc.py", 2, "Why?")])
    forge.push("fix", {"other.py": "x = 1\n"}, by="setpoint-bot")
    assert client.repo("GET", f"/pulls/{pull}/comments").body[0]["line"] == 2
    forge.push("fix", {"calc.py": "def add(a, b):\n    return sum((a, b))\n"}, by="setpoint-bot")
    (line,) = client.repo("GET", f"/pulls/{pull}/comments").body
    assert (line["line"], line["position"], line["original_line"]) == (None, None, 2)


@pytest.mark.parametrize(
    ("place", "told"), [(("calc.py", 9), "line must be part of the diff"), (("README.md", 1), "")]
)
def test_a_comment_outside_the_diff_is_refused(forge, client, pull, place, told):
    path, line = place
    sent = {"event": "COMMENT", "body": "x", "comments": [{"path": path, "line": line, "body": "?"}]}
    refused = client.repo("POST", f"/pulls/{pull}/reviews", sent)
    assert refused.status == 422
    assert refused.body["errors"][0].get("message", "") == told
    assert client.repo("GET", f"/pulls/{pull}/reviews").body == []


def test_nobody_approves_their_own_work(forge, client, pull):
    refused = client.repo("POST", f"/pulls/{pull}/reviews", {"event": "APPROVE"})
    assert refused.status == 422
    assert "own pull request" in refused.body["errors"][0]["message"]
    with pytest.raises(Refused):
        forge.review(pull, "approved", by="setpoint-bot")
    forge.review(pull, "approved", by="ana")
    assert forge.issue(pull).merging.reviews[-1].state == "APPROVED"


@pytest.mark.parametrize("method", ["merge", "squash"])
def test_a_merge_and_its_revert_happen_in_the_repository(forge, client, pull, method):
    head = forge.branches()["fix"]
    stale = client.repo("PUT", f"/pulls/{pull}/merge", {"sha": "0" * 40, "merge_method": method})
    assert stale.status == 409
    merged = client.repo("PUT", f"/pulls/{pull}/merge", {"sha": head, "merge_method": method})
    assert (merged.status, merged.body["sha"]) == (200, forge.branches()["main"])
    assert forge.read("main", "calc.py") == FIXED["calc.py"]
    shown = client.repo("GET", f"/pulls/{pull}").body
    assert (shown["merged"], shown["state"], shown["merge_commit_sha"]) == (
        True,
        "closed",
        merged.body["sha"],
    )
    assert [each["sha"] for each in client.repo("GET", f"/pulls/{pull}/commits").body] == [head]
    assert client.repo("PUT", f"/pulls/{pull}/merge", {}).status == 405
    reverted = forge.revert(pull, by="ana")
    assert reverted.title == 'Revert "Add adds"'
    assert f"Reverts octo/shop#{pull}" in reverted.body
    assert "return a - b" in forge.read("main", "calc.py")


def test_conflicts_are_dirty_and_do_not_merge(forge, client, pull):
    forge.push("main", {"calc.py": "def add(a, b):\n    return b - a\n"}, by="ana")
    shown = client.repo("GET", f"/pulls/{pull}").body
    assert (shown["mergeable"], shown["mergeable_state"]) == (False, "dirty")
    assert client.repo("PUT", f"/pulls/{pull}/merge", {}).status == 405


def test_a_deleted_branch_closes_and_a_pushed_merge_merges(forge, client, pull):
    forge.push("more", {"more.txt": "1\n"}, by="ana")
    other = forge.open_pull("more", "More", by="ana").number
    forge.delete_branch("more", by="ana")
    assert forge.issue(other).state == "closed"
    assert client.repo("PATCH", f"/pulls/{other}", {"state": "open"}).status == 422
    forge._world.bare.merge("main", forge.branches()["fix"], "By hand\n", "ana", "merge")
    before = forge.issue(pull).merging.base_sha
    from setpoint.testing.forge.pull_acts import follow

    follow(forge._world, "main", before, "ana")
    assert forge.issue(pull).merging.merged_by == "ana"


def test_what_roles_may_do(tmp_path):
    with FakeForge(tmp_path / "forge", files={"a": "1\n"}, private=False) as forge:
        forge.people.update({"ana": "maintain", "tri": "triage"})
        forge.open_issue("Issue", by="eve")
        client = Client(forge, forge.token)
        found = {
            login: client.repo("GET", f"/collaborators/{login}/permission")
            for login in ("octo", "ana", "tri", "eve", "nobody-yet")
        }
        assert {login: (each.status, each.body.get("permission")) for login, each in found.items()} == {
            "octo": (200, "admin"),
            "ana": (200, "write"),
            "tri": (200, "read"),
            "eve": (200, "read"),
            "nobody-yet": (404, None),
        }
        assert found["ana"].body["role_name"] == "maintain"
        eve = client.as_(forge.token_of("eve"))
        assert eve.repo("GET", "/collaborators/ana/permission").status == 403
        assert eve.repo("POST", "/issues/1/comments", {"body": "hello"}).status == 201
        assert eve.repo("POST", "/issues/1/labels", {"labels": ["x"]}).status == 403
        assert client.repo("POST", "/issues/1/labels", {"labels": ["x"]}).status == 200
        forge.lock(1, by="ana")
        assert eve.repo("POST", "/issues/1/comments", {"body": "hello"}).status == 403
        assert client.repo("POST", "/issues/1/comments", {"body": "hello"}).status == 201
        assert client.as_("").repo("GET", "/issues/1").status == 200
        assert client.as_("").repo("POST", "/issues/1/comments", {"body": "x"}).status == 401
        assert client.as_("bad").repo("GET", "/issues/1").status == 401
