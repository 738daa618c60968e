"""The steps that a project's own test command runs before its tests, for example to generate code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.interpreter import as_typed
from setpoint.system.processes import Command, run

LIMIT_S = 600.0


async def run_before(steps: str, shown: str, tree: Path, variables: Mapping[str, str]) -> str:
    """Run the steps in a tree; return what to say of them: nothing where they end well, or are none.

    Steps that fail do not keep the tests from being run: they show themselves what is missing.
    """
    if not steps:
        return ""
    done = await run(
        Command(
            argv=("sh", "-c", steps),
            cwd=tree,
            environment=as_typed(variables),
            timeout_s=LIMIT_S,
            merge_stderr=True,
            writes=(tree,),
        )
    )
    runs = f"`{shown}` runs `{steps}`" if shown != steps else f"`{steps}` runs"
    said = f"before the tests {runs}: {done.ending}{results.tail(done)}"
    return "" if done.ok else said
