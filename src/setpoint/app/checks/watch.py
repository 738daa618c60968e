"""Measuring the user's tree again after each edit; an edit ends the measurement of the tree before it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from setpoint.app.checks.quarantine import quarantine_entries
from setpoint.app.people.suppressions import without_suppressed
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.checks.trees.working_tree import TreeRecorder
from setpoint.model.evaluation import Evaluation
from setpoint.model.ids import Tree
from setpoint.settings import load
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks

if TYPE_CHECKING:
    from setpoint.checks.measurement import CheckListener

LOOK_S = 0.4
"""Seconds between two looks at the tree."""
WITHOUT_SUSPECTS = {"failures": {"localise_s": 0.0}}
"""Settings for a measurement whose suspicious lines nobody reads, so that no test runs again for them."""


class WatchListener(Protocol):
    """Receives the progress of a watched tree."""

    def began(self, tree: Tree, *, ended_another: bool) -> None:
        """Take note that a tree is being measured, and whether that of the one before was ended for it."""

    def measured(self, evaluation: Evaluation) -> None:
        """Take the evaluation of a tree that did not change meanwhile."""


async def measure_once(
    project: Project, told: CheckListener, *, fast: bool, fresh: bool = False, since: str | None = ""
) -> Evaluation:
    """Measure the user's tree once; cancelling ends all its processes.

    Findings of the merge base with `since` do not count; empty: with the default branch; none: all
    count.
    """
    evaluator = TreeEvaluator(project.settings, project.artifacts, project.folders, told)
    now = datetime.now(UTC)
    held = tuple(each for each in quarantine_entries(project) if each.active(now))
    async with held_checks(project, project.settings):
        seen = await evaluator.measure(project.root, since, held, fast=fast, fresh=fresh)
    return without_suppressed(project, seen)


def watch_tree(project: Project, told: CheckListener, heard: WatchListener, since: str | None = "") -> None:
    """Measure after each edit until this is interrupted."""
    asyncio.run(keep_measuring(project, told, heard, since))


async def keep_measuring(
    project: Project, told: CheckListener, heard: WatchListener, since: str | None = ""
) -> None:
    """Measure after each edit, of the tests only those that it can reach, until this is cancelled.

    Settings are read again each time. Errors of settings and repository end it, as they end one `check`.
    """
    tree, running = None, None
    try:
        while True:
            now = await _tree(project)
            if now != tree:
                ended = running is not None and await _ended(running)
                tree = now
                heard.began(now, ended_another=ended)
                project = project._replace(settings=load(project.root))
                running = asyncio.create_task(measure_once(project, told, fast=True, since=since))
            if running is None:
                await asyncio.sleep(LOOK_S)
                continue
            done, _ = await asyncio.wait((running,), timeout=LOOK_S)
            if done:
                heard.measured(running.result())
                running = None
    finally:
        if running is not None:
            await _ended(running)


async def _tree(project: Project) -> Tree:
    """Record the current tree, beside what a measurement under way has recorded."""
    standing = TreeRecorder(project.root, project.state / "watched")
    with standing.opened() as folder:
        return (await standing.record(folder))[1]


async def _ended(running: asyncio.Task[Evaluation]) -> bool:
    """End a measurement with all its processes; gives whether it was still under way."""
    under_way = running.cancel()
    await asyncio.wait((running,))
    return under_way
