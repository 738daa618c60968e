"""Static tools that need not begin from nothing: all runs of a project share their cache."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from setpoint.checks.tools.tool import Tool
from setpoint.model.evidence import CheckResult
from setpoint.ports import Measured
from setpoint.system.files.folder_lock import alone


@dataclass(frozen=True, kw_only=True)
class WarmTool:
    """A tool whose own cache all runs of the project share, one at a time."""

    tool: Tool
    folder: Path
    """Where the cache lies."""
    scratch: Path
    """Where the tool begins from nothing while somebody else uses the cache."""

    @property
    def name(self) -> str:
        """Name the check."""
        return self.tool.name

    async def run(self, measured: Measured) -> CheckResult:
        """Run the tool with the shared cache, or without it where it is in use."""
        with alone(self.folder) as first:
            cache = self.folder if first else self.scratch / self.folder.name
            return await replace(self.tool, cache=str(cache)).run(measured)
