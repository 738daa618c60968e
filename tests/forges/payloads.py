"""One message of GitHub of each kind that gives news; only the keys that are read."""

AT, LATER = "2026-01-02T03:04:05Z", "2026-01-02T03:05:00Z"
SHA, OTHER = "a" * 40, "b" * 40
REPOSITORY = {"full_name": "octo/shop"}
WES, EVE = {"login": "wes"}, {"login": "eve"}


def message(action, **more):
    return {"action": action, "repository": REPOSITORY, "sender": WES, **more}


def issue(**more):
    facts = {"number": 7, "title": "Fix add", "body": "It subtracts.", "user": EVE, "state": "open"}
    return {**facts, "html_url": "https://github.com/octo/shop/issues/7", "updated_at": AT, **more}


def pull(**more):
    head = {"ref": "setpoint/fix", "sha": SHA, "repo": REPOSITORY}
    target = {"ref": "main", "sha": OTHER, "repo": REPOSITORY}
    return {
        "number": 8,
        "state": "open",
        "draft": False,
        "merged": False,
        "head": head,
        "base": target,
        **more,
    }


def comment(**more):
    return {"id": 31, "body": "Why?", "user": EVE, "created_at": AT, "updated_at": AT, **more}


def line(**more):
    place = {"path": "calc.py", "line": 3, "original_line": 2, "commit_id": OTHER, "original_commit_id": SHA}
    return {**comment(id=32, updated_at=LATER), **place, **more}


def review(**more):
    return {
        "id": 41,
        "body": "No",
        "user": WES,
        "state": "approved",
        "submitted_at": AT,
        "commit_id": SHA,
        **more,
    }


def deployment(**more):
    return {"id": 51, "sha": SHA, "environment": "production", "created_at": AT, "updated_at": AT, **more}


MERGED = pull(state="closed", merged=True, merge_commit_sha=OTHER, merged_by=WES)
SUCCESS = {"state": "success", "created_at": LATER}
PULL = {"pull_request": {"number": 8}}
NEWS = {
    "labelled": ("issues", message("labeled", issue=issue(), label={"name": "setpoint"})),
    "comment": ("issue_comment", message("created", issue={"number": 7}, comment=comment())),
    "line": ("pull_request_review_comment", message("created", comment=line(in_reply_to_id=30), **PULL)),
    "review": ("pull_request_review", message("submitted", review=review(), **PULL)),
    "dismissed": ("pull_request_review", message("dismissed", review=review(state="dismissed"), **PULL)),
    "thread": ("pull_request_review_thread", message("resolved", thread={"comments": [{"id": 32}]}, **PULL)),
    "closed": ("pull_request", message("closed", pull_request=pull(state="closed"))),
    "merged": (
        "pull_request",
        message(
            "closed", pull_request=pull(state="closed", merged=True, merge_commit_sha=OTHER, merged_by=WES)
        ),
    ),
    "synchronize": ("pull_request", message("synchronize", pull_request=pull())),
    "deployed": (
        "deployment_status",
        message(
            "created", deployment=deployment(), deployment_status={"state": "success", "created_at": LATER}
        ),
    ),
}
"""Event and payload, by what it tells."""
KEYS = {
    "labelled": "labelled:7:setpoint:1767323045",
    "comment": "comment:issue-31",
    "line": "comment:line-32",
    "review": "review:41:approved",
    "dismissed": "review:41:dismissed",
    "thread": "thread:line-32",
    "closed": f"pull:8:closed:{SHA}",
    "merged": f"pull:8:merged:{SHA}",
    "synchronize": f"pull:8:open:{SHA}",
    "deployed": "deployed:51",
}
SILENT = {
    "an edited comment": ("issue_comment", message("edited", issue={"number": 7}, comment=comment())),
    "a deleted comment": ("issue_comment", message("deleted", issue={"number": 7}, comment=comment())),
    "an edited comment on a line": ("pull_request_review_comment", message("edited", comment=line(), **PULL)),
    "an edited review": ("pull_request_review", message("edited", review=review(), **PULL)),
    "a thread opened again": (
        "pull_request_review_thread",
        message("unresolved", thread={"comments": [{"id": 32}]}, **PULL),
    ),
    "an issue that was opened": ("issues", message("opened", issue=issue())),
    "a label taken off": ("issues", message("unlabeled", issue=issue(), label={"name": "setpoint"})),
    "a label on a closed issue": (
        "issues",
        message("labeled", issue=issue(state="closed"), label={"name": "setpoint"}),
    ),
    "a label on a pull request": (
        "issues",
        message("labeled", issue=issue(pull_request={"url": "x"}), label={"name": "setpoint"}),
    ),
    "a pull request that was opened": ("pull_request", message("opened", pull_request=pull())),
    "a deployment that failed": (
        "deployment_status",
        message("created", deployment=deployment(), deployment_status={"state": "failure", "created_at": AT}),
    ),
    "an event of tomorrow": ("quantum_merge", message("created", quantum={})),
    "a ping": ("ping", {"zen": "Keep it logically awesome.", "hook_id": 1}),
}
"""Event and payload of messages without news."""
