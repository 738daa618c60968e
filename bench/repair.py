"""Seed bugs into the sources of real packages and let the mechanic's engine mend them.

    python bench/repair.py [--folder FOLDER] [--singles 11] [--doubles 3] [--only PACKAGE ...]
    python bench/repair.py --folder FOLDER --report [--label NAME]

The bugs are drawn by fixed seeds and kept in FOLDER/bugs; only those that turn a test red count. Each is
given to the engine on one core, and a line is added to `results-LABEL.jsonl` as soon as it is done: a run can
be stopped and gone on with. It goes round the packages, so that what is done so far is a fair sample.

*Plausible*: the engine offers a patch that clears all failing tests. *Verified*: all tests of the package
that passed before the bug pass with the best patch, in a process of their own. *Correct*: the best patch
gives back the original program, or behaves as the original does in every test that the generator of `setpoint
cover` writes for the original's changed functions. Two bugs are mended in turns, as the loop would do it,
within the same time. The time is CPU seconds on one core.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from repair_bugs import chosen, sites
from repair_judge import correct, verified
from repair_report import report
from repair_trees import FRESH, TUNED, Package, copied, interpreter, package, run_tests

from setpoint_mechanic.engine.wire.order import argv_of, read_result
from setpoint_mechanic.engine.wire.repair import Request, Result
from setpoint_probe.source.source import FunctionNode, Source, Splice, splice
from setpoint_probe.wire.answer import UnreadableAnswer

SINGLE, DOUBLE = 11, 3
"""Bugs for each package."""
MOST_RED = 400
"""A bug that turns more tests red breaks the package as a whole; nobody would commit it."""
_PATIENCE = 2.5
"""Wall seconds allowed for each CPU second: the machine may be busy with other things."""
Bug = dict[str, Any]


def planned(where: Package, folder: Path, kind: str, most: int) -> list[Bug]:
    """Draw the first bugs of one kind (`single`, `double`) in a package, unless that was done before."""
    kept = folder / "bugs" / f"{where.name}-{kind}.json"
    state: Bug = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {"tried": 0, "bugs": []}
    tree = folder / "drawing" / where.name
    functions = _functions(where)
    while len(state["bugs"]) < most and state["tried"] < 12 * SINGLE and functions:
        if not tree.exists():
            copied(where.root, tree)
        rng = random.Random(f"{where.name} {kind} {state['tried']}")
        state["tried"] += 1
        drawn = [_one(where, folder, tree, rng.choice(functions), rng) for _ in range(1 + (kind == "double"))]
        bugs = [bug for bug in drawn if bug]
        used = Counter((bug["file"], bug["function"]) for entry in state["bugs"] for bug in entry["bugs"])
        if len(bugs) == len(drawn) and all(used[bug["file"], bug["function"]] < 2 for bug in bugs):
            failing = bugs[0]["failing"] if kind == "single" else _both(where, folder, tree, bugs)
            if failing:
                name = f"{where.name}-{kind}-{len(state['bugs']) + 1}"
                entry = {"name": name, "package": where.name, "bugs": bugs, "failing": failing}
                state["bugs"].append(entry)
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(json.dumps(state, indent=1), encoding="utf-8")
    return list(state["bugs"][:most])


def _functions(where: Package) -> list[tuple[str, str, int, int]]:
    found: list[tuple[str, str, int, int]] = []
    for file, lines in where.reached.items():
        parts = Path(file).parts
        if (
            not file.endswith(".py")
            or {"tests", "test", "docs", "examples"} & set(parts)
            or "test" in parts[-1]
        ):
            continue
        tree = ast.parse((where.root / file).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, FunctionNode):
                inside = range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1)
                if any(lines.get(str(line)) for line in inside):
                    found.append((file, node.name, node.lineno, node.end_lineno or node.lineno))
    return sorted(found)


def _one(
    where: Package, folder: Path, tree: Path, place: tuple[str, str, int, int], rng: random.Random
) -> Bug | None:
    """Make one bug on a line that tests reach, and keep it if it turns some of them red."""
    file, name, first, last = place
    source = Source.read(str(where.root / file))
    node = next(
        each for each in ast.walk(source.tree) if isinstance(each, FunctionNode) and each.lineno == first
    )
    drawn = chosen(sites(source, node), rng)
    if drawn is None:
        return None
    family, kind, edits = drawn
    line = source.data.count(b"\n", 0, min(edit.start for edit in edits)) + 1
    tests = sorted(
        {t for at in range(first, last + 1) for t in where.reached[file].get(str(at), ())} & where.green
    )
    data = splice(source.data, edits)
    try:
        changed = ast.dump(ast.parse(data)) != ast.dump(source.tree)
    except SyntaxError:
        return None
    if not tests or not changed or not where.reached[file].get(str(line)):
        return None
    path = tree / file
    path.write_bytes(data)
    told = run_tests(tree, folder, tests)
    path.write_bytes(source.data)
    failing = [test for test in tests if told and told["outcomes"].get(test, "failed") == "failed"]
    if told is None or not failing or len(failing) > MOST_RED or not told["outcomes"]:
        return None
    lines = source.text.splitlines()
    return {
        "file": file,
        "function": name,
        "line": line,
        "family": family,
        "kind": kind,
        "edits": edits,
        "was": lines[line - 1].strip(),
        "is": data.decode().splitlines()[line - 1].strip(),
        "failing": failing,
        "tests": tests,
    }


def _both(where: Package, folder: Path, tree: Path, pair: list[Bug]) -> list[str]:
    """Give the tests that two bugs turn red together; none where they meet in one place."""
    tests = sorted({*pair[0]["tests"], *pair[1]["tests"]})
    paths = seeded(tree, pair)
    told = run_tests(tree, folder, tests)
    for path in paths:
        path.write_bytes((where.root / path.relative_to(tree)).read_bytes())
    if told is None or len(paths) < len({str(bug["file"]) for bug in pair}):
        return []
    return [test for test in tests if told["outcomes"].get(test, "failed") == "failed"]


def seeded(tree: Path, bugs: list[Bug]) -> list[Path]:
    """Put bugs into a tree; gives the files that were changed, none where two bugs meet."""
    by_file: dict[Path, list[tuple[int, int, str]]] = {}
    for bug in bugs:
        by_file.setdefault(tree / str(bug["file"]), []).extend(bug["edits"])
    changed: list[Path] = []
    for path, edits in by_file.items():
        try:
            data = splice(path.read_bytes(), tuple(Splice(*edit) for edit in edits))
        except ValueError:
            continue
        path.write_bytes(data)
        changed.append(path)
    return changed


def mended(entry: Bug, folder: Path, seconds: float) -> Bug:
    """Give one bug to the engine, again where a part was mended; says what came out."""
    where = package(entry["package"], folder)
    tree = copied(where.root, folder / "work" / str(os.getpid()))
    seeded(tree, entry["bugs"])
    began, failing, used_s = time.monotonic(), list(entry["failing"]), 0.0
    told: list[Result | None] = []
    patched: set[str] = set()
    while failing and used_s < 0.9 * seconds and len(told) < 3:
        result = _asked(tree, failing, folder, seconds - used_s)
        told.append(result)
        used_s += result.cpu_s if result else seconds
        if result is None or not result.patches:
            break
        best = result.patches[0]
        (tree / best.file).write_text(best.text, encoding="utf-8", newline="")
        patched.add(best.file)
        failing = list(best.remaining)
    wall_s = time.monotonic() - began
    plausible = bool(told) and told[-1] is not None and bool(told[-1].patches) and not failing
    row: Bug = {
        "name": entry["name"],
        "wall_s": round(wall_s, 1),
        "plausible": plausible,
        "rounds": len(told),
    }
    row |= _facts([each for each in told if each is not None])
    original = {str(bug["file"]) for bug in entry["bugs"]} | patched
    row["original"] = plausible and all(_same(where.root / file, tree / file) for file in sorted(original))
    row["verified"] = plausible and (row["original"] or verified(where, tree, folder))
    row["correct"] = plausible and (
        row["original"] or (row["verified"] and correct(where, tree, original, folder))
    )
    return row


def _asked(tree: Path, failing: list[str], folder: Path, seconds: float) -> Result | None:
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as scratch:
        asked, answered = Path(scratch) / "asked.json", Path(scratch) / "answered.json"
        order = Request(
            tree=str(tree),
            failing=tuple(failing),
            cpu_s=seconds,
            wall_s=_PATIENCE * seconds,
            extra_s=2.0,
            scratch=scratch,
        )
        python = interpreter(folder)
        environment = {
            "PATH": f"{python.parent}:/usr/bin:/bin",
            "HOME": scratch,
            "TMPDIR": scratch,
            "LANG": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        }
        core = str(max(os.sched_getaffinity(0)))
        try:
            subprocess.run(
                ["taskset", "-c", core, *argv_of(str(python), order, asked, answered)],
                cwd=tree,
                env=environment,
                capture_output=True,
                timeout=seconds * _PATIENCE + 60,
                check=False,
            )
            return read_result(answered)
        except (subprocess.TimeoutExpired, UnreadableAnswer):
            return None


def _facts(results: list[Result]) -> Bug:
    if not results:
        return {"status": "no answer"}
    last = results[-1]
    best = next((each.patches[0] for each in reversed(results) if each.patches), None)
    return {
        "status": last.status,
        "reason": last.reason[:200],
        "cpu_s": round(sum(each.cpu_s for each in results), 1),
        "first_s": results[0].seconds.get("first"),
        "tried": sum(each.tried for each in results),
        "candidates": sum(each.candidates for each in results),
        "timeouts": sum(each.timeouts for each in results),
        "mode": last.mode,
        "mode_reason": last.mode_reason,
        "seconds": last.seconds,
        "failing": len(results[0].failing),
        "template": best.template if best else "",
        "diff": best.diff[-700:] if best else "",
        "offered": len(last.patches),
        "suspects": [[each.file, each.line, each.score] for each in last.suspects[:8]],
    }


def _same(left: Path, right: Path) -> bool:
    return ast.dump(ast.parse(left.read_bytes())) == ast.dump(ast.parse(right.read_bytes()))


def main() -> None:
    """Draw what is missing, mend what has no line yet, or print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--folder", type=Path, help="folder to work in and to go on from; else a temporary one"
    )
    parser.add_argument("--singles", type=int, default=SINGLE, help="single bugs in each package")
    parser.add_argument("--doubles", type=int, default=DOUBLE, help="double bugs in each package")
    parser.add_argument("--only", nargs="*", default=(), metavar="PACKAGE", help="only these packages")
    parser.add_argument("--seconds", type=float, default=120.0, help="time for each bug")
    parser.add_argument("--label", default="now", help="name of the lines written and read")
    parser.add_argument("--report", action="store_true", help="print the table of what is there")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as temporary:
        folder = (wanted.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        names = [name for name in (*TUNED, *FRESH) if not wanted.only or name in wanted.only]
        results = folder / f"results-{wanted.label}.jsonl"
        if not wanted.report:
            for place in range(max(wanted.singles, wanted.doubles)):
                for name in names:
                    most = {
                        "single": min(place + 1, wanted.singles),
                        "double": min(place + 1, wanted.doubles),
                    }
                    _work(name, most, results, folder, wanted.seconds)
        report(folder, results)


def _work(name: str, most: dict[str, int], results: Path, folder: Path, seconds: float) -> None:
    """Mend the first bugs of a package that have no line yet."""
    done = (
        {json.loads(line)["name"] for line in results.read_text().splitlines()} if results.exists() else set()
    )
    where = package(name, folder)
    for bug in [bug for kind, count in most.items() for bug in planned(where, folder, kind, count)]:
        if bug["name"] not in done:
            row = mended(bug, folder, seconds)
            with results.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row) + "\n")
            shown = {
                key: row.get(key)
                for key in ("plausible", "verified", "correct", "wall_s", "cpu_s", "template")
            }
            print(bug["name"], bug["bugs"][0]["kind"], shown, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
