"""Name what keeps a tree from a goal, as instructions in order of priority (R1)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from setpoint.checks.parsing import functions_of, parser_of, suffix_of
from setpoint.checks.tools.definitions import MOST_WAYS, Definition, changed_definitions, definitions
from setpoint.checks.tree_diff import CODE, Work
from setpoint.model.cover_quality import spans_told
from setpoint.model.evidence import Coverage
from setpoint.model.finding import Category, Finding

MOST_NAMED = 10
"""Names in one instruction."""


@dataclass(frozen=True)
class Missing:
    """Finds what is missing in the changed code."""

    work: Work
    coverage: Coverage | None
    findings: tuple[Finding, ...]

    def of(self, name: str, target: float = MOST_WAYS) -> Iterator[str]:
        """Yield instructions for the goal of a metric; none where only its value is known.

        `target` decides which functions are too complicated.
        """
        match name:
            case "diff_coverage" | "coverage":
                yield from self._uncovered()
            case "mutation":
                yield from self._found_by("mutation", "add assertions that fail on")
            case "complexity":
                yield from self._definitions("split", lambda each: (each.ways or 0) > target)
            case "documentation":
                yield from self._definitions(
                    "write docstrings for", lambda each: each.public and not each.documented
                )
            case "types":
                yield from self._definitions("annotate", lambda each: each.annotated is False)
            case "security":
                found = (each for each in self.findings if each.category is Category.SECURITY)
                yield from _told("mend", map(_placed, found))
            case "duplication":
                yield from self._found_by("jscpd", "write once")
            case "performance.":
                yield from self._changed_code()
            case _:
                return

    def _definitions(self, what: str, wanted: Callable[[Definition], bool]) -> Iterator[str]:
        changed = changed_definitions(self.work.code(self.work.before), self.work.code(self.work.after))
        yield from _told(what, (f"{path}: {name}" for path, name, each in changed if wanted(each)))

    def _changed_code(self) -> Iterator[str]:
        """Name the functions that the work changed; of other languages than Python the files."""
        changed = changed_definitions(self.work.code(self.work.before), self.work.code(self.work.after))
        named = [f"{path}: {name}" for path, name, each in changed if each.ways is not None]
        others = (path for path in self.work.changed if path.endswith(CODE) and not path.endswith(".py"))
        named += (path for path in others if not self.work.is_test(path))
        yield from _told("make faster what the command runs of the changed code", named)

    def _uncovered(self) -> Iterator[str]:
        """Name functions that no test enters, then lines of the others that no test reaches."""
        missed = self.coverage.uncovered_changed if self.coverage else {}
        whole: list[str] = []
        parts: list[str] = []
        for path, lines in missed.items():
            left = set(lines)
            for name, first, last, entry in functions_of_file(path, self.work.after.get(path, "")):
                inside = {line for line in left if first <= line <= last}
                if entry in inside:
                    whole.append(f"{path}: {name}")
                elif inside:
                    parts.append(f"{path}: {name} (lines {spans_told(tuple(sorted(inside)))})")
                left -= inside
            if left:
                parts.append(f"{path} (lines {spans_told(tuple(sorted(left)))})")
        yield from _told("priority 1: add tests for functions that no test calls", whole)
        yield from _told(f"priority {2 if whole else 1}: add tests for lines that no test reaches", parts)

    def _found_by(self, source: str, what: str) -> Iterator[str]:
        yield from _told(what, (_placed(each) for each in self.findings if each.source == source))


def functions_of_file(path: str, source: str) -> Iterator[tuple[str, int, int, int]]:
    """Yield name, first and last line of each function, and the line that every call enters."""
    if path.endswith(".py"):
        for name, each in definitions(source).items():
            if isinstance(each.node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = each.node.body[each.documented :] or each.node.body
                yield name, each.node.lineno, each.node.end_lineno or each.node.lineno, body[0].lineno
        return
    suffix = suffix_of(path)
    parser = parser_of(suffix) if suffix else None
    for name, node in functions_of(parser.parse(source.encode()).root_node) if parser else ():
        block = node.child_by_field_name("body")
        inner = [each for each in block.named_children if each.type != "comment"] if block else []
        entry = inner[0] if inner else node
        yield name, node.start_point[0] + 1, node.end_point[0] + 1, entry.start_point[0] + 1


def _placed(finding: Finding) -> str:
    place = f"{finding.file}:{finding.line} " if finding.file else ""
    return f"{place}{finding.message}"


def _told(what: str, every: Iterable[str]) -> Iterator[str]:
    names = list(every)
    if names:
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        yield f"{what}: {', '.join(names[:MOST_NAMED])}{more}"
