"""Show the report of one job in the pull request, by a job that runs nothing of the change.

What the first job left is data of whoever wrote the change. Which pull request it belongs to is asked of the
forge, by the commit and the branch that the forge itself names in the event.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from setpoint.app.ci.github_event import payload_of
from setpoint.app.ci.job_files import REPORT
from setpoint.app.ci.markdown import markdown
from setpoint.errors import UsageError, WorkspaceError
from setpoint.model.ci_report import CiReport, CiState, Sha
from setpoint.system.git.git import head
from setpoint.wiring.workflow_forge import WorkflowForge, workflow_forge

MARK = "setpoint-check"
MOST_BYTES = 4_000_000
"""A report within its limits is shorter."""
_EVENTS = ("workflow_run", "pull_request")


class Commented(NamedTuple):
    """What became of a report."""

    url: str = ""
    """Address of the comment; empty where there is none."""
    reason: str = ""
    """Why there is none."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Owner(_Part):
    login: str = Field(min_length=1)


class _Repository(_Part):
    full_name: str = Field(min_length=1)
    owner: _Owner


class _Run(_Part):
    event: str
    head_branch: str = Field(min_length=1)
    head_sha: Sha
    head_repository: _Repository


class _RunEvent(_Part):
    workflow_run: _Run


class _Side(_Part):
    sha: Sha


class _Pull(_Part):
    number: int = Field(ge=1)
    head: _Side


class _PullEvent(_Part):
    pull_request: _Pull


def comment_report(folder: Path, variables: Mapping[str, str], here: Path) -> Commented:
    """Write or update the comment of the pull request that the event is about.

    `folder` holds the data file. Raises `UsageError` for an event without a pull request, for a file that is
    not a report of its head commit, and where that commit is checked out beside the token.
    """
    name = variables.get("GITHUB_EVENT_NAME", "")
    if name not in _EVENTS:
        raise UsageError(
            f"a comment is not written for the event '{name[:100]}'",
            hint="use `on: workflow_run` (docs/how-to/github-action.md)",
        )
    try:
        return asyncio.run(_commented(name, folder, variables, here))
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the whole file"
        raise UsageError(f"not the payload of an event '{name}': {place}: {first['msg'].lower()}") from None


async def _commented(name: str, folder: Path, variables: Mapping[str, str], here: Path) -> Commented:
    raw, run, number = payload_of(variables), None, None
    if name == "pull_request":
        pull = _PullEvent.model_validate_json(raw).pull_request
        sha, number = pull.head.sha, pull.number
    else:
        run = _RunEvent.model_validate_json(raw).workflow_run
        sha = run.head_sha
        if not run.event.startswith("pull_request"):
            return Commented(reason=f"the checked event was {run.event[:100]}")
    await _refuse_checkout(here, sha)
    report = read_report(folder / REPORT)
    if report.head != sha:
        raise UsageError(f"{folder / REPORT}: a report of {report.head}, and the event is about {sha}")
    if report.state is CiState.SKIPPED:
        return Commented(reason=report.reason)
    forge = workflow_forge(variables)
    if run is not None:
        number = await _number(forge, run)
    if number is None:
        return Commented(reason=f"no open pull request has the head {sha}")
    return Commented(url=await forge.comment(number, markdown(report), MARK))


async def _number(forge: WorkflowForge, run: _Run) -> int | None:
    """Ask for the open pull request whose head is what the workflow checked; none if it has moved."""
    found = await forge.open_pulls(run.head_repository.owner.login, run.head_branch)
    own = [
        each.number
        for each in found
        if each.head.sha == run.head_sha
        and each.head.repo is not None
        and each.head.repo.full_name == run.head_repository.full_name
    ]
    return max(own, default=None)


async def _refuse_checkout(here: Path, sha: str) -> None:
    try:
        now = await head(here)
    except WorkspaceError:  # nothing is checked out, as it should be
        return
    if now == sha:
        raise UsageError(
            f"{here}: the head of the change is checked out in a job that holds a token which writes",
            hint="remove actions/checkout from this job (docs/how-to/github-action.md)",
        )


def read_report(file: Path) -> CiReport:
    """Read a data file as untrusted text; raises `UsageError` where it is not one within its limits."""
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(opened, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise UsageError(f"{file}: not a plain file")
            raw = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"{file}: {error.strerror}", hint="download the artifact of the job that checked"
        ) from None
    if len(raw) > MOST_BYTES:
        raise UsageError(f"{file}: larger than {MOST_BYTES} bytes")
    try:
        return CiReport.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))[:100] or "the whole file"
        raise UsageError(f"{file}: not a report of Setpoint: {place}: {first['msg'][:200].lower()}") from None
