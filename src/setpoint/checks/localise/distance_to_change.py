"""How near to the work's own changes a failure or finding lies, and which frame that points at."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from setpoint.checks.suites.failure_cause import deepest
from setpoint.model import syntax
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evidence import Failure, Frame
from setpoint.model.finding import Finding, Nearness

_Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What the work added or changed."""

    lines: Mapping[str, set[int]]
    """1-based lines of the tree, by path; a file that only lost lines has none."""
    sources: Mapping[str, str]
    """Text of the changed files in the tree, by path."""
    known: bool = True
    """False where there is no base to compare with: nothing is near to anything then."""

    @cached_property
    def functions(self) -> Mapping[str, tuple[_Span, ...]]:
        """The functions that hold a changed line, by path, as their first and last line."""
        found: dict[str, tuple[_Span, ...]] = {}
        for path, lines in self.lines.items():
            if path.endswith(".py"):
                spans = _functions(self.sources.get(path, ""))
                found[path] = tuple(
                    span for span in spans if any(span[0] <= line <= span[1] for line in lines)
                )
        return found

    def nearness(self, file: str, line: int) -> Nearness | None:
        """Tell how near a place is; none where nothing is known of the changes."""
        if not self.known:
            return None
        if line in self.lines.get(file, ()):
            return Nearness.LINE
        if any(first <= line <= last for first, last in self.functions.get(file, ())):
            return Nearness.FUNCTION
        return Nearness.FILE if file and (file in self.lines or file in self.sources) else Nearness.NONE

    def changed(self, frame: Frame) -> bool:
        """Whether a step of a traceback is on a changed line."""
        return frame.line in self.lines.get(frame.file, ())


def placed(failure: Failure, changes: Changes) -> Failure:
    """Put the cause of a failure at the deepest frame outside the tests, one on a changed line first."""
    code = tuple(frame for frame in failure.frames if not is_test_path(frame.file))
    on_changed = tuple(frame for frame in code if changes.changed(frame))
    chosen = deepest(on_changed or failure.frames)
    file, line = (chosen.file, chosen.line) if chosen else (failure.file, failure.line)
    return failure.model_copy(update={"file": file, "line": line, "nearness": changes.nearness(file, line)})


def near(findings: Iterable[Finding], changes: Changes) -> tuple[Finding, ...]:
    """Say of each finding how near to the changes it lies."""
    return tuple(
        finding.model_copy(update={"nearness": changes.nearness(finding.file, finding.line)})
        for finding in findings
    )


def _functions(source: str) -> tuple[_Span, ...]:
    """Return first and last line of every function, decorators included; none where it does not parse."""
    try:
        tree = syntax.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(
        (min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
