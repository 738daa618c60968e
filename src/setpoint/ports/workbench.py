"""The port to what an agent finds in its work copy beside the work."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from setpoint.model.attempt import Brief
from setpoint.model.project_text import ProjectText
from setpoint.model.run import RunOrder
from setpoint.model.tool_server import ToolServers
from setpoint.ports.workspace import WorkCopy


class Workbench(Protocol):
    """Programs that run as the checks do, and the files that a prompt names; no part of the work."""

    def laid_out(self, order: RunOrder, copy: WorkCopy, brief: Brief) -> AbstractAsyncContextManager[None]:
        """Bring everything to the work copy for one attempt; what an agent does with it is harmless."""

    async def tool_servers(self, copy: WorkCopy) -> ToolServers:
        """Return the servers of tools that the project names at the base of a work copy."""

    async def project_text(self, copy: WorkCopy) -> ProjectText:
        """Return what the project says to coding agents at the base of a work copy."""
