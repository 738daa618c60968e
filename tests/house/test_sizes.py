"""Files, functions and names stay as small and plain as the house style says."""

from __future__ import annotations

import ast
import re
import tokenize
from pathlib import Path

from house.source import functions, python_files, shown, tree_of

LONGEST_FILE = 400
LONGEST_FUNCTION = 50

EXCEPTIONS: dict[str, str] = {
    "src/setpoint/cli/project/cover.py::cover": "one annotated argument for each flag; the body is short",
    "src/setpoint/cli/project/metrics.py::metrics": "one annotated argument for each flag; the body is short",
    "src/setpoint/cli/runs/run.py::run": "one annotated argument for each flag; the body is short",
}
"""Functions (`path::name`) or files (`path`) that may be longer, each with its reason."""

VAGUE = frozenset({"base", "common", "core", "handler", "handlers", "helper", "helpers", "impl"}) | {
    "manager",
    "processor",
    "service",
    "util",
    "utils",
}
"""Words that say nothing about what a thing is."""

READERS = {
    "src/setpoint/settings.py": "the one place that reads it for Setpoint",
    "src/setpoint_probe/plugin/setpoint_report.py": "no part of Setpoint's process: pytest loads it",
    "src/setpoint_probe/plugin/setpoint_line_traces.py": "as above",
    "src/setpoint_probe/calls/recorder.py": "as above: it asks pytest which test runs",
    "src/setpoint_probe/calls/replay.py": "nor is this: it sets what the tests had set",
    "src/setpoint_probe/plugin/setpoint_unittest_runner.py": "nor is this: the project's interpreter runs it",
    "src/setpoint/system/processes/narrow.py": "no part of Setpoint's process: it becomes a test program",
    "src/setpoint_mechanic/engine/generate/replay.py": "as above: it hands its own on, with another seed",
}
"""Who may read the environment, and why."""

SILENCED = re.compile(r"#\s*(?:noqa|type: ignore|pragma: no (?:cover|branch)|nosec)")
EXPLAINED = re.compile(
    r"#\s*(?:noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*|type: ignore\[[\w, -]+\]|pragma: no \w+|nosec \w+)"
    r"\s+[-#:]+\s*(?:as above|the same|see \w+|\S.{9,})"
)
"""The rule by its code, then ` - ` (or a second `#`) and a reason."""

FOLDERS = ("src", "tests", "bench", "docs")


def test_no_file_is_too_long():
    long = {
        shown(path): lines
        for path in python_files(*FOLDERS)
        if (lines := len(path.read_text("utf-8").splitlines())) > LONGEST_FILE
    }
    assert {name: lines for name, lines in long.items() if name not in EXCEPTIONS} == {}


def test_no_function_is_too_long():
    long = {
        f"{shown(path)}::{name}": lines
        for path in python_files(*FOLDERS)
        for name, tree in functions(path)
        if (lines := (tree.end_lineno or tree.lineno) - tree.lineno + 1) > LONGEST_FUNCTION
    }
    assert {name: lines for name, lines in long.items() if name not in EXCEPTIONS} == {}


def test_every_exception_is_still_needed_and_explained():
    existing = {shown(path) for path in python_files(*FOLDERS)}
    existing |= {f"{shown(path)}::{name}" for path in python_files(*FOLDERS) for name, _ in functions(path)}
    assert set(EXCEPTIONS) <= existing
    assert all(len(reason) > 20 for reason in EXCEPTIONS.values())


def test_names_say_what_a_thing_is():
    vague = [
        f"{shown(path)}: {node.name}"
        for path in python_files("src")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ClassDef) and VAGUE & set(_words(node.name))
    ]
    vague += [shown(path) for path in python_files("src") if path.stem in VAGUE]
    assert vague == []


def test_a_silenced_rule_has_a_reason():
    bare = [
        f"{shown(path)}:{line}: {comment}"
        for path in python_files("src")
        for line, comment in _comments(path)
        if SILENCED.match(comment) and not EXPLAINED.match(comment)
    ]
    assert bare == []


def test_only_the_settings_read_the_environment():
    readers = {
        shown(path)
        for path in python_files("src")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        and node.attr in {"environ", "getenv", "environb"}
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
    }
    assert readers - set(READERS) == set()


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def _comments(path: Path) -> list[tuple[int, str]]:
    with path.open("rb") as lines:
        return [
            (token.start[0], token.string)
            for token in tokenize.tokenize(lines.readline)
            if token.type == tokenize.COMMENT
        ]
