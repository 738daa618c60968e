"""What git shows of delivered branches: merged as they are, changed first, or taken back."""

from __future__ import annotations

import asyncio
import logging
import re
from datetime import UTC, datetime, timedelta

from setpoint.domain.ids import Commit, TraceId
from setpoint.domain.memory_events import DeliveryFate, DeliveryJudged
from setpoint.domain.run import Ending
from setpoint.errors import RecordedDataError
from setpoint.events.queries import RunState, RunSummary, runs
from setpoint.processes.git import ask, commit_of
from setpoint.wiring.people.feedback import Decided, record
from setpoint.wiring.project import Project

_LOG = logging.getLogger(__name__)
LOOKED_BACK_DAYS = 60
MOST_RUNS = 20
"""Newest delivered runs that are looked at."""
_HISTORY = ("log", "--format=%H%x00%P%x00%B%x01", "--max-count=2000")
_RUN = re.compile(r"^Setpoint-Run: (run-\w+)$", re.MULTILINE)
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{40})")
MOST_DIFF = 4000


def observe_deliveries(project: Project) -> tuple[Decided, ...]:
    """Look at what became of delivered work, and record what is new; each fate of a run once."""
    since = datetime.now(UTC) - timedelta(days=LOOKED_BACK_DAYS)
    delivered = [
        run
        for run in runs(project.store, lambda _: None, limit=200)
        if run.state is RunState.FINISHED
        and run.branch
        and run.ending in (Ending.VERIFIED, Ending.ACCEPTED)
        and run.root == str(project.root)
        and run.started_at > since
    ][:MOST_RUNS]
    return asyncio.run(_observed(project, delivered)) if delivered else ()


def notice_deliveries(project: Project) -> tuple[Decided, ...]:
    """Look at what became of delivered work, on the way to something else that goes on in any case."""
    try:
        return observe_deliveries(project)
    except RecordedDataError as error:  # an older run's record is damaged; `feedback list` says so
        _LOG.warning("what became of delivered work was not looked at: %s", error)
        return ()


async def _observed(project: Project, delivered: list[RunSummary]) -> tuple[Decided, ...]:
    answer = await ask(project.root, *_HISTORY, "HEAD")
    if not answer.ok:
        return ()
    merged: dict[str, Commit] = {}
    reverted: dict[str, Commit] = {}
    for entry in answer.stdout.decode("utf-8", "replace").split("\x01"):
        commit, _, rest = entry.strip().partition("\x00")
        _, _, message = rest.partition("\x00")
        for run in _RUN.findall(message):
            merged.setdefault(run, Commit(commit))
        for gone in _REVERTS.findall(message):
            reverted.setdefault(gone, Commit(commit))
    found: list[Decided] = []
    for run in delivered:
        work = merged.get(run.trace_id)
        if work is None:
            continue
        found += await _judged(project, run, work, reverted.get(work))
    return tuple(found)


async def _judged(project: Project, run: RunSummary, work: Commit, undone: Commit | None) -> list[Decided]:
    known = {event.key for event in project.log.replay(run.trace_id)}
    bodies: list[DeliveryJudged] = []
    tip = await commit_of(project.root, f"refs/heads/{run.branch}")
    edited = await _edits(project, work, tip)
    if edited is not None:
        bodies.append(edited.model_copy(update={"branch": run.branch}))
    else:
        bodies.append(DeliveryJudged(branch=run.branch, fate=DeliveryFate.MERGED, commit=work))
    if undone is not None:
        bodies.append(DeliveryJudged(branch=run.branch, fate=DeliveryFate.REVERTED, commit=undone))
    return [
        record(project, TraceId(run.trace_id), key, body)
        for body in bodies
        if (key := f"feedback:delivery:{body.fate}") not in known
    ]


async def _edits(project: Project, work: Commit, tip: Commit | None) -> DeliveryJudged | None:
    """Give what people changed on the branch behind the work and then merged; none where they did not."""
    if tip is None or tip == work:
        return None
    for commit, onto in ((work, tip), (tip, "HEAD")):
        if not (await ask(project.root, "merge-base", "--is-ancestor", commit, onto)).ok:
            return None
    names = await ask(project.root, "diff", "--name-only", work, tip)
    diff = await ask(project.root, "diff", work, tip)
    files = tuple(names.text.splitlines())
    if not files:
        return None
    text = diff.stdout.decode("utf-8", "replace")[:MOST_DIFF]
    return DeliveryJudged(branch="", fate=DeliveryFate.EDITED, commit=tip, files=files, diff=text)
