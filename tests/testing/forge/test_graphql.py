"""GraphQL: fields in any order with aliases and variables; what cannot be read is an error in the answer."""

from __future__ import annotations

import pytest

SHOP = 'repository(owner: "octo", name: "shop")'


def test_fields_aliases_defaults_and_nesting(forge, client, pull):
    forge.open_issue("Two", by="ana")
    forge.comment(2, "Hello", by="ana")
    query = (
        f"query Both($n: Int! = 2) {{ viewer {{ login }} shop: {SHOP} {{ # a comment\n"
        " one: issueOrPullRequest(number: 1) { __typename number },"
        " issue(number: $n) { number comments(last: 10) { totalCount nodes { body author { login } } } } } }"
    )
    assert client.graphql(query)["data"] == {
        "viewer": {"login": "setpoint-bot"},
        "shop": {
            "one": {"__typename": "PullRequest", "number": pull},
            "issue": {
                "number": 2,
                "comments": {"totalCount": 1, "nodes": [{"body": "Hello", "author": {"login": "ana"}}]},
            },
        },
    }


def test_an_edit_in_the_same_second_is_an_edit(forge, client, pull):
    now = forge._world.at()
    forge._world._clock = lambda: now
    review = forge.review(pull, "commented", "Text", by="ana", comments=[("calc.py", 2, "Why?")])
    assert review.state == "COMMENTED"
    (thread,) = forge.threads(pull)
    asked = "reviewThreads(first: 1) { nodes { comments(first: 9) { nodes { body lastEditedAt } } } }"
    query = f"{{ {SHOP} {{ pullRequest(number: {pull}) {{ {asked} }} }} }}"

    def edits():
        threads = client.graphql(query)["data"]["repository"]["pullRequest"]["reviewThreads"]
        return [each["lastEditedAt"] is not None for each in threads["nodes"][0]["comments"]["nodes"]]

    assert edits() == [False]
    forge.edit_comment(thread.comments[0], "How?", by="ana")
    forge.reply(thread, "So", by="setpoint-bot")
    assert edits() == [True, False]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("{ nothing }", "Field 'nothing' doesn't exist on type 'Query'"),
        (f"{{ {SHOP} {{ issue(number: 1) {{ secret }} }} }}", "doesn't exist on type 'Issue'"),
        (f"{{ {SHOP} {{ issue(number: 9) {{ number }} }} }}", "Could not resolve to a Issue"),
        ("{ viewer { login ", "expecting more"),
        ("{ viewer { ...F } }", "fragments"),
        ("{ viewer }", "must have selections"),
        ("query($n: Int!) { viewer { login } }", "$n"),
        (f"{{ {SHOP} {{ issue(number: $n) {{ number }} }} }}", "not declared"),
        (f"{{ {SHOP} {{ issue(number: 1) {{ comments {{ totalCount }} }} }} }}", "`first` or `last`"),
        ('{ repository(owner: "a", name: "b") { id } }', "Could not resolve to a Repository"),
        ("{ viewer { login } } { viewer { login } }", "one operation"),
        ("\\", "Parse error"),
    ],
)
def test_what_cannot_be_answered(forge, client, query, told):
    forge.open_issue("One", by="ana")
    answer = client.graphql(query)
    assert told in answer["errors"][0]["message"]
    assert client.answers[-1].status == 200


def test_threads_are_resolved_by_who_may(forge, client, pull):
    forge.review(pull, "commented", by="ana", comments=[("calc.py", 2, "Why?")])
    node = client.graphql(
        f"{{ {SHOP} {{ pullRequest(number: {pull}) {{ reviewThreads(first: 1) {{ nodes {{ id }} }} }} }} }}"
    )["data"]["repository"]["pullRequest"]["reviewThreads"]["nodes"][0]["id"]
    asked = "thread { resolvedBy { login } }"
    query = f"mutation($id: ID!) {{ resolveReviewThread(input: {{threadId: $id}}) {{ {asked} }} }}"
    rob = client.as_(forge.token_of("rob"))
    assert rob.graphql(query, id=node)["errors"][0]["type"] == "FORBIDDEN"
    assert client.graphql(query, id="wrong")["errors"][0]["type"] == "NOT_FOUND"
    assert client.graphql(query, id=node)["data"]["resolveReviewThread"]["thread"]["resolvedBy"] == {
        "login": "setpoint-bot"
    }
    assert client.as_("").ask("POST", "/api/graphql", {"query": "{ viewer { login } }"}).status == 401
