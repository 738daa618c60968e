"""Files that hold tests and that pytest's own pattern of file names does not collect."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from setpoint.checks.discovery.layout import Layout
from setpoint.checks.formats.tests.pytest_report import Suite
from setpoint.model.wording import counted

_TEST = re.compile(r"^(?:class (Test\w*|\w+(?=\(.*TestCase\)))|(?:async )?def (test_\w+))", re.MULTILINE)
_MOST_READ = 500


def outside_pattern(suite: Suite, tree: Path, layout: Layout) -> str:
    """Say which files hold tests and are not collected for their names, with a hint; empty where none is.

    The pattern and the places are those that pytest itself reported.
    """
    if not suite.patterns:
        return ""
    names = {part for test in suite.collected for part in test.partition("[")[0].split("::")}
    unmatched = [file for file in layout.tests if not _matches(file, suite.patterns)]
    inside = [file for file in unmatched if _within(file, suite.places)][:_MOST_READ]
    missed = [file for file in inside if file not in names and not _tests_in(tree / file) <= names]
    if not missed:
        return ""
    first = PurePosixPath(missed[0])
    more = f" and {counted(len(missed) - 1, 'more file')}" if len(missed) > 1 else ""
    holds = "holds tests" if len(missed) == 1 else "hold tests"
    pattern, config = " ".join(suite.patterns), layout.configured.get("pytest", "pyproject.toml")
    return (
        f"{first}{more} {holds} that pytest does not collect: its pattern is python_files = {pattern}; "
        f"hint: git mv {first} {first.with_name(f'test_{first.name}')}, "
        f"or add {first.name} to python_files in {config}"
    )


def _matches(file: str, patterns: Iterable[str]) -> bool:
    """Match as pytest does: a pattern with a slash is one of the whole path."""
    name = file.rpartition("/")[2]
    return any(fnmatch(f"/{file}", f"*/{each}") if "/" in each else fnmatch(name, each) for each in patterns)


def _within(file: str, places: Iterable[str]) -> bool:
    return any(place in (".", file) or file.startswith(f"{place}/") for place in places)


def _tests_in(place: Path) -> set[str]:
    """Name the tests that a file defines; those that other files import are collected there."""
    try:
        text = place.read_text("utf-8", "replace")
    except OSError:
        return set()
    return {match[1] or match[2] for match in _TEST.finditer(text)}
