"""Seed single-token bugs into real packages; see at which rank the line at fault is found, at which price.

    python bench/localise.py [--bugs N] [--seed S] [--limit SECONDS] FOLDER [FOLDER ...]

A folder holds the unpacked sources of a package with its tests, which pass. Each bug changes one operator,
constant or keyword inside a function; bugs that no test notices are left out. Reported per bug: the rank of
its line among the suspects, and the CPU seconds of the whole suite and of looking for the line. Nothing is
compared with a change here, so every line is a candidate; in a run, the lines of the change come first.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import io
import json
import os
import random
import shutil
import sys
import tempfile
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from setpoint.checks.discovery.interpreter import find_interpreter
from setpoint.checks.discovery.layout import read_layout
from setpoint.checks.localise.python_spectra import PythonSpectra
from setpoint.checks.localise.suspicious_lines import Localiser
from setpoint.checks.suites.pytest import Runner, TestSuite
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evaluation import Stage
from setpoint.model.ids import Commit, TraceId, Tree
from setpoint.ports import Measured, WorkCopy
from setpoint.presets.check_settings import ChecksSettings
from setpoint.system.files.artifacts import Artifacts

OTHER = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+", "*": "+",
    "//": "/", "and": "or", "or": "and", "True": "False", "False": "True", "+=": "-=", "-=": "+=",
    "break": "continue", "is": "is not", "in": "not in", "min": "max", "max": "min", "0": "1", "1": "2",
}  # fmt: skip


class Bug(NamedTuple):
    """One token that is to be another."""

    file: str
    line: int
    column: int
    old: str


def bugs(root: Path, chance: random.Random) -> Iterator[Bug]:
    """Give possible bugs in random order."""
    found: list[Bug] = []
    for path in root.rglob("*.py"):
        name = path.relative_to(root).as_posix()
        if is_test_path(name) or name.startswith(("docs/", "setup")):
            continue
        text = path.read_text("utf-8")
        inside = {line for first, last in _bodies(text) for line in range(first, last + 1)}
        found += [
            Bug(name, *token.start, token.string)
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.string in OTHER and token.start[0] in inside
        ]
    chance.shuffle(found)
    yield from found


def _bodies(text: str) -> Iterator[tuple[int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.body[0].lineno, node.end_lineno or node.lineno


def put(root: Path, bug: Bug) -> bool:
    """Put a bug into a copy; false where the file does not parse with it."""
    path = root / bug.file
    lines = path.read_text("utf-8").splitlines(keepends=True)
    line = lines[bug.line - 1]
    lines[bug.line - 1] = line[: bug.column] + OTHER[bug.old] + line[bug.column + len(bug.old) :]
    try:
        ast.parse("".join(lines))
    except SyntaxError:
        return False
    path.write_text("".join(lines), "utf-8")
    return True


def cpu_s() -> float:
    """Give the CPU seconds of all that was started and has ended."""
    times = os.times()
    return times.children_user + times.children_system


async def looked(root: Path, bug: Bug, limit_s: float) -> dict[str, object] | None:
    """Run the suite and look for the line; none where no test notices the bug."""
    files = tuple(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    small = {file: (root / file).read_text("utf-8", "replace") for file in files if "/" not in file}
    runner = Runner(
        interpreter=await find_interpreter(root, ChecksSettings(python=sys.executable)),
        layout=read_layout(files, small),
        artifacts=Artifacts(root.parent / "artifacts"),
        timeout_s=900,
        args=tuple(word for name in ("asyncio", "hypothesispytest") for word in ("-p", f"no:{name}")),
    )
    copy = WorkCopy(trace_id=TraceId("bench"), path=str(root), base=Commit("b"), base_tree=Tree("t"))
    measured = Measured(copy=copy, commit=Commit("c"), tree=Tree("t"), stage=Stage.TEST)
    began = cpu_s()
    tested = await TestSuite(runner=runner).run(measured)
    suite_s = cpu_s() - began
    if tested.tests is None or not tested.tests.failures:
        return None
    localiser = Localiser(spectra=(PythonSpectra(runner=runner, files=files),), limit_s=limit_s, changed={})
    found = await localiser.look(measured, tested.tests.failures)
    rank = next((each.rank for each in found.suspects if (each.file, each.line) == bug[:2]), None)
    return {
        "package": root.name, "file": bug.file, "line": bug.line, "rank": rank, "how": found.how,
        "suite_cpu_s": round(suite_s, 2), "looking_cpu_s": round(cpu_s() - began - suite_s, 2),
    }  # fmt: skip


def main() -> None:
    """Seed, look, report one line of JSON per bug and the shares at the end."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--bugs", type=int, default=10, help="bugs per package")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for looking")
    asked = parser.parse_args()
    ranks: list[int | None] = []
    for folder in asked.folders:
        left = asked.bugs
        for bug in bugs(folder, random.Random(asked.seed)):
            with tempfile.TemporaryDirectory() as scratch:
                root = Path(shutil.copytree(folder, Path(scratch) / folder.name))
                result = asyncio.run(looked(root, bug, asked.limit)) if put(root, bug) else None
            if result is not None:
                print(json.dumps(result), flush=True)
                ranks.append(result["rank"] if isinstance(result["rank"], int) else None)
                left -= 1
            if not left:
                break
    for most in (1, 3, 5, 10):
        within = sum(rank is not None and rank <= most for rank in ranks)
        print(f"within the first {most}: {within} of {len(ranks)}")


if __name__ == "__main__":
    main()
