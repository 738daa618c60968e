"""Events of a fake forge: what each change sends to the webhooks."""

from __future__ import annotations

from setpoint.testing.forge.naming import node
from setpoint.testing.forge.payloads.issues import issue
from setpoint.testing.forge.payloads.people import user
from setpoint.testing.forge.payloads.pulls import full, short
from setpoint.testing.forge.payloads.repository import pushed_repository, repository
from setpoint.testing.forge.records import Issue, Json
from setpoint.testing.forge.webhooks import Hook
from setpoint.testing.forge.world import World


def emit(world: World, name: str, by: str, content: Json, *, only: Hook | None = None) -> None:
    """Send an event, `EVENT` or `EVENT.ACTION`, to all webhooks or `only` one; `content` comes first."""
    if not world.hooks:
        return
    event, _, action = name.partition(".")
    body: Json = {"action": action} if action else {}
    if "issue" in content:
        content["issue"].setdefault("draft", False)
    shown = pushed_repository(world) if event == "push" else repository(world)
    body |= content | {"repository": shown, "sender": user(world, by)}
    if event != "ping":
        number = world.installation_id
        body["installation"] = {"id": number, "node_id": node("IntegrationInstallation", number)}
    for hook in [only] if only else world.hooks:
        hook.accept(event, body)


def about_issue(world: World, record: Issue, action: str, by: str, more: Json | None = None) -> None:
    """Send an event of an issue, or of a pull request where the record is one."""
    if not world.hooks:
        return
    if record.pull is None:
        emit(world, f"issues.{action}", by, {"issue": issue(world, record), **(more or {})})
        return
    content = {"number": record.number, "pull_request": full(world, record), **(more or {})}
    emit(world, f"pull_request.{action}", by, content)


def about_review(world: World, record: Issue, name: str, by: str, more: Json) -> None:
    """Send an event of a review, of a comment on a line or of a thread."""
    if world.hooks:
        emit(world, name, by, {**more, "pull_request": short(world, record)})
