"""What an agent finds in its work copy: programs and packages of the checks, and files that prompts name."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from setpoint.checks.advice.desk import Desk
from setpoint.checks.run_evaluator import ProjectEvaluator
from setpoint.checks.trees.checkout import remove
from setpoint.errors import SetpointError
from setpoint.learning.loop import searched
from setpoint.learning.policy.at_hand import at_hand
from setpoint.learning.policy.recall import recollections
from setpoint.model.attempt import Brief, Role
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.evidence import CheckState
from setpoint.model.ids import Commit, TraceId
from setpoint.model.project_text import ProjectText
from setpoint.model.run import RunOrder
from setpoint.model.tool_server import ToolServers
from setpoint.phase.policy.maker_feedback import feedback
from setpoint.ports import Measured, WorkCopy
from setpoint.settings import Settings
from setpoint.system.files.agent_folder import EVIDENCE, QUESTIONS, show_files
from setpoint.wiring.agents_files import AgentsFiles
from setpoint.wiring.memory import memory_of
from setpoint.wiring.project import Project
from setpoint.wiring.sandboxed_checks import held_checks
from setpoint.workspace.project_text import project_text_at
from setpoint.workspace.work_copy import GitWorkspace

_MOST_REASON = 300


class AgentsWorkbench:
    """Lays out what an agent needs in the folder of its work copy that git ignores, and answers it."""

    def __init__(
        self, evaluator: ProjectEvaluator, workspace: GitWorkspace, project: Project, settings: Settings
    ) -> None:
        """Take the evaluator, which knows with what the checks run, and what records a work copy."""
        self._evaluator, self._workspace = evaluator, workspace
        self._project, self._settings = project, settings
        self._texts: dict[Commit, ProjectText] = {}
        self._files = AgentsFiles(workspace, project.root)

    @asynccontextmanager
    async def laid_out(self, order: RunOrder, copy: WorkCopy, brief: Brief) -> AsyncIterator[None]:
        """Bring everything to the work copy for one attempt; an agent that is in the way gets nothing."""
        await self._evaluator.equip(order, copy)
        # Reviewers work at the same time in one copy, so none of them removes what another was shown.
        alone = brief.role is Role.MAKER
        with contextlib.suppress(OSError):
            await asyncio.to_thread(show_files, Path(copy.path), EVIDENCE, brief.evidence, only=alone)
        async with self._files.shown(copy, brief.story.wish, maker=alone), self._asked(order, copy, brief):
            yield

    @asynccontextmanager
    async def _asked(self, order: RunOrder, copy: WorkCopy, brief: Brief) -> AsyncIterator[None]:
        """Answer what a maker asks about its own work, for one attempt."""
        if not (brief.self_check and brief.role is Role.MAKER):
            yield
            return
        with contextlib.suppress(OSError):
            await asyncio.to_thread(show_files, Path(copy.path), QUESTIONS, {}, only=True)
        desk = Desk(Path(copy.path), partial(self._looked, order, copy, brief), self._settings.self_check)
        serving = asyncio.create_task(desk.serve())
        try:
            yield
        finally:
            serving.cancel()
            await asyncio.wait({serving})
            if desk.measured:
                await asyncio.to_thread(remove, self._project.folders, _advice(copy))

    async def project_text(self, copy: WorkCopy) -> ProjectText:
        """Return what the project says to coding agents at the base of a work copy."""
        if copy.base not in self._texts:
            self._texts[copy.base] = await project_text_at(copy.repository, copy.base)
        return self._texts[copy.base]

    async def tool_servers(self, copy: WorkCopy) -> ToolServers:
        """Return the servers of tools that the project names at the base of a work copy."""
        return await self._files.servers(copy)

    async def _looked(self, order: RunOrder, copy: WorkCopy, brief: Brief) -> str:
        """Measure the work copy as it is now, for advice."""
        try:
            commit, tree = await self._workspace.preview(copy)
            suspects = tuple(each.test for each in brief.failures)
            # A place of its own: nothing that is measured there can be taken for the tree that is judged.
            apart = copy._replace(trace_id=_advice(copy))
            async with held_checks(self._project, self._settings):
                measured = Measured(apart, commit, tree, Stage.EVALUATE, suspects)
                seen = await self._evaluator.preview(order, measured)
            return in_words(seen) + self._learnt(order, seen)
        except (SetpointError, OSError) as error:  # the agent may have changed files meanwhile
            return f"The checks could not look at the files: {error}. Ask again.\n"

    def _learnt(self, order: RunOrder, seen: Evaluation) -> str:
        """Return what earlier work taught of what fails now; empty where nothing does."""
        if not (order.memory.recall and (seen.failures or seen.blocking)):
            return ""
        at = at_hand("", seen.failures, seen.blocking)
        hits = searched(memory_of(self._project), at)
        found = recollections(hits, at, order.trace_id, order.root, order.memory)
        return "".join(f"Learnt earlier: {each.title}\n" for each in found if each.shown)


def _advice(copy: WorkCopy) -> TraceId:
    return TraceId(f"{copy.trace_id}-advice")


def in_words(seen: Evaluation) -> str:
    """Describe what fast checks saw."""
    ran = [each for each in seen.evidence if each.state is not CheckState.NOT_MEASURED]
    lines = [f"Setpoint's fast checks of your files now: {', '.join(f'{e.check} {e.state}' for e in ran)}."]
    lines += [
        f"{e.check} could not answer: {e.reason[:_MOST_REASON]}" for e in ran if e.state is CheckState.ERROR
    ]
    told = feedback(seen.failures, seen.findings)
    lines.append(told or "They found nothing against your change.")
    lines.append("This is advice: when your turn has ended, Setpoint runs the whole suite and more.")
    return "\n".join(lines) + "\n"
