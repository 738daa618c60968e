"""Check runs, commit statuses and deployments, as GitHub shows them."""

from __future__ import annotations

from setpoint.testing.forge.naming import node, stamp
from setpoint.testing.forge.payloads.people import app, user
from setpoint.testing.forge.payloads.repository import commit
from setpoint.testing.forge.records import CheckRun, CommitStatus, Deployment, DeploymentStatus, Json
from setpoint.testing.forge.world import World


def check_run(world: World, run: CheckRun) -> Json:
    """Return a check run."""
    url = f"{world.api_repo}/check-runs/{run.id}"
    page = f"{world.page}/runs/{run.id}"
    output: Json = run.body.get("output") or {}
    return {
        "id": run.id,
        "name": run.body["name"],
        "node_id": node("CheckRun", run.id),
        "head_sha": run.body["head_sha"],
        "external_id": run.body.get("external_id", ""),
        "url": url,
        "html_url": page,
        "details_url": run.body.get("details_url", page),
        "status": run.body.get("status", "queued"),
        "conclusion": run.body.get("conclusion"),
        "started_at": stamp(run.started),
        "completed_at": stamp(run.completed),
        "output": {
            **{name: output.get(name) for name in ("title", "summary", "text")},
            "annotations_count": len(run.annotations),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": run.id + 1},
        "app": app(world),
        "pull_requests": _pulls_at(world, run.body["head_sha"]),
    }


def sent_check_run(world: World, run: CheckRun) -> Json:
    """Return a check run as its webhook event does: with its whole suite."""
    body = check_run(world, run)
    sha, number = body["head_sha"], run.id + 1
    branches = [name for name, tip in world.bare.branches().items() if tip == sha]
    body["check_suite"] = {
        "id": number,
        "node_id": node("CheckSuite", number),
        "head_branch": branches[0] if branches else None,
        "head_sha": sha,
        "status": "completed" if run.completed else "in_progress",
        "conclusion": body["conclusion"],
        "url": f"{world.api_repo}/check-suites/{number}",
        "before": None,
        "after": sha,
        "pull_requests": body["pull_requests"],
        "app": body["app"],
        "created_at": body["started_at"],
        "updated_at": body["completed_at"] or body["started_at"],
    }
    return body


def annotation(world: World, run: CheckRun, given: Json) -> Json:
    """Return an annotation of a check run."""
    optional = ("start_column", "end_column", "title", "raw_details")
    return {
        **{name: given.get(name) for name in optional},
        **{name: given[name] for name in ("path", "start_line", "end_line", "annotation_level", "message")},
        "blob_href": f"{world.api_repo}/git/blobs/{run.body['head_sha']}",
    }


def status(world: World, made: CommitStatus) -> Json:
    """Return a commit status."""
    return {
        "url": f"{world.api_repo}/statuses/{made.sha}",
        "avatar_url": user(world, made.author)["avatar_url"],
        "id": made.id,
        "node_id": node("StatusContext", made.id),
        "state": made.state,
        "description": made.description,
        "target_url": made.target_url,
        "context": made.context,
        "created_at": stamp(made.at),
        "updated_at": stamp(made.at),
        "creator": user(world, made.author),
    }


def sent_status(world: World, made: CommitStatus) -> Json:
    """Return what the webhook event of a commit status says before repository and sender."""
    body = status(world, made)
    shown = commit(world, world.bare.facts(made.sha))
    shown["commit"]["verification"].pop("verified_at")
    tips = world.bare.branches().items()
    branches = [
        {"name": name, "commit": {"sha": tip, "url": f"{world.api_repo}/commits/{tip}"}, "protected": False}
        for name, tip in tips
        if tip == made.sha
    ]
    kept = ("id", "avatar_url", "target_url", "context", "description", "state", "created_at", "updated_at")
    return {
        "sha": made.sha,
        "name": world.full_name,
        **{name: body[name] for name in kept},
        "commit": shown,
        "branches": branches,
    }


def deployment(world: World, made: Deployment) -> Json:
    """Return a deployment."""
    url = f"{world.api_repo}/deployments/{made.id}"
    return {
        "url": url,
        "id": made.id,
        "node_id": node("Deployment", made.id),
        "task": "deploy",
        "original_environment": made.environment,
        "environment": made.environment,
        "description": made.description,
        "created_at": stamp(made.at),
        "updated_at": stamp(made.statuses[-1].at if made.statuses else made.at),
        "statuses_url": f"{url}/statuses",
        "repository_url": world.api_repo,
        "creator": user(world, made.author),
        "sha": made.sha,
        "ref": made.ref,
        "payload": {},
        "transient_environment": False,
        "production_environment": made.environment == "production",
        "performed_via_github_app": None,
    }


def deployment_status(world: World, made: Deployment, state: DeploymentStatus) -> Json:
    """Return one state of a deployment."""
    url = f"{world.api_repo}/deployments/{made.id}"
    return {
        "url": f"{url}/statuses/{state.id}",
        "id": state.id,
        "node_id": node("DeploymentStatus", state.id),
        "state": state.state,
        "creator": user(world, state.author),
        "description": state.description,
        "environment": made.environment,
        "target_url": state.log_url,
        "created_at": stamp(state.at),
        "updated_at": stamp(state.at),
        "deployment_url": url,
        "repository_url": world.api_repo,
        "environment_url": "",
        **({"log_url": state.log_url} if state.log_url else {}),
        "performed_via_github_app": None,
    }


def _pulls_at(world: World, sha: str) -> list[Json]:
    found = []
    short = {"id": 1, "url": world.api_repo, "name": world.repo}
    for record in world.pulls():
        pull = record.merging
        if pull.head_sha == sha and record.state == "open":
            ends = {"head": (pull.head, pull.head_sha), "base": (pull.base, pull.base_sha)}
            found.append(
                {
                    "url": f"{world.api_repo}/pulls/{record.number}",
                    "id": record.id,
                    "number": record.number,
                    **{end: {"ref": ref, "sha": at, "repo": short} for end, (ref, at) in ends.items()},
                }
            )
    return found
