"""Read the event for which GitHub starts a job."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from setpoint.app.ci.change import ZEROS, Change, Skipped
from setpoint.errors import UsageError
from setpoint.model.ci_report import MOST_NAME, Sha

VARIABLES = (
    "GITHUB_EVENT_NAME",
    "GITHUB_EVENT_PATH",
    "GITHUB_REPOSITORY",
    "GITHUB_REF",
    "GITHUB_SHA",
    "GITHUB_OUTPUT",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_TOKEN",
    "GITHUB_SERVER_URL",
    "GITHUB_API_URL",
    "GITHUB_WORKSPACE",
    "RUNNER_TEMP",
)
"""Variables of GitHub's runner that Setpoint reads."""
RELEASE_LABEL = "setpoint: tests may change"
MOST_BYTES = 32_000_000
"""GitHub sends no payload of more than 25 MB."""
_CLOSED = ("closed", "locked", "unlocked")
_OUTSIDE = "pull_request, merge_group, push or workflow_dispatch"

Read = Callable[[bytes, Mapping[str, str]], Change | Skipped]


class _Payload(BaseModel):
    """A part of a payload; GitHub adds keys whenever it likes."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Repository(_Payload):
    full_name: str = ""
    default_branch: str = ""


class _Side(_Payload):
    sha: Sha


class _Label(_Payload):
    name: str


class _PullRequest(_Payload):
    title: str
    head: _Side
    base: _Side
    labels: tuple[_Label, ...] = ()


class _PullRequestEvent(_Payload):
    action: str
    pull_request: _PullRequest
    repository: _Repository = _Repository()


class _Group(_Payload):
    head_sha: Sha
    base_sha: Sha


class _MergeGroupEvent(_Payload):
    action: str = ""
    merge_group: _Group


class _PushEvent(_Payload):
    before: Sha
    after: Sha
    deleted: bool = False
    repository: Annotated[_Repository, Field()] = _Repository()


class _Dispatched(_Payload):
    repository: _Repository = _Repository()


def read_event(variables: Mapping[str, str], release_label: str = RELEASE_LABEL) -> Change | Skipped:
    """Read what is to be checked; raises `UsageError` for a malformed payload and for an event without code.

    A pull request that is closed and a branch that is deleted are skipped.
    """
    name = _given(variables, "GITHUB_EVENT_NAME")
    if name not in _READERS:
        raise _refusal(name)
    try:
        found = _READERS[name](payload_of(variables), {**variables, "label": release_label})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole file"
        raise UsageError(
            f"{variables['GITHUB_EVENT_PATH']}: not the payload of an event '{name}': {place}: "
            f"{first['msg'].lower()}",
            hint="let GitHub write the file; GITHUB_EVENT_NAME and GITHUB_EVENT_PATH belong together",
        ) from None
    return found


def payload_of(variables: Mapping[str, str]) -> bytes:
    """Read the payload of the event."""
    path = Path(_given(variables, "GITHUB_EVENT_PATH"))
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"GITHUB_EVENT_PATH: {path}: {error.strerror}", hint="run it in a job of GitHub Actions"
        ) from None
    if len(raw) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES} bytes; no event of GitHub is so large")
    return raw


def _given(variables: Mapping[str, str], name: str) -> str:
    if not variables.get(name):
        raise UsageError(f"the variable {name} is not set", hint="run it in a job of GitHub Actions")
    return variables[name]


def _refusal(name: str) -> UsageError:
    """Say why an event is not checked."""
    if name == "pull_request_target":
        return UsageError(
            "pull_request_target is refused: its job holds the token and the secrets of the repository, "
            "and a check runs the code of the pull request",
            hint="use `on: pull_request`, and `on: workflow_run` for the comment "
            "(docs/how-to/github-action.md)",
        )
    return UsageError(
        f"the event '{name[:100]}' brings no change to check",
        hint=f"use `on:` {_OUTSIDE} (docs/how-to/github-action.md)",
    )


def _pull_request(raw: bytes, variables: Mapping[str, str]) -> Change | Skipped:
    event = _PullRequestEvent.model_validate_json(raw)
    asked, name = event.pull_request, f"pull_request {event.action[:100]}"
    if event.action in _CLOSED:
        return Skipped(name, asked.head.sha, f"the pull request was {event.action}")
    merged = variables.get("GITHUB_SHA", "")
    of_github = variables.get("GITHUB_REF", "").endswith("/merge") and merged != asked.head.sha
    return Change(
        event=name,
        head=asked.head.sha,
        accepted=(asked.head.sha, merged) if of_github else (asked.head.sha,),
        merged=merged if of_github else "",
        base=asked.base.sha,
        default_branch=event.repository.default_branch,
        title=asked.title[:MOST_NAME],
        released=any(each.name == variables["label"] for each in asked.labels),
    )


def _merge_group(raw: bytes, _: Mapping[str, str]) -> Change | Skipped:
    event = _MergeGroupEvent.model_validate_json(raw)
    group, name = event.merge_group, f"merge_group {event.action[:100]}".rstrip()
    if event.action == "destroyed":
        return Skipped(name, group.head_sha, "the merge group was destroyed")
    return Change(event=name, head=group.head_sha, accepted=(group.head_sha,), base=group.base_sha)


def _push(raw: bytes, variables: Mapping[str, str]) -> Change | Skipped:
    event = _PushEvent.model_validate_json(raw)
    if event.deleted or event.after in ZEROS:
        return Skipped("push", event.before, "the branch was deleted")
    if variables.get("GITHUB_REF", "").startswith("refs/tags/"):
        return Skipped("push", event.after, "a tag was pushed")
    return Change(
        event="push",
        head=event.after,
        accepted=(event.after, variables.get("GITHUB_SHA", event.after)),
        base="" if event.before in ZEROS else event.before,
        default_branch=event.repository.default_branch,
    )


def _dispatched(raw: bytes, variables: Mapping[str, str]) -> Change | Skipped:
    event = _Dispatched.model_validate_json(raw)
    sha = _given(variables, "GITHUB_SHA")
    return Change(
        event="workflow_dispatch",
        head=sha,
        accepted=(sha,),
        default_branch=event.repository.default_branch,
    )


_READERS: Mapping[str, Read] = {
    "pull_request": _pull_request,
    "merge_group": _merge_group,
    "push": _push,
    "workflow_dispatch": _dispatched,
}
