"""A story in which everything that the fake forge answers and sends happens at least once."""

from __future__ import annotations

import base64
import gzip
import json

from testing.forge.client import Client
from testing.forge.conftest import FIXED


def everything(forge, client: Client, hook) -> None:
    _issues(forge, client)
    number = _pull(forge, client)
    _review(forge, client, number)
    _reports(forge, client)
    _accounts(forge, client, hook)
    client.repo("GET", f"/pulls/{number}/commits")
    client.repo("PUT", f"/pulls/{number}/merge", {"merge_method": "squash"})
    client.repo("GET", f"/pulls/{number}/merge")
    client.repo("GET", f"/pulls/{number}")
    client.repo("GET", "/pulls?state=all")
    forge.revert(number, by="ana")
    forge.delete_branch("fix", by="ana")
    hook.flush()


def _issues(forge, client: Client) -> None:
    repo = client.repo
    repo("POST", "/issues", {"title": "One", "body": "Text", "labels": ["bug"]})
    repo("PATCH", "/issues/1", {"title": "Two", "body": "More", "labels": ["bug", "new"]})
    repo("POST", "/issues/1/labels", {"labels": ["setpoint"]})
    repo("PUT", "/issues/1/labels", {"labels": ["setpoint", "bug"]})
    repo("DELETE", "/issues/1/labels/bug")
    repo("GET", "/issues/1/labels")
    repo("POST", "/labels", {"name": "later"})
    repo("GET", "/labels")
    repo("GET", "/labels/later")
    written = repo("POST", "/issues/1/comments", {"body": "Hello"}).body["id"]
    repo("PATCH", f"/issues/comments/{written}", {"body": "Hi"})
    repo("GET", f"/issues/comments/{written}")
    repo("GET", "/issues/comments")
    repo("GET", "/issues/1/comments")
    repo("PUT", "/issues/1/lock", {"lock_reason": "resolved"})
    repo("GET", "/issues/1/events")
    repo("GET", "/issues/1/timeline")
    repo("DELETE", "/issues/1/lock")
    repo("DELETE", f"/issues/comments/{written}")
    repo("PATCH", "/issues/1", {"state": "closed"})
    repo("PATCH", "/issues/1", {"state": "open"})
    repo("GET", "/issues/1")
    repo("GET", "/issues")


def _pull(forge, client: Client) -> int:
    forge.push("fix", FIXED, by="setpoint-bot")
    forge.push("other", {"other.txt": "1\n"}, by="ana")
    sent = {"title": "Fix", "body": "Text", "head": "fix", "base": "main", "draft": True}
    opened = client.repo("POST", "/pulls", sent).body
    number = opened["number"]
    client.repo("POST", "/pulls", sent)
    client.repo("PATCH", f"/pulls/{number}", {"title": "Fixed", "body": "More", "base": "other"})
    client.repo("PATCH", f"/pulls/{number}", {"state": "closed", "base": "main"})
    client.repo("PATCH", f"/pulls/{number}", {"state": "open"})
    for name in (
        "markPullRequestReadyForReview",
        "convertPullRequestToDraft",
        "markPullRequestReadyForReview",
    ):
        query = (
            f"mutation($id: ID!) {{ {name}(input: {{pullRequestId: $id}}) {{ pullRequest {{ number }} }} }}"
        )
        client.graphql(query, id=opened["node_id"])
    forge.push("fix", {"more.py": "x = 1\n"}, by="ana")
    forge.label(number, "setpoint", by="ana")
    forge.unlabel(number, "setpoint", by="ana")
    forge.lock(number, by="ana")
    return number


