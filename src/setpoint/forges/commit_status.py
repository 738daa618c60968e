"""Summaries as commit statuses, which GitHub and Forgejo take in the same form."""

from __future__ import annotations

from setpoint.model.forge import CheckConclusion, CheckSummary

COMMIT_STATUS = "commit status"
LONGEST = 140
"""Characters of a description that GitHub takes."""
STATES = {
    CheckConclusion.SUCCESS: "success",
    CheckConclusion.NEUTRAL: "pending",  # a status knows no neutral, and unproven work is no success
    CheckConclusion.FAILURE: "failure",
}


def status_of(summary: CheckSummary) -> dict[str, str]:
    """Return the body of the request for a commit status."""
    told = summary.title if len(summary.title) <= LONGEST else f"{summary.title[: LONGEST - 3]}..."
    link = {"target_url": summary.url} if summary.url else {}
    return {"state": STATES[summary.conclusion], "context": summary.name, "description": told, **link}
