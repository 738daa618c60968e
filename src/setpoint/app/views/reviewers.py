"""How often the reviewers of a project were right, in recorded runs and in evals."""

from __future__ import annotations

from setpoint.history.phrases import duration
from setpoint.history.reviewer_evals import EvalRecord as EvalRecord  # noqa: PLC0414 - what the faces show
from setpoint.history.reviewer_records import ReviewerRecord as ReviewerRecord  # noqa: PLC0414 - the answer
from setpoint.history.reviewer_records import reviewer_records
from setpoint.model.facts.intervals import wilson
from setpoint.wiring.project import Project, run_list

TOO_FEW = 5
"""Cases below which a share is not shown."""


def records_of(project: Project, most: int) -> tuple[ReviewerRecord, ...]:
    """Return what became of the findings of each reviewer in the newest runs, at most so many."""
    return reviewer_records(project.log.replay(run.trace_id) for run in run_list(project, most))


def share_of(part: int, count: int) -> str:
    """Say a share with its 95 % interval, or that there are too few cases for one."""
    if not count:
        return "-"
    if count < TOO_FEW:
        return f"{part} of {count}, too few"
    low, high = wilson(part / count, count)
    return f"{part / count:.0%} of {count} ({low:.0%} to {high:.0%})"


def made_by(version: str, model: str, prompt: str) -> str:
    """Name version, model and prompt of a reviewer, as far as they are known."""
    told = (("version", version), ("model", model), ("prompt", prompt))
    return ", ".join(f"{name} {value}" for name, value in told if value)


def eval_lines(record: EvalRecord) -> tuple[str, ...]:
    """Describe how a reviewer did on recorded runs."""
    made = record.made_by
    combination = made_by(made.version, made.model, made.prompt)
    blocking = (("right", record.right), ("wrong", record.wrong), ("undecided", record.undecided))
    cost = "not told" if record.cost_usd is None else f"${record.cost_usd:.2f}"
    mean = record.duration_s / record.answers if record.answers else 0.0
    return (
        f"{record.kind}:{made.agent} ({combination}): {record.answers} answers on {record.runs} runs",
        f"  agreement          {_enough(record.agreed, record.decided, record.runs)}",
        f"  blocking findings  {', '.join(f'{count} {name}' for name, count in blocking)}",
        f"  precision          {_enough(record.right, record.right + record.wrong, record.runs)}",
        f"  missed             {record.missed} of {record.faulty} wrong trees",
        f"  unreadable         {record.unreadable} answers; {record.unanswered} trees without an answer",
        f"  time               {duration(record.duration_s)}, {duration(mean)} for each",
        f"  cost               {cost}",
    )


def _enough(part: int, count: int, runs: int) -> str:
    if count < TOO_FEW:
        return f"too few runs ({runs}): {part} of {count}"
    return share_of(part, count)
