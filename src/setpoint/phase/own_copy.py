"""A work copy of their own for those who judge the maker's work."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from setpoint.model.ids import Commit, TraceId
from setpoint.ports.workspace import DropsCopies
from setpoint.runs.context import RunContext


@asynccontextmanager
async def own_copy(run: RunContext, name: str, commit: Commit) -> AsyncIterator[RunContext]:
    """Return the run with a copy that holds a commit of it; what is left there goes with the copy."""
    workspace = run.ports.workspace
    copy = await workspace.open(TraceId(f"{run.order.trace_id}-{name}"), run.order.base)
    try:
        await workspace.restore(copy, commit, of=run.copy)
        yield replace(run, copy=copy)
    finally:
        if isinstance(workspace, DropsCopies):
            await workspace.drop(copy)
