"""GraphQL of a fake forge: what GitHub offers there alone.

Queries may ask for any of these fields, in any order, such as:

```graphql
query IssueEdited($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) { lastEditedAt } }
}
query ReviewThreads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved isOutdated resolvedBy { login } comments(first: 100) { nodes { databaseId } } }
    }
  } }
}
```

Mutations: `convertPullRequestToDraft`, `markPullRequestReadyForReview` (`input: {pullRequestId}`),
`resolveReviewThread`, `unresolveReviewThread` (`input: {threadId}`).
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from setpoint.testing.forge import pull_acts, review_acts
from setpoint.testing.forge.graphql_query import QueryError, parse, project
from setpoint.testing.forge.naming import node, numbered, stamp
from setpoint.testing.forge.payloads.pulls import is_outdated
from setpoint.testing.forge.records import Comment, Issue, Json, LineComment, Review, Thread
from setpoint.testing.forge.refusal import Refused
from setpoint.testing.forge.rest.exchange import Ask, Reply
from setpoint.testing.forge.world import World

MOST_NODES = 100


def answer(ask: Ask) -> Reply:
    """Answer a query or a mutation; what is wrong comes as `errors`, with status 200, as on GitHub."""
    by = ask.by
    try:
        asked = parse(ask.text("query"), ask.body.get("variables") or {})
        return Reply(body={"data": project(_root(ask.world, by), asked)})
    except QueryError as error:
        return Reply(body={"errors": [{"message": str(error)}]})
    except (Refused, TypeError) as error:
        denied = isinstance(error, Refused) and error.status == HTTPStatus.FORBIDDEN
        kind = "FORBIDDEN" if denied else "NOT_FOUND"
        return Reply(body={"data": None, "errors": [{"type": kind, "message": str(error)}]})


def _root(world: World, by: str) -> Json:
    return {
        "viewer": {"__typename": "User", "login": by},
        "repository": lambda owner, name: _repository(world, owner, name),
        "convertPullRequestToDraft": lambda input: _draft(world, input, by, draft=True),  # noqa: A006 - GitHub's name
        "markPullRequestReadyForReview": lambda input: _draft(world, input, by, draft=False),  # noqa: A006 - as above
        "resolveReviewThread": lambda input: _resolve(world, input, by, resolved=True),  # noqa: A006 - as above
        "unresolveReviewThread": lambda input: _resolve(world, input, by, resolved=False),  # noqa: A006 - as above
    }


def _repository(world: World, owner: str, name: str) -> Json:
    if f"{owner}/{name}".lower() != world.full_name.lower():
        raise Refused(404, f"Could not resolve to a Repository with the name '{owner}/{name}'.")

    def found(number: int, kind: str) -> Issue:
        record = world.issues.get(number)
        if record is None or (kind != "Issue or Pull Request" and (kind == "Issue") != (record.pull is None)):
            raise Refused(404, f"Could not resolve to a {kind} with the number of {number}.")
        return record

    return {
        "__typename": "Repository",
        "nameWithOwner": world.full_name,
        "issue": lambda number: _issue(world, found(number, "Issue")),
        "pullRequest": lambda number: _issue(world, found(number, "PullRequest")),
        "issueOrPullRequest": lambda number: _issue(world, found(number, "Issue or Pull Request")),
    }


def _issue(world: World, record: Issue) -> Json:
    body: Json = {
        "__typename": "PullRequest" if record.pull else "Issue",
        "id": node("PullRequest" if record.pull else "Issue", record.number),
        "databaseId": record.id,
        "number": record.number,
        "title": record.title,
        "body": record.body,
        "state": record.state.upper(),
        "createdAt": stamp(record.created),
        "updatedAt": stamp(record.updated),
        "lastEditedAt": stamp(record.edited),
        "author": _actor(record.author),
        "comments": _connection(record.comments, _comment),
    }
    if record.pull is not None:
        pull = record.pull
        body["state"] = "MERGED" if pull.merged_at else body["state"]
        body |= {
            "isDraft": pull.draft,
            "headRefOid": pull.head_sha,
            "headRefName": pull.head,
            "baseRefName": pull.base,
            "merged": pull.merged_at is not None,
            "reviews": _connection(pull.reviews, _review),
            "reviewThreads": _connection(pull.threads, lambda each: _thread(world, record, each)),
        }
    return body


def _actor(login: str) -> Json | None:
    return {"__typename": "User", "login": login} if login else None


def _comment(written: Comment) -> Json:
    return {
        "__typename": "PullRequestReviewComment" if isinstance(written, LineComment) else "IssueComment",
        "id": node("IssueComment", written.id),
        "databaseId": written.id,
        "body": written.body,
        "author": _actor(written.author),
        "createdAt": stamp(written.created),
        "updatedAt": stamp(written.updated),
        "lastEditedAt": stamp(written.edited),
        "path": written.path if isinstance(written, LineComment) else "",
    }


def _review(written: Review) -> Json:
    return {
        "__typename": "PullRequestReview",
        "databaseId": written.id,
        "state": written.state,
        "body": written.body,
        "author": _actor(written.author),
        "submittedAt": stamp(written.submitted),
    }


def _thread(world: World, record: Issue, talked: Thread) -> Json:
    first = talked.comments[0]
    return {
        "__typename": "PullRequestReviewThread",
        "id": node("PullRequestReviewThread", talked.id),
        "isResolved": bool(talked.resolved_by),
        "isOutdated": is_outdated(world, record, first),
        "resolvedBy": _actor(talked.resolved_by),
        "path": first.path,
        "line": first.line,
        "comments": _connection(talked.comments, _comment),
    }


def _connection(records: list[Any], shown: Callable[[Any], Json]) -> Callable[..., Json]:
    def page(first: int | None = None, after: str | None = None, last: int | None = None) -> Json:
        if (first is None) == (last is None) or not 1 <= (first or last or 0) <= MOST_NODES:
            raise QueryError(f"You must provide a `first` or `last` value of 1 to {MOST_NODES}.")
        start = int(base64.b64decode(after or "MA==")) if first else max(0, len(records) - (last or 0))
        end = min(len(records), start + (first or last or 0))
        cursor = base64.b64encode(str(end).encode()).decode()
        info = {"__typename": "PageInfo", "hasNextPage": end < len(records), "endCursor": cursor}
        nodes = [shown(each) for each in records[start:end]]
        return {"__typename": "Connection", "totalCount": len(records), "nodes": nodes, "pageInfo": info}

    return page


def _draft(world: World, given: Json, by: str, *, draft: bool) -> Json:
    kind, number = numbered(str(given.get("pullRequestId")))
    if kind != "PullRequest":
        raise Refused(
            404, f"Could not resolve to a node with the global id of '{given.get('pullRequestId')}'."
        )
    record, _ = world.pull(int(number))
    if by != record.author and not world.may_write(by):
        raise Refused(403, f"{by} does not have the correct permissions to execute this mutation.")
    pull_acts.set_draft(world, record, by, draft=draft)
    return {"__typename": "Payload", "pullRequest": _issue(world, record)}


def _resolve(world: World, given: Json, by: str, *, resolved: bool) -> Json:
    kind, number = numbered(str(given.get("threadId")))
    for record in world.pulls() if kind == "PullRequestReviewThread" else ():
        for talked in record.merging.threads:
            if talked.id == int(number):
                if by != record.author and not world.may_write(by):
                    raise Refused(
                        403, f"{by} does not have the correct permissions to execute this mutation."
                    )
                review_acts.resolve(world, record, talked, by, resolved=resolved)
                return {"__typename": "Payload", "thread": _thread(world, record, talked)}
    raise Refused(404, f"Could not resolve to a node with the global id of '{given.get('threadId')}'.")
