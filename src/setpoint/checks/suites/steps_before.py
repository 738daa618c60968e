"""The steps that a project's own test command runs before its tests, for example to generate code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from setpoint.checks import results
from setpoint.checks.discovery.own_commands.python_call import PythonCall
from setpoint.system.processes import Command, run


async def run_before(
    call: PythonCall | None, tree: Path, variables: Mapping[str, str], timeout_s: float
) -> str:
    """Run the steps in a tree; return what to say of them: nothing where they end well, or are none.

    Steps that fail do not keep the tests from being run: they show themselves what is missing.
    """
    if call is None or not call.before:
        return ""
    done = await run(
        Command(
            argv=("sh", "-c", call.before),
            cwd=tree,
            environment=variables,
            timeout_s=timeout_s,
            merge_stderr=True,
            writes=(tree,),
        )
    )
    said = f"before the tests `{call.shown}` runs `{call.before}`: {done.ending}{results.tail(done)}"
    return "" if done.ok else said
