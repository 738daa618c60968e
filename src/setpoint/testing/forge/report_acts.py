"""What machines report about commits: check runs, statuses, SARIF, deployments. Acts send webhooks."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import zlib
from collections.abc import Mapping
from uuid import uuid4

from setpoint.testing.forge.events import emit
from setpoint.testing.forge.payloads import checks as shown
from setpoint.testing.forge.records import (
    CheckRun,
    CommitStatus,
    Deployment,
    DeploymentStatus,
    Json,
    SarifUpload,
)
from setpoint.testing.forge.refusal import Refused, invalid
from setpoint.testing.forge.world import World

MOST_ANNOTATIONS = 50
"""Annotations that GitHub takes in one request."""
STATES = ("error", "failure", "pending", "success")
DEPLOYMENT_STATES = ("error", "failure", "inactive", "in_progress", "queued", "pending", "success")
LEVELS = ("notice", "warning", "failure")
CONCLUSIONS = (
    "success",
    "failure",
    "neutral",
    "cancelled",
    "skipped",
    "timed_out",
    "action_required",
)
_NEEDED = ("path", "start_line", "end_line", "annotation_level", "message")


def known(world: World, sha: str, resource: str) -> str:
    """Return the commit that a name leads to; raises the 422 of GitHub for one that is not there."""
    found = world.bare.tip(sha)
    if found is None:
        raise invalid(resource, "sha", message=f"No commit found for SHA: {sha}")
    return found


def report(world: World, body: Json, by: str, run: CheckRun | None = None) -> CheckRun:
    """Make a check run, or change one; raises the 422 of GitHub for what it does not take."""
    annotations = _checked(body)
    kept = {name: each for name, each in body.items() if name != "output"}
    if body.get("output"):
        kept["output"] = {name: each for name, each in body["output"].items() if name != "annotations"}
    if kept.get("conclusion"):
        kept["status"] = "completed"
    if run is None:
        known(world, str(kept["head_sha"]), "CheckRun")
        run = CheckRun(id=world.next_id(), app=world.app_slug, body={}, started=world.at())
        world.next_id()  # the number after it is that of its suite
        world.checks.append(run)
    created = not run.body
    run.body |= kept
    run.annotations += annotations
    ended = run.body.get("status") == "completed" and run.completed is None
    if ended:
        run.completed = world.at()
    if created or ended:
        action = "created" if created else "completed"
        emit(world, f"check_run.{action}", by, {"check_run": shown.sent_check_run(world, run)})
    return run


def _checked(body: Json) -> list[Json]:
    if body.get("conclusion") not in (None, *CONCLUSIONS):
        raise invalid("CheckRun", "conclusion")
    if body.get("status") == "completed" and not body.get("conclusion"):
        raise invalid("CheckRun", "conclusion", "missing_field")
    output = body.get("output") or {}
    if output and ("summary" not in output or ("title" not in output and "name" in body)):
        raise Refused(422, 'Invalid request.\n\n"title", "summary" weren\'t supplied.')
    annotations: list[Json] = output.get("annotations") or []
    if len(annotations) > MOST_ANNOTATIONS:
        told = f"No more than {MOST_ANNOTATIONS} items are allowed; {len(annotations)} were supplied."
        raise Refused(422, f"Invalid request.\n\n{told}")
    for each in annotations:
        if any(name not in each for name in _NEEDED) or each["annotation_level"] not in LEVELS:
            raise Refused(422, "Invalid request.\n\nInvalid annotation.")
    return annotations


def state(world: World, sha: str, body: Mapping[str, str | None], by: str) -> CommitStatus:
    """Report a commit status; raises the 422 of GitHub for an unknown state or commit."""
    if body.get("state") not in STATES:
        raise invalid("Status", "state")
    made = CommitStatus(
        id=world.next_id(),
        sha=known(world, sha, "Status"),
        state=str(body["state"]),
        context=body.get("context") or "default",
        description=body.get("description"),
        target_url=body.get("target_url"),
        author=world.account(by).login,
        at=world.at(),
    )
    world.statuses.append(made)
    if world.hooks:
        emit(world, "status", by, shown.sent_status(world, made))
    return made


def upload(world: World, commit: str, ref: str, packed: str) -> SarifUpload:
    """Take a SARIF document, gzip and Base64; raises the 400 of GitHub for what is none."""
    try:
        document = json.loads(gzip.decompress(base64.b64decode(packed, validate=True)))
    except (binascii.Error, OSError, EOFError, zlib.error, ValueError):
        raise Refused(
            400, "Invalid SARIF. The sarif property must be gzip and Base64 encoded JSON."
        ) from None
    if not isinstance(document, dict) or not isinstance(document.get("runs"), list):
        raise Refused(400, "Invalid SARIF. Missing 'runs' property in analysis.")
    made = SarifUpload(id=str(uuid4()), commit=known(world, commit, "Sarif"), ref=ref, document=document)
    world.sarifs.append(made)
    return made


def deploy(world: World, ref: str, environment: str, description: str, by: str) -> Deployment:
    """Make a deployment of a branch or a commit."""
    made = Deployment(
        id=world.next_id(),
        sha=known(world, ref, "Deployment"),
        ref=ref,
        environment=environment,
        description=description,
        author=world.account(by).login,
        at=world.at(),
    )
    world.deployments.append(made)
    if world.hooks:
        content = {"deployment": shown.deployment(world, made), "workflow": None, "workflow_run": None}
        emit(world, "deployment.created", by, content)
    return made


def deployed(world: World, made: Deployment, body: Mapping[str, str], by: str) -> DeploymentStatus:
    """Report how a deployment ended; raises the 422 of GitHub for an unknown state."""
    if body.get("state") not in DEPLOYMENT_STATES:
        raise invalid("DeploymentStatus", "state")
    reached = DeploymentStatus(
        id=world.next_id(),
        state=body["state"],
        description=body.get("description", ""),
        log_url=body.get("log_url", ""),
        author=world.account(by).login,
        at=world.at(),
    )
    made.statuses.append(reached)
    if world.hooks:
        content = {
            "deployment_status": shown.deployment_status(world, made, reached),
            "deployment": shown.deployment(world, made),
        }
        emit(world, "deployment_status.created", by, content)
    return reached
