"""The variables of the project's Python tests: those of every check, and those of its own test command."""

from __future__ import annotations

from pathlib import Path

from setpoint.checks.discovery.interpreter import Interpreter, environment
from setpoint.checks.discovery.layout import Layout
from setpoint.checks.discovery.own_commands.variables import with_own


def environment_of_tests(interpreter: Interpreter, tree: Path, layout: Layout) -> dict[str, str]:
    """Return what the tests of a tree see."""
    call = layout.python_call
    known = environment(interpreter, tree, layout.imports)
    return with_own(call.variables, known, tree) if call else known
