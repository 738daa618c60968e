"""One thing wrong with a tree, and how it is recognised again."""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from functools import cached_property

from setpoint.model.value import Text, Value


class Severity(StrEnum):
    """How bad a finding is; `ERROR` and `CRITICAL` block."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """Return 0 for `INFO` up to 3 for `CRITICAL`."""
        return list(Severity).index(self)


class Category(StrEnum):
    """What a finding is about; decides which phase mends it (`policies.routing`)."""

    REQUIREMENTS = "requirements"
    MISSING_INFORMATION = "missing_information"
    MISUNDERSTANDING = "misunderstanding"
    ARCHITECTURE = "architecture"
    DESIGN = "design"
    APPROACH = "approach"
    SCOPE = "scope"
    CORRECTNESS = "correctness"
    TESTS = "tests"
    INTEGRITY = "integrity"
    SECURITY = "security"
    TYPES = "types"
    STYLE = "style"
    PERFORMANCE = "performance"
    COVERAGE = "coverage"
    DOCUMENTATION = "documentation"


class Nearness(StrEnum):
    """How near to the lines that the work added or changed something lies."""

    LINE = "line"
    """On one of them."""
    FUNCTION = "function"
    """In a function that holds one of them."""
    FILE = "file"
    """In a file that holds one of them."""
    NONE = "none"

    @property
    def rank(self) -> int:
        """Return 0 for `LINE` up to 3 for `NONE`."""
        return list(Nearness).index(self)


class Edit(Value):
    """A replacement of one span of a file's text."""

    start_line: int
    """First line of the span, 1-based."""
    start_column: int
    """First character of the span in that line, 1-based."""
    end_line: int
    """Line in which the span ends, 1-based."""
    end_column: int
    """Character after the last one of the span, 1-based."""
    text: str
    """What stands there afterwards."""


class Fix(Value):
    """A way to mend a finding, as edits of its file."""

    description: str
    """What the fix does, in the words of the tool or reviewer."""
    edits: tuple[Edit, ...]
    """The edits, none overlapping another."""
    safe: bool
    """The tool states that the fix keeps the behaviour."""


class Finding(Value):
    """One thing wrong, found by a check or a reviewer."""

    source: str
    """Who found it: a check (`ruff`), a reviewer (`review:code`) or Setpoint (`integrity`)."""
    rule: str = ""
    """The tool's own code for it (`F401`, `B602`, `assignment`)."""
    severity: Severity
    category: Category
    message: Text
    """What is wrong, in one line."""
    file: Text = ""
    """Path from the root of the repository, with `/`; empty for the whole tree."""
    line: int = 0
    """1-based line, 0 where there is none."""
    symbol: Text = ""
    """The function, class or test it is in, where known."""
    text: Text = ""
    """The line of code it points at, where known; makes the fingerprint independent of line numbers."""
    confidence: float = 1.0
    """How sure the source is, from 0 to 1."""
    reproducible: bool = True
    """A command of Setpoint's shows it again; opinions of a reviewer are not reproducible."""
    fix: Fix | None = None
    """A fix that the source offers."""
    detail: Text = ""
    """More text: the assertion, the traceback's end, the reviewer's reason."""
    nearness: Nearness | None = None
    """How near to the work's own changes; none where nothing was compared."""
    suppressed: Text = ""
    """Who dismissed it at this place, until when, and why; empty where it counts."""

    @property
    def blocking(self) -> bool:
        """Whether the work may not be delivered with it: error or critical, and not suppressed."""
        return self.severity in (Severity.ERROR, Severity.CRITICAL) and not self.suppressed

    @cached_property
    def fingerprint(self) -> str:
        """Recognise the same finding in another tree: 16 hexadecimal digits, free of line numbers."""
        parts = (
            self.source,
            self.rule,
            self.category,
            self.file,
            self.symbol,
            normalised(self.message),
            normalised(self.text),
        )
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


class Note(Value):
    """Something that a reviewer and a person may want to look at; it decides nothing."""

    rule: str
    """What kind of thing it is, for example `suppression` or `lock-host`."""
    message: Text
    """What is there, in one line."""
    file: Text = ""
    """Path from the root of the repository, with `/`; empty for the whole tree."""
    line: int = 0
    """1-based line, 0 where there is none."""

    @property
    def place(self) -> str:
        """Return `file:line`, as far as it is known."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file


_VOLATILE = (
    # Absolute paths only, and before all else: those in the repository tell one finding from another.
    (re.compile(r"(?<![\w.@+-])(/[\w.@+-]+){2,}"), "<path>"),
    (re.compile(r"0x[0-9a-fA-F]+"), "0x"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\b\d\d:\d\d:\d\d([.,]\d+)?"), "<time>"),
    (re.compile(r"\b\d+(\.\d+)?(e[+-]?\d+)?\s*(ns|us|µs|ms|s|secs?|seconds?|mins?|minutes?)\b"), "<time>"),
    (re.compile(r"\b(line|col|column)\s+\d+", re.IGNORECASE), r"\1"),
    (re.compile(r":\d+(:\d+)?\b"), ":"),
    (re.compile(r"\s+"), " "),
)


def normalised(text: str) -> str:
    """Take out what changes between two sightings of one thing: addresses, times, paths, line numbers."""
    for pattern, replacement in _VOLATILE:
        text = pattern.sub(replacement, text)
    return text.strip()


def worst_first(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Order by severity, then file, line and message."""
    return tuple(sorted(findings, key=lambda f: (-f.severity.rank, f.file, f.line, f.message)))
