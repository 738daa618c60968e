"""What the tests of scripts reach of named files, in a measured tree or in one that an agent works in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from setpoint.checks.formats.coverage.statements import Start, statements_of
from setpoint.checks.parsing import functions_of, is_script, parser_of, suffix_of
from setpoint.checks.suites.package_coverage import is_code, reached_by, watched
from setpoint.checks.suites.package_suite import PackageSuite
from setpoint.checks.suites.watched_runs import Gathered
from setpoint.model.cover import CoveredFile, CoveredFunction
from setpoint.model.evidence import TestReport, whole_suite

if TYPE_CHECKING:
    from tree_sitter import Node

_WAYS = frozenset(
    {
        "if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement", "switch_case",
        "catch_clause", "ternary_expression",
    }
)  # fmt: skip


def is_script_source(file: str) -> bool:
    """Whether a file is a source of JavaScript or TypeScript, no test."""
    return is_script(suffix_of(file)) and is_code(file)


def scripts_within(paths: Sequence[str], files: Iterator[str] | Sequence[str]) -> tuple[str, ...]:
    """Return the sources of JavaScript and TypeScript at or under the paths, tests left out."""
    names = tuple("" if path in (".", "./") else path.rstrip("/").removeprefix("./") for path in paths)
    return tuple(
        file
        for file in sorted(files)
        if is_script_source(file)
        and any(not name or file == name or file.startswith(f"{name}/") for name in names)
    )


@dataclass(frozen=True, kw_only=True)
class ScriptReach:
    """What one watched run of the tests gave."""

    runs: tuple[Gathered, ...]
    tests: TestReport | None
    lines: Mapping[str, tuple[frozenset[int], frozenset[int]]]
    """Lines that ran and lines that did not, by file."""

    @property
    def why(self) -> str:
        """Say why nothing is known; empty where it is."""
        broken = next((each.why for each in self.runs if each.why), "")
        return broken or ("" if self.tests else "the runner wrote no report of its tests")

    @property
    def reached(self) -> frozenset[tuple[str, int]]:
        """Return file and line of all that ran."""
        return frozenset((file, line) for file, (hit, _) in self.lines.items() for line in hit)


async def reach_of(
    suite: PackageSuite,
    tree: Path,
    files: Sequence[str],
    *,
    folder: str | None = None,
    words: tuple[str, ...] = (),
) -> ScriptReach:
    """Run the tests of all packages or of one, all or what the words select, and see what they reach."""
    statements: dict[str, tuple[Start, ...]] = {}
    for file in files:
        source = tree / file
        found = statements_of(file, source.read_bytes()) if source.is_file() else None
        statements[file] = found or ()
    folders = suite.folders if folder is None else (folder,)
    runs = [await watched(suite, tree, each, statements, words) for each in folders]
    reached = reached_by(runs, statements)
    return ScriptReach(
        runs=tuple(runs),
        tests=whole_suite(each.report for each in runs if each.report is not None),
        lines={file: (found.executed, found.missing) for file, found in reached.files.items()},
    )


def covered_files(reach: ScriptReach, tree: Path) -> tuple[CoveredFile, ...]:
    """Return what was reached, by file and function."""
    return tuple(
        CoveredFile(
            file=file,
            lines=len(hit) + len(missed),
            missed_lines=tuple(sorted(missed)),
            functions=tuple(_functions(file, tree / file, hit, missed)),
        )
        for file, (hit, missed) in reach.lines.items()
    )


def _functions(
    file: str, place: Path, hit: frozenset[int], missed: frozenset[int]
) -> Iterator[CoveredFunction]:
    parser = parser_of(suffix_of(file))
    root = parser.parse(place.read_bytes()).root_node if parser and place.is_file() else None
    for name, node in functions_of(root) if root is not None else ():
        first, last = node.start_point[0] + 1, node.end_point[0] + 1
        block = node.child_by_field_name("body")
        own = range(first, last + 1)
        lines = [line for line in (*hit, *missed) if line in own]
        if not lines or block is None:
            continue
        owner, _, _ = name.rpartition(".")
        yield CoveredFunction(
            name=name,
            owner=owner,
            first=first,
            last=last,
            complexity=1 + sum(1 for _ in _ways(node)),
            lines=len(lines),
            missed_lines=tuple(sorted(line for line in missed if line in own)),
        )


def _ways(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in _WAYS:
            yield child
        yield from _ways(child)
