"""How a project's tests in another language than Python run, for agents that try edits in a copy."""

from __future__ import annotations

from setpoint.model.value import Value

TREE = "/{tree}"
"""Stands for the root of the tree in which the tests run."""
SCRATCH = "/{scratch}"
"""Stands for a folder outside the tree, which a run may write to."""
SELECTED = "{selected}"
"""Stands for the words that choose tests: one word of the command, or a quoted one in a line for a shell."""


class SuiteCommand(Value):
    """One call of a test runner, as the checks make it."""

    runner: str
    """The check, for example `go_test` or `vitest`."""
    folder: str = ""
    """The package that is tested; empty for the root of the tree."""
    every: tuple[str, ...]
    """The command that runs all of its tests."""
    some: tuple[str, ...]
    """The command that runs those that are chosen."""
    report: str = ""
    """The file it writes; empty where it writes its report to standard output."""
    environment: dict[str, str] = {}
    """All variables that it sees."""
    cache: str = ""
    """The folder of the runner's own cache; a copy of it belongs to `/{scratch}/cache`."""