def _review(forge, client: Client, number: int) -> None:
    ana, url = client.as_(forge.token_of("ana")), f"/pulls/{number}"
    remark = {"path": "calc.py", "line": 2, "body": "Name it"}
    sent = {"event": "REQUEST_CHANGES", "body": "No", "comments": [{**remark, "start_line": 1}]}
    review = ana.repo("POST", f"{url}/reviews", sent).body["id"]
    ana.repo("POST", f"{url}/reviews", {"event": "APPROVE"})
    ana.repo("GET", f"{url}/reviews")
    ana.repo("GET", f"{url}/reviews/{review}")
    line = ana.repo("GET", f"{url}/reviews/{review}/comments").body[0]["id"]
    ana.repo("PUT", f"{url}/reviews/{review}/dismissals", {"message": "Done"})
    head = client.repo("GET", url).body["head"]["sha"]
    client.repo("POST", f"{url}/comments", {**remark, "commit_id": head, "side": "RIGHT"})
    client.repo("POST", f"{url}/comments/{line}/replies", {"body": "Why?"})
    client.repo("PATCH", f"/pulls/comments/{line}", {"body": "Rename it"})
    client.repo("GET", f"/pulls/comments/{line}")
    client.repo("GET", f"{url}/comments")
    client.repo("GET", "/pulls/comments")
    for resolved in (True, False):
        forge.resolve(forge.threads(number)[0], by="ana", resolved=resolved)


def _reports(forge, client: Client) -> None:
    app, sha = client.as_(forge.app_token()), forge.branches()["fix"]
    note = {"path": "calc.py", "start_line": 1, "end_line": 2, "annotation_level": "warning", "message": "m"}
    made = app.repo("POST", "/check-runs", {"name": "setpoint", "head_sha": sha}).body["id"]
    output = {"title": "t", "summary": "s", "annotations": [note]}
    app.repo("PATCH", f"/check-runs/{made}", {"conclusion": "success", "output": output})
    app.repo("GET", f"/check-runs/{made}")
    app.repo("GET", f"/check-runs/{made}/annotations")
    app.repo("GET", f"/commits/{sha}/check-runs")
    client.repo("POST", f"/statuses/{sha}", {"state": "success"})
    client.repo("GET", f"/commits/{sha}/statuses")
    packed = base64.b64encode(gzip.compress(json.dumps({"runs": []}).encode())).decode()
    sent = {"commit_sha": sha, "ref": "refs/heads/fix", "sarif": packed}
    upload = client.repo("POST", "/code-scanning/sarifs", sent).body["id"]
    client.repo("GET", f"/code-scanning/sarifs/{upload}")
    deployed = client.repo("POST", "/deployments", {"ref": "fix", "environment": "production"}).body["id"]
    client.repo("POST", f"/deployments/{deployed}/statuses", {"state": "success"})
    client.repo("GET", f"/deployments/{deployed}")
    client.repo("GET", f"/deployments/{deployed}/statuses")
    client.repo("GET", "/deployments")


def _accounts(forge, client: Client, hook) -> None:
    client.ask("GET", "/user")
    client.ask("GET", "/users/ana")
    client.ask("GET", "/rate_limit")
    client.repo("GET", "")
    client.repo("GET", "/collaborators/ana/permission")
    client.repo("GET", "/branches/main")
    client.repo("GET", "/commits/fix")
    client.repo("GET", "/commits/fix/pulls")
    app = client.as_(jwt(forge.app_id, forge._world.at().timestamp()))
    app.ask("GET", "/app")
    app.repo("GET", "/installation")
    app.ask("POST", f"/app/installations/{forge.installation_id}/access_tokens")
    hook.flush()
    url = f"/hooks/{hook.id}/deliveries"
    number = client.repo("GET", url).body[0]["id"]
    client.repo("GET", f"{url}/{number}")
    client.repo("POST", f"{url}/{number}/attempts")


def jwt(
    issuer: object, now: float, *, algorithm: str = "RS256", life_s: int = 300, signature: str = "eA"
) -> str:
    parts = (
        {"alg": algorithm, "typ": "JWT"},
        {"iss": issuer, "iat": int(now) - 10, "exp": int(now) + life_s},
    )
    packed = [base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in parts]
    return ".".join((*packed, signature))
