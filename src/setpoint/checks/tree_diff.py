"""What the work is: the difference of the files between base and tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from setpoint.checks.tools.definitions import Shape, shape
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import CheckResult
from setpoint.model.finding import Category, Finding

CODE = (".py", ".pyi", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs")
"""Endings of files whose changed lines count as code."""
MOST_NAMED = 5
_STYLE = (Category.STYLE, Category.DOCUMENTATION, Category.DESIGN, Category.CORRECTNESS)


@dataclass(frozen=True, kw_only=True)
class Work:
    """The difference of the files between base and tree."""

    changed: tuple[str, ...] = ()
    lines: Mapping[str, set[int]]
    before: Mapping[str, str]
    """Source of changed files at the base, by path."""
    after: Mapping[str, str]
    collected: frozenset[str] = frozenset()
    """Files from which tests were collected at the base, whatever they are called."""
    generated: frozenset[str] = frozenset()
    """Changed files that nobody wrote by hand, as the base says."""

    def judged(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Leave out what is demanded of code that somebody writes by hand, where nobody did."""
        return tuple(each for each in findings if each.file not in self.generated or not _of_hand(each))

    @property
    def left_out(self) -> str:
        """Name the generated files, whose code was not looked at; empty where there are none."""
        if not self.generated:
            return ""
        count = len(self.generated)
        named = ", ".join(sorted(self.generated)[:MOST_NAMED])
        more = f" and {count - MOST_NAMED} more" if count > MOST_NAMED else ""
        return f"generated, {'its' if count == 1 else 'their'} code was not looked at: {named}{more}"

    def is_test(self, path: str) -> bool:
        """Whether a path belongs to the tests."""
        return is_test_path(path) or path in self.collected

    @property
    def wrote_tests(self) -> bool:
        """Whether test files were added or changed."""
        return any(self.is_test(path) for path in self.changed)

    def wrote(self, finding: Finding) -> bool:
        """Whether a finding lies on an added or changed line, or in a file that is new."""
        if finding.line:
            return finding.line in self.lines.get(finding.file, ())
        return finding.file in self.changed and finding.file not in self.before

    @property
    def line_count(self) -> int:
        """Number of added or changed lines of code outside the tests."""
        return sum(
            len(lines)
            for path, lines in self.lines.items()
            if path.endswith(CODE) and not is_test_path(path) and path not in self.generated
        )

    @cached_property
    def shape(self) -> Shape:
        """What its new and changed definitions are like."""
        return shape(self.code(self.before), self.code(self.after))

    def repeated(self, results: Iterable[CheckResult]) -> int | None:
        """Count the lines of code that are duplicated; none where no check looked."""
        looked = [each.duplicated for each in results if each.duplicated is not None]
        if not looked:
            return None
        return sum(
            len(lines.intersection(*(set(each.get(path, ())) for each in looked)))
            for path, lines in self.lines.items()
            if path.endswith(CODE) and not is_test_path(path) and path not in self.generated
        )

    def code(self, files: Mapping[str, str]) -> dict[str, str]:
        """Choose the sources of Python that somebody wrote and that belong to no tests."""
        return {path: text for path, text in code_of(files).items() if path not in self.generated}


def _of_hand(finding: Finding) -> bool:
    """Whether a finding demands what only matters in code that people write and read."""
    blocks = finding.blocking and finding.category is Category.CORRECTNESS
    return finding.source != "parse" and finding.category in _STYLE and not blocks


def code_of(files: Mapping[str, str]) -> dict[str, str]:
    """Return the sources of Python that belong to no tests."""
    return {path: text for path, text in files.items() if path.endswith(".py") and not is_test_path(path)}
