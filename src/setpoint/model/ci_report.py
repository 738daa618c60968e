"""What a check in continuous integration found: the file that one job writes and another one reads.

The job that reads it may hold a token, and the job that wrote it ran untrusted code. So every text and every
list has a limit, and a reader takes it for text alone.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from setpoint.model.value import Text, Value

MOST_PROBLEMS = 200
MOST_ROWS = 100
MOST_TEXT = 1000
MOST_NAME = 300
Sha = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
"""A git commit or tree."""
Line = Annotated[Text, Field(max_length=MOST_TEXT)]
Name = Annotated[Text, Field(max_length=MOST_NAME)]


class CiState(StrEnum):
    """How a check in continuous integration ended."""

    PASSED = "passed"
    """Nothing is wrong that the base does not have."""
    FAILED = "failed"
    """A test fails, a finding blocks or a check broke, and the base does not have it."""
    NOT_MEASURED = "not_measured"
    """A runner of the tests gave no answer, neither at the base nor in the change."""
    SKIPPED = "skipped"
    """The event asks for no check."""


class Level(StrEnum):
    """How a problem is shown; the names are those of GitHub's annotations."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Problem(Value):
    """One thing that the change brings and the base does not have."""

    level: Level
    blocking: bool
    """Whether it fails the check."""
    kind: Literal["test", "finding", "integrity", "check", "settings"]
    title: Name
    message: Line
    file: Name = ""
    """Path from the root of the repository; empty for the whole tree."""
    line: int = Field(default=0, ge=0)
    """1-based; 0 where there is none."""
    rule: Name = ""
    fingerprint: Name = ""
    """Recognises the same problem in another tree."""


class MetricRow(Value):
    """A metric at the base and in the change; none where it was not measured."""

    name: Name
    before: float | None
    after: float | None


class CheckRow(Value):
    """How one check ended in the change."""

    name: Name
    state: Name
    reason: Line = ""


class ObligationRow(Value):
    """One thing that a change of this kind must prove."""

    name: Name
    state: Name
    reason: Line = ""


class NoteRow(Value):
    """Something that a reader may want to look at; it decides nothing."""

    rule: Name
    message: Line
    file: Name = ""
    """Path from the root of the repository; empty for the whole tree."""
    line: int = Field(default=0, ge=0)
    """1-based; 0 where there is none."""


class CiReport(Value):
    """All that is reported of one change."""

    version: Literal[1] = 1
    setpoint: Name
    """Version of Setpoint that measured."""
    event: Name
    head: Sha
    """The commit that was proposed, as the forge names it."""
    measured: Sha
    """The commit whose tree was measured; another one where the forge merged base and head."""
    base: Sha | Literal[""] = ""
    """The commit that it was compared with; empty where nothing was compared."""
    state: CiState
    reason: Line = ""
    """Why nothing was checked or measured."""
    problems: tuple[Problem, ...] = Field(default=(), max_length=MOST_PROBLEMS)
    """Worst first."""
    left_out: int = Field(default=0, ge=0)
    """Problems beyond the limit."""
    metrics: tuple[MetricRow, ...] = Field(default=(), max_length=MOST_ROWS)
    checks: tuple[CheckRow, ...] = Field(default=(), max_length=MOST_ROWS)
    known_red: tuple[Name, ...] = Field(default=(), max_length=MOST_ROWS)
    """Tests that failed at the base, too; they never block."""
    restored: tuple[Name, ...] = Field(default=(), max_length=MOST_ROWS)
    """Files that were restored to the base."""
    contradicted: tuple[Name, ...] = Field(default=(), max_length=MOST_ROWS)
    """Tests of the base that fail as they were, and pass or are gone as the change leaves them."""
    notes: tuple[NoteRow, ...] = Field(default=(), max_length=MOST_ROWS)
    """What the text of the change shows; it decides nothing."""
    settings_changed: tuple[Name, ...] = Field(default=(), max_length=MOST_ROWS)
    """Files with settings of Setpoint that the change edits; those of the base were used."""
    released: bool = False
    """A person allowed by a label that the change contradicts tests of the base."""
    kind: Name = ""
    """Kind of work, which decides what has to be proved."""
    obligations: tuple[ObligationRow, ...] = Field(default=(), max_length=MOST_ROWS)
    """Empty where nothing was proved, because the change failed or was not measured."""
    held: Name = ""
    """What confined the commands of the checks."""

    @property
    def blocking(self) -> tuple[Problem, ...]:
        """Problems that fail the check."""
        return tuple(each for each in self.problems if each.blocking)

    @property
    def unproven(self) -> tuple[ObligationRow, ...]:
        """Obligations that are not met."""
        return tuple(each for each in self.obligations if each.state == "not_met")
