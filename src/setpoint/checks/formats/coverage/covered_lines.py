"""What the tests reached, whatever the format of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from setpoint.model.evidence import FEWEST_CHANGED, Coverage


@dataclass(frozen=True, kw_only=True)
class FileLines:
    """The executable lines of one file."""

    executed: frozenset[int]
    missing: frozenset[int]


@dataclass(frozen=True, kw_only=True)
class Reached:
    """What the tests reached, file by file and in all."""

    files: Mapping[str, FileLines]
    """By path from the root of the tree."""
    covered: int
    statements: int
    covered_branches: int = 0
    branches: int = 0
    """None were measured where it is 0."""

    def coverage(self, changed: Mapping[str, set[int]]) -> Coverage:
        """Return the shares; `changed` are the lines that the work adds or changes, by file."""
        uncovered, executable, hit = dict[str, tuple[int, ...]](), 0, 0
        for name, lines in changed.items():
            file = self.files.get(name)
            if file is None:
                continue
            missed = sorted(lines & file.missing)
            reached = len(lines & file.executed)
            executable, hit = executable + reached + len(missed), hit + reached
            if missed:
                uncovered[name] = tuple(missed)
        return Coverage(
            lines=self.covered / self.statements if self.statements else 1.0,
            branches=self.covered_branches / self.branches if self.branches else None,
            changed_lines=hit / executable if executable >= FEWEST_CHANGED else None,
            uncovered_changed=uncovered,
            changed_executable=executable,
            files={
                name: (len(file.executed), len(file.executed) + len(file.missing))
                for name, file in self.files.items()
            },
        )


def counted(hits: Mapping[str, Mapping[int, int]], branches: tuple[int, int]) -> Reached:
    """Make it of how often each line ran, by file; `branches` are those taken and all."""
    files = {
        name: FileLines(
            executed=frozenset(line for line, times in lines.items() if times > 0),
            missing=frozenset(line for line, times in lines.items() if times <= 0),
        )
        for name, lines in hits.items()
    }
    covered = sum(len(file.executed) for file in files.values())
    missing = sum(len(file.missing) for file in files.values())
    taken, every = branches
    return Reached(
        files=files,
        covered=covered,
        statements=covered + missing,
        covered_branches=taken,
        branches=every,
    )
