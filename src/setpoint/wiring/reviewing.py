"""Which reviewers may block: what is kept of evals, and what it says of a reviewer."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import partial

from pydantic import ValidationError

from setpoint.agents.registry import BUILT_IN
from setpoint.agents.selection import Agents
from setpoint.errors import RecordedDataError
from setpoint.history.reviewer_evals import EvalRecord, ReplayedReview, TreeKey, eval_records, why_advice
from setpoint.history.reviewer_truth import ReviewedTree, reviewed_trees
from setpoint.model.ids import TraceId
from setpoint.model.verdict import ReviewerVersion
from setpoint.pipelines.prompt_templates import template_version
from setpoint.ports import Reviewing
from setpoint.settings import Settings
from setpoint.system.files.locks import locked_file
from setpoint.wiring.agents import prompt_folder
from setpoint.wiring.project import Project

_KEPT = "reviewer-evals.jsonl"


def reviewing_of(project: Project, settings: Settings, agents: Agents) -> Reviewing:
    """Return what a run needs to know of its reviewers."""
    return Reviewing(
        prompt_version=partial(template_version, overrides=prompt_folder(project.root)),
        model=agents.model,
        why_advice=partial(_why_advice, project, settings),
    )


def keep_replay(project: Project, replay: ReplayedReview) -> None:
    """Record an answer of a replayed reviewer, durably."""
    with locked_file(project.state / f"{_KEPT}.lock"), (project.state / _KEPT).open("ab") as file:
        file.write(replay.model_dump_json().encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def kept_replays(project: Project) -> tuple[ReplayedReview, ...]:
    """Return all recorded answers of replayed reviewers; a line that a crash cut off is left out."""
    try:
        lines = (project.state / _KEPT).read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    found = (_read(line) for line in lines)
    return tuple(each for each in found if each is not None)


def evals_of(project: Project) -> tuple[EvalRecord, ...]:
    """Return how replayed reviewers did, by what is known of the trees now; the newest first."""
    replays = kept_replays(project)
    return eval_records(replays, trees_of(project, {each.trace_id for each in replays}))


def trees_of(project: Project, traces: Iterable[TraceId]) -> Mapping[TreeKey, ReviewedTree]:
    """Return what is known of the reviewed trees of runs; a run that cannot be read says nothing."""
    found: dict[TreeKey, ReviewedTree] = {}
    for trace in traces:
        try:
            trees = reviewed_trees(project.log.replay(trace))
        except RecordedDataError:
            continue
        found |= {TreeKey(each.trace_id, each.iteration, each.kind): each for each in trees}
    return found


def _read(line: bytes) -> ReplayedReview | None:
    try:
        return ReplayedReview.model_validate_json(line)
    except ValidationError:
        return None


def _why_advice(project: Project, settings: Settings, kind: str, made_by: ReviewerVersion) -> str:
    terms = settings.reviewers
    if not terms.block_only_after_eval or not made_by.agent or made_by.agent in BUILT_IN:
        return ""
    records = evals_of(project)
    record = next((each for each in records if (each.kind, each.made_by) == (kind, made_by)), None)
    return why_advice(terms, f"{kind}:{made_by.agent}", record)
