"""What the work is: the difference of the files between base and tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from setpoint.checks.tools.definitions import Shape, shape
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import CheckResult
from setpoint.model.finding import Finding

CODE = (".py", ".pyi", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".go", ".rs")
"""Endings of files whose changed lines count as code."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """The difference of the files between base and tree."""

    changed: tuple[str, ...] = ()
    lines: Mapping[str, set[int]]
    before: Mapping[str, str]
    """Source of changed files at the base, by path."""
    after: Mapping[str, str]
    tests: Mapping[str, str] = field(default_factory=dict)
    """Source of the files of tests, changed or not; read where code changed."""
    collected: frozenset[str] = frozenset()
    """Files from which tests were collected at the base, whatever they are called."""

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
            len(lines) for path, lines in self.lines.items() if path.endswith(CODE) and not is_test_path(path)
        )

    @cached_property
    def shape(self) -> Shape:
        """What its new and changed definitions are like."""
        return shape(code_of(self.before), code_of(self.after))

    def repeated(self, results: Iterable[CheckResult]) -> int | None:
        """Count the lines of code that are duplicated; none where no check looked."""
        looked = [each.duplicated for each in results if each.duplicated is not None]
        if not looked:
            return None
        return sum(
            len(lines.intersection(*(set(each.get(path, ())) for each in looked)))
            for path, lines in self.lines.items()
            if path.endswith(CODE) and not is_test_path(path)
        )


def code_of(files: Mapping[str, str]) -> dict[str, str]:
    """Return the sources of Python that belong to no tests."""
    return {path: text for path, text in files.items() if path.endswith(".py") and not is_test_path(path)}
