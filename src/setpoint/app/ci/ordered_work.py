"""Work on labelled issues in a job of GitHub Actions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from setpoint.app.forge.flow import work_with_forge
from setpoint.errors import UsageError
from setpoint.wiring.project import open_project

EVENTS = ("issues", "issue_comment", "schedule", "workflow_dispatch")
"""Events for which GitHub checks out the default branch, never the head of a pull request."""


def run_ordered(where: Path, variables: Mapping[str, str], say: Callable[[str, str], None]) -> None:
    """Turn labelled issues into pull requests, and reviews into rework, until a person is needed.

    `variables` are those of the job. Raises `UsageError` for an event that may bring untrusted
    code: the job holds a token that writes.
    """
    event = variables.get("GITHUB_EVENT_NAME", "")
    if event not in EVENTS:
        raise UsageError(
            f"'run' refuses the event '{event}', which may bring untrusted code into a job with a token",
            hint=f"start it on {', '.join(EVENTS)}",
        )
    lacking = [name for name in ("GITHUB_REPOSITORY", "GITHUB_TOKEN") if not variables.get(name)]
    if lacking:
        raise UsageError(f"the variable {lacking[0]} is not set", hint="run it in a job of GitHub Actions")
    forge = {
        "kind": "github",
        "repository": variables["GITHUB_REPOSITORY"],
        "token_variable": "GITHUB_TOKEN",
        "api_url": variables.get("GITHUB_API_URL", ""),
        "into": variables.get("GITHUB_REF_NAME", ""),
    }
    given = {name: value for name, value in forge.items() if value}
    project = open_project(where, {"forge": given})
    asyncio.run(work_with_forge(project, say, until_idle=True))
