"""Let the mechanic's engine mend the Python programs of QuixBugs: a smoke test, no measure of capability.

    python bench/quixbugs.py --copy CHECKOUT [NAME ...]

CHECKOUT is a clone of https://github.com/jkoppel/QuixBugs outside this repository; without one the bench says
so and ends. Each program gets 30 CPU seconds on one core and its own tests. The programs are small, each has
one bug in one line, and their bugs were known when repair engines, this one too, were written: what
matters is that nothing here gets worse. No family of edits exists for this set alone.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from repair_judge import correct
from repair_trees import Package, copied, interpreter, run_tests

from setpoint_mechanic.engine.wire.order import argv_of, read_result
from setpoint_mechanic.engine.wire.repair import Request, Result
from setpoint_probe.wire.answer import UnreadableAnswer

CPU_S = 30.0


def mended(name: str, checkout: Path, folder: Path) -> dict[str, Any]:
    """Give one program to the engine; says what came out."""
    tree = copied(checkout, folder / "tree")
    right = copied(checkout, folder / "right")
    program, tests = f"python_programs/{name}.py", f"python_testcases/test_{name}.py"
    (right / program).write_bytes((right / "correct_python_programs" / f"{name}.py").read_bytes())
    began = time.monotonic()
    result = _asked(tree, program, tests, folder)
    row: dict[str, Any] = {"name": name, "wall_s": round(time.monotonic() - began, 1)}
    if result is None or not result.patches or result.patches[0].remaining:
        return {**row, "plausible": False, "status": result.status if result else "no answer"}
    best = result.patches[0]
    (tree / program).write_text(best.text, encoding="utf-8")
    told = run_tests(tree, folder, None, timeout_s=60.0, only=(tests,))
    same = ast.dump(_bare(tree / program)) == ast.dump(_bare(right / program))
    package = Package(name, right, {}, frozenset())
    return {
        **row,
        "plausible": True,
        "cpu_s": result.cpu_s,
        "first_s": result.seconds.get("first"),
        "template": best.template,
        "verified": told is not None and set(told["outcomes"].values()) - {"skipped"} == {"passed"},
        "identical": same,
        "correct": same or correct(package, tree, {program}, folder),
    }


def _bare(path: Path) -> ast.Module:
    """Parse a program without what it tells of itself."""
    tree = ast.parse(path.read_bytes())
    tree.body = [node for node in tree.body if not isinstance(node, ast.Expr)]
    return tree


def _asked(tree: Path, program: str, tests: str, folder: Path) -> Result | None:
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as scratch:
        asked, answered = Path(scratch) / "asked.json", Path(scratch) / "answered.json"
        order = Request(
            tree=str(tree),
            failing=(tests,),
            cpu_s=CPU_S,
            wall_s=4 * CPU_S,
            sources=(program,),
            pytest_args=(tests,),
            scratch=scratch,
        )
        argv = argv_of(str(interpreter(folder)), order, asked, answered)
        try:
            subprocess.run(argv, cwd=tree, capture_output=True, timeout=5 * CPU_S, check=False)
            return read_result(answered)
        except (subprocess.TimeoutExpired, UnreadableAnswer):
            return None


def main() -> None:
    """Mend the programs that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="only these programs")
    parser.add_argument("--copy", type=Path, help="a clone of QuixBugs")
    parser.add_argument("--folder", type=Path, help="folder for the environment; a temporary one otherwise")
    wanted = parser.parse_args()
    if wanted.copy is None or not (wanted.copy / "python_testcases").is_dir():
        sys.stderr.write("skipped: --copy names no clone of QuixBugs\n")
        return
    found = sorted(path.stem[5:] for path in (wanted.copy / "python_testcases").glob("test_*.py"))
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as temporary:
        folder = (wanted.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        for name in wanted.names or found:
            rows.append(mended(name, wanted.copy.resolve(), folder))
            print(json.dumps(rows[-1]), flush=True)
    counts = {what: sum(bool(row.get(what)) for row in rows) for what in ("plausible", "verified", "correct")}
    print(json.dumps({"programs": len(rows), **counts}))


if __name__ == "__main__":
    main()
