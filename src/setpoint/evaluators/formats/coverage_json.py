"""The JSON report of coverage.py."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from setpoint.domain.evidence import Coverage
from setpoint.evaluators.formats.bad import BadReport

FEWEST_CHANGED = 10
"""With fewer executable changed lines a share says nothing."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _File(_Part):
    executed_lines: tuple[int, ...]
    missing_lines: tuple[int, ...]


class _Totals(_Part):
    covered_lines: int
    num_statements: int
    covered_branches: int | None = None
    num_branches: int | None = None


class _Meta(_Part):
    version: str


class Reached(_Part):
    """What the tests reached, file by file."""

    meta: _Meta
    files: dict[str, _File]
    totals: _Totals

    def coverage(self, changed: dict[str, set[int]]) -> Coverage:
        """Give the shares; `changed` are the lines that the work adds or changes, by file."""
        totals = self.totals
        uncovered, executable, hit = dict[str, tuple[int, ...]](), 0, 0
        for name, lines in changed.items():
            file = self.files.get(name)
            if file is None:
                continue
            missed = sorted(lines & set(file.missing_lines))
            reached = len(lines & set(file.executed_lines))
            executable, hit = executable + reached + len(missed), hit + reached
            if missed:
                uncovered[name] = tuple(missed)
        return Coverage(
            lines=totals.covered_lines / totals.num_statements if totals.num_statements else 1.0,
            branches=(totals.covered_branches or 0) / totals.num_branches if totals.num_branches else None,
            changed_lines=hit / executable if executable >= FEWEST_CHANGED else None,
            uncovered_changed=uncovered,
        )


def read(text: bytes) -> Reached:
    """Read a report; raises `BadReport` naming what is wrong with it."""
    try:
        return Reached.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BadReport(f"coverage's report is not readable at '{place}': {first['msg']}") from None
