"""Measure a change as a run measures the work of an agent: the base first, then the change against it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import NamedTuple

from setpoint.app.checks.attest import forget_order
from setpoint.app.checks.quarantine import quarantine_at
from setpoint.app.ci.change import Change
from setpoint.checks.cache.eviction import trim
from setpoint.checks.measurement import CheckListener
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.errors import UsageError
from setpoint.model.changes.work_kind import kind_of_request
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.ids import Commit, StoryId, TraceId, sortable
from setpoint.model.proof import Proof
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import IntegrityMode, KnownRed, Story
from setpoint.pipelines import load_pipeline
from setpoint.ports import Measured
from setpoint.settings import SETTINGS_VERSION
from setpoint.system.git.git import commit_of
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks
from setpoint.workspace.work_copy import GitWorkspace


class ChangeMeasured(NamedTuple):
    """What was measured of a change."""

    base: Evaluation
    now: Evaluation
    proof: Proof | None
    """None where the change failed, so that nothing is left to prove."""
    restored: tuple[str, ...]
    """Files of the change that were restored to the base."""


async def measure_against_base(
    project: Project, change: Change, base: Commit, commit: Commit, told: CheckListener
) -> ChangeMeasured:
    """Measure a commit against its base; the project is opened at that base.

    Protected files are restored to the base; tests run as they were there and as they are now. Tests that
    fail at the base are tolerated.
    """
    order = _order(project, change, base)
    workspace = GitWorkspace(project.folders)
    evaluator = ProjectEvaluator(project.settings, project.artifacts, project.folders, told)
    try:
        async with held_checks(project, project.settings):
            copy = await workspace.open(order.trace_id, base)
            await evaluator.prepare(order, copy)
            at_base = await evaluator.evaluate(order, Measured(copy, base, copy.base_tree, Stage.BASE))
            await workspace.restore(copy, base, shows=commit)
            restored = await evaluator.restore_protected(order, copy)
            tree = Measured(copy, *await workspace.preview(copy), Stage.TEST)
            now = await evaluator.evaluate(order, tree)
            proof = None if wrong(now) else await evaluator.prove(order, tree)
    finally:
        await asyncio.to_thread(forget_order, project.folders, order.trace_id)
        await asyncio.to_thread(trim, project.state)
    return ChangeMeasured(at_base, now, proof, restored)


async def measure_ahead(project: Project, told: CheckListener) -> Evaluation:
    """Measure the last commit as a run measures its base; runs that begin there take what this gave."""
    base = await commit_of(project.root, "HEAD")
    if base is None:
        raise UsageError(f"{project.root}: there is no commit yet", hint="git commit")
    order = _order(project, Change(event="", head=base, accepted=()), base)
    workspace = GitWorkspace(project.folders)
    evaluator = ProjectEvaluator(project.settings, project.artifacts, project.folders, told)
    try:
        async with held_checks(project, project.settings):
            copy = await workspace.open(order.trace_id, base)
            return await evaluator.evaluate(order, Measured(copy, base, copy.base_tree, Stage.BASE))
    finally:
        await asyncio.to_thread(forget_order, project.folders, order.trace_id)
        await asyncio.to_thread(trim, project.state)


def wrong(now: Evaluation) -> bool:
    """Whether a change has something against it that its base does not have."""
    return bool(now.failures or now.blocking or now.broken)


def _order(project: Project, change: Change, base: Commit) -> RunOrder:
    settings, now = project.settings, datetime.now(UTC)
    # The text of a change is of its author: its title says what must be proved, and it releases nothing.
    kind, _ = kind_of_request(Story(id=StoryId("change"), title=change.title or "The change as it is"))
    story = Story(
        id=StoryId("change"),
        title="The change as it is",
        external=True,
        kind=kind,
        integrity=IntegrityMode.BOTH if change.released else settings.integrity.mode,
        may_change=("*",) if change.released else (),
        known_red=KnownRed.TOLERATE,
    )
    held = tuple(each for each in quarantine_at(project, now) if each.active(now))
    return RunOrder(
        trace_id=TraceId(sortable("check", now)),
        root=str(project.root),
        base=base,
        story=story,
        pipeline=load_pipeline("change", project.root),
        weights=settings.weights,
        proof=settings.proof,
        settings=settings.model_dump_json(exclude={"agent", "database"}),
        settings_version=SETTINGS_VERSION,
        quarantine=held,
        branch="",
        started_at=now,
    )
