"""What the tools of `setpoint mcp` let an agent do."""

from __future__ import annotations

from decimal import Decimal

from pydantic import Field

from setpoint.model.value import Usd, Value


class McpSettings(Value):
    """Terms of `setpoint mcp`; the server reads them once, when it starts."""

    start_runs: bool = False
    """Whether agents may start runs with the tool `start_run`."""
    max_runs_per_day: int = Field(default=3, ge=1, le=100)
    """Runs that agents may start within 24 hours, all sessions together."""
    max_cost_usd: Usd = Field(default=Decimal(2), gt=0)
    """US dollars that such a run may cost; a lower `limits.max_cost_usd` holds as well."""
