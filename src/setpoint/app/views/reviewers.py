"""How often the reviewers of a project were right."""

from __future__ import annotations

from setpoint.history.reviewer_records import ReviewerRecord as ReviewerRecord  # noqa: PLC0414 - the answer
from setpoint.history.reviewer_records import reviewer_records
from setpoint.wiring.project import Project, run_list


def records_of(project: Project, most: int) -> tuple[ReviewerRecord, ...]:
    """Return what became of the findings of each reviewer in the newest runs, at most so many."""
    return reviewer_records(project.log.replay(run.trace_id) for run in run_list(project, most))
