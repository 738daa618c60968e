"""What goes into a measurement of reach and what comes out, as JSON files."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ReachRequest:
    """An order to run the tests and to tell which parts of some files they reach."""

    tree: str
    """Root of the work tree."""
    files: tuple[str, ...]
    """Files to be looked at, from the tree's root."""
    pytest_args: tuple[str, ...] = ()
    scratch: str = ""
    """Directory for temporary files; empty for one of the engine's own."""


@dataclass(frozen=True)
class FunctionReach:
    """How much of one function the tests reach."""

    name: str
    owner: str
    """The class it is a method of; empty for a function."""
    first: int
    last: int
    complexity: int
    lines: int
    """Statements of its body."""
    missed_lines: tuple[int, ...]
    branches: int
    missed_branches: tuple[tuple[int, bool], ...]
    """Line, and whether it is the way into the block behind it that no test takes."""


@dataclass(frozen=True)
class FileReach:
    """How much of one file the tests reach."""

    file: str
    lines: int
    missed_lines: tuple[int, ...]
    branches: int
    missed_branches: tuple[tuple[int, bool], ...]
    functions: tuple[FunctionReach, ...]


@dataclass
class ReachResult:
    """What the tests reach."""

    status: str = "not_possible"
    """measured or not_possible."""
    reason: str = ""
    files: list[FileReach] = field(default_factory=list)
    skipped_files: list[str] = field(default_factory=list)
    """Files that could not be read or are no Python, each with the reason; they are not measured."""
    outcomes: dict[str, str] = field(default_factory=dict)
    """passed, failed, error, skipped, xfailed or xpassed by test."""
    errors: dict[str, str] = field(default_factory=dict)
    """The end of what a test that is not green printed, by test."""
    touching: list[str] = field(default_factory=list)
    """Tests that reach the files after they were imported."""
    pytest: str = ""
    seconds: float = 0.0
