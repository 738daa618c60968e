"""What git shows of delivered branches: merged as they are, changed first, or taken back."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from setpoint.app.people.feedback import DecisionOutcome, record
from setpoint.errors import RecordedDataError
from setpoint.history.queries import RunState, RunSummary, runs
from setpoint.model.ending import is_usable
from setpoint.model.events.people import DeliveryFate, DeliveryJudged
from setpoint.model.ids import Commit, TraceId
from setpoint.people.policy.delivery_fate import HISTORY, Past, read
from setpoint.system.git.git import ask, commit_of
from setpoint.wiring.project import Project

_LOG = logging.getLogger(__name__)
LOOKED_BACK_DAYS = 60
MOST_RUNS = 20
"""Newest delivered runs that are looked at."""
MOST_DIFF = 4000


def observe_deliveries(project: Project, tip: str = "HEAD") -> tuple[DecisionOutcome, ...]:
    """Look at what became of delivered work on the branch that ends at `tip`, and record what is new.

    Each fate of a run is recorded once.
    """
    since = datetime.now(UTC) - timedelta(days=LOOKED_BACK_DAYS)
    delivered = [
        run
        for run in runs(project.store, lambda _: None, limit=200)
        if run.state is RunState.FINISHED
        and run.branch
        and is_usable(run.ending, run.branch)
        and run.root == str(project.root)
        and run.started_at > since
    ][:MOST_RUNS]
    return asyncio.run(_observed(project, delivered, tip)) if delivered else ()


def notice_deliveries(project: Project) -> tuple[DecisionOutcome, ...]:
    """Record what became of delivered work; log errors instead of raising them."""
    try:
        return observe_deliveries(project)
    except RecordedDataError as error:  # an older run's record is damaged; `feedback list` says so
        _LOG.warning("what became of delivered work was not looked at: %s", error)
        return ()


async def edits_between(project: Project, before: Commit, after: Commit) -> DeliveryJudged | None:
    """Return what people committed behind delivered work; none where that changes nothing."""
    listed = await ask(
        project.root, "rev-list", "--reverse", "--no-merges", "--max-count=100", f"{before}..{after}"
    )
    return await _edits(project, tuple(Commit(line) for line in listed.text.split())) if listed.ok else None


async def _observed(project: Project, delivered: list[RunSummary], tip: str) -> tuple[DecisionOutcome, ...]:
    answer = await ask(project.root, "log", HISTORY, "--max-count=2000", tip)
    if not answer.ok:
        return ()
    past = read(answer.stdout.decode("utf-8", "replace"))
    found: list[DecisionOutcome] = []
    for run in delivered:
        works = past.work_of(run.trace_id)
        if works:
            found += await _judged(project, run, past, works)
    return tuple(found)


async def _judged(
    project: Project, run: RunSummary, past: Past, works: tuple[Commit, ...]
) -> list[DecisionOutcome]:
    known = {event.key for event in project.log.replay(run.trace_id)}
    bodies: list[DeliveryJudged] = []
    tip = await commit_of(project.root, f"refs/heads/{run.branch}")
    edited = await _edits(project, past.changed(works[0], tip))
    if edited is not None:
        bodies.append(edited.model_copy(update={"branch": run.branch}))
    else:
        bodies.append(DeliveryJudged(branch=run.branch, fate=DeliveryFate.MERGED, commit=works[0]))
    undone = past.taken_back(works)
    if undone is not None:
        bodies.append(DeliveryJudged(branch=run.branch, fate=DeliveryFate.REVERTED, commit=undone))
    return [
        record(project, TraceId(run.trace_id), key, body)
        for body in bodies
        if (key := f"feedback:delivery:{body.fate}") not in known
    ]


async def _edits(project: Project, commits: tuple[Commit, ...]) -> DeliveryJudged | None:
    """Return what commits changed, each against its parent; none where that is nothing."""
    files: dict[str, None] = {}
    text = ""
    for commit in commits:
        names = await ask(project.root, "diff", "--name-only", "-z", f"{commit}^", commit)
        files |= dict.fromkeys(name for name in names.stdout.decode("utf-8", "replace").split("\0") if name)
        if len(text) < MOST_DIFF:
            diff = await ask(project.root, "diff", f"{commit}^", commit)
            text += diff.stdout.decode("utf-8", "replace")
    if not files:
        return None
    return DeliveryJudged(
        branch="", fate=DeliveryFate.EDITED, commit=commits[-1], files=tuple(files), diff=text[:MOST_DIFF]
    )
