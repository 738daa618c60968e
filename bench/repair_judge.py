"""Judges what was offered in `bench/repair.py`: by all tests, and by tests written for the original."""

from __future__ import annotations

import ast
import shutil
import subprocess
import tempfile
from pathlib import Path

from repair_trees import Package, interpreter, run_tests

from setpoint_mechanic.engine.wire.cover import CoverRequest
from setpoint_mechanic.engine.wire.order import argv_of, read_cover
from setpoint_probe.source.import_roots import module_of
from setpoint_probe.source.source import FunctionNode
from setpoint_probe.wire.answer import UnreadableAnswer

WRITING_S = 15.0
"""Seconds for writing tests of the functions that a patch changed."""
SUITE_S = 240.0


def verified(where: Package, tree: Path, folder: Path) -> bool:
    """Tell whether every test that passed on the original passes with the patch, in a fresh process."""
    told = run_tests(tree, folder, None, timeout_s=SUITE_S)
    return told is not None and all(told["outcomes"].get(test) == "passed" for test in where.green)


def correct(where: Package, tree: Path, files: set[str], folder: Path) -> bool | None:
    """Tell whether tests written for the original of these files pass with the patch.

    None where none could be written.
    """
    known = False
    for file in sorted(files):
        target = _written(where.root, file, _changed(where.root / file, tree / file), folder)
        if target is None:
            continue
        known = True
        beside = tree / target.name
        shutil.copy(target, beside)
        told = run_tests(tree, folder, None, timeout_s=60.0, only=(target.name,))
        beside.unlink()
        outcomes = set(told["outcomes"].values()) if told else set()
        if "passed" not in outcomes or "failed" in outcomes:
            return False
    return True if known else None


def _changed(original: Path, patched: Path) -> tuple[int, ...]:
    """Give the original's lines of the functions that the patch changed."""
    before, after = (ast.parse(path.read_bytes()) for path in (original, patched))
    texts = [ast.dump(node) for node in ast.walk(after) if isinstance(node, FunctionNode)]
    lines: set[int] = set()
    for node in ast.walk(before):
        if isinstance(node, FunctionNode) and ast.dump(node) not in texts:
            lines |= set(range(node.body[0].lineno, (node.end_lineno or node.lineno) + 1))
    return tuple(sorted(lines))


def _written(root: Path, file: str, lines: tuple[int, ...], folder: Path) -> Path | None:
    """Write tests for lines of the original as if no test reached them; none where nothing was found."""
    if not lines:
        return None
    name = "test_agreement.py"
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as scratch:
        asked, answered = Path(scratch) / "asked.json", Path(scratch) / "answered.json"
        order = CoverRequest(
            tree=str(root),
            file=file,
            module=module_of(root, file),
            target=name,
            missed_lines=lines,
            missed_branches=(),
            tests=tuple(_tests(root)),
            wall_s=WRITING_S,
            scratch=scratch,
        )
        argv = argv_of(str(interpreter(folder)), order, asked, answered)
        try:
            subprocess.run(argv, cwd=root, capture_output=True, timeout=4 * WRITING_S, check=False)
            found = read_cover(answered)
        except (subprocess.TimeoutExpired, UnreadableAnswer):
            return None
    if not found.tests:
        return None
    kept = folder / "agreement" / name
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(found.text, encoding="utf-8")
    return kept


def _tests(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("test_*.py"))[:20]
