"""What an agent finds in its work copy: programs and packages of the checks, and files that prompts name."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from setpoint.checks import ProjectEvaluator
from setpoint.model.attempt import Brief, Role
from setpoint.model.run import RunOrder
from setpoint.ports import WorkCopy
from setpoint.system.files.agent_folder import EVIDENCE, show_files


class AgentsWorkbench:
    """Lays out what an agent needs in the folder of its work copy that git ignores."""

    def __init__(self, evaluator: ProjectEvaluator) -> None:
        """Take the evaluator, which knows with what the checks run."""
        self._evaluator = evaluator

    @asynccontextmanager
    async def laid_out(self, order: RunOrder, copy: WorkCopy, brief: Brief) -> AsyncIterator[None]:
        """Bring everything to the work copy for one attempt; an agent that is in the way gets nothing."""
        await self._evaluator.equip(order, copy)
        # Reviewers work at the same time in one copy, so none of them removes what another was shown.
        alone = brief.role is Role.MAKER
        with contextlib.suppress(OSError):
            await asyncio.to_thread(show_files, Path(copy.path), EVIDENCE, brief.evidence, only=alone)
        yield
