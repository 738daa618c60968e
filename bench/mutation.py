"""Judge the mutants of modules of a real package with Setpoint and with mutmut, one after the other.

    python bench/mutation.py [--folder FOLDER] [--wall 400] [MODULE ...]

The package comes from the package index and lies in FOLDER, outside the repository, with an environment for
each tool. Both use one process, and the same tests. Printed as a Markdown table: mutants, seconds from start
to end, mutants a second and their ratio, what goes into code that runs at import (mutmut leaves it out) and
the ratio without it, the rate of judging alone, the score of each tool, and the scores on what both made: the
mutants that turn the same line into the same other line. The rate of judging is what mutmut prints as
mutations a second: mutants that a test reaches, by the time from the first trial to the last. Without MODULE
all that have a file of tests of their own are judged. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from environments import environment
from repair_trees import copied, unpacked

from setpoint.checks.mutation.answer import report_of
from setpoint.model.mutation import MutationReport
from setpoint_probe.wire.order import argv_of, read_score
from setpoint_probe.wire.score import ScoreRequest

PACKAGE, VERSION = "boltons", "26.2.0"
HEAD = (
    "| module | mutants | s | per s | mutmut's | s | per s | ratio | at import | s | ratio without "
    "| judging, per s | mutmut's | ratio "
    "| score | mutmut's | made by both | score | mutmut's | verdicts alike |"
)
SHOWN = """
import json, sys
from click.testing import CliRunner
from mutmut.__main__ import cli
told = CliRunner().invoke(cli, ["results", "--all", "true"]).output
found = []
for line in told.splitlines():
    name, _, status = line.strip().rpartition(": ")
    if name:
        found.append([name, status, CliRunner().invoke(cli, ["show", name]).output])
json.dump(found, open(sys.argv[1], "w"))
"""
Change = tuple[str, str]
"""A line as it stands and as it reads in the mutant."""


class Judged(NamedTuple):
    """What one tool said."""

    seconds: float
    fates: list[tuple[Change, bool]]
    """Every mutant with its change, and whether it was noticed."""
    at_import: int = 0
    """Mutants of code that runs at import, which mutmut leaves out."""
    at_import_s: float = 0.0
    """Seconds that went into these."""
    judging: float = 0.0
    """Mutants a second that a test reaches, without those at import, from the first trial to the last."""

    @property
    def rate(self) -> float:
        """Mutants a second."""
        return len(self.fates) / self.seconds

    @property
    def rate_in_functions(self) -> float:
        """Mutants a second, without those of code that runs at import and their time."""
        return (len(self.fates) - self.at_import) / (self.seconds - self.at_import_s)

    @property
    def score(self) -> float:
        """Share of the mutants that were noticed."""
        return sum(noticed for _, noticed in self.fates) / max(1, len(self.fates))


def tested(root: Path) -> list[str]:
    """Give the modules that have a file of tests of their own."""
    found = sorted((root / "boltons").glob("*.py"))
    return [str(path.relative_to(root)) for path in found if (root / tests_of(path.name)).exists()]


def tests_of(module: str) -> str:
    """Give the file of tests that belongs to a module."""
    return f"tests/test_{Path(module).name}"


def by_setpoint(root: Path, folder: Path, module: str, tests: str, wall_s: float) -> Judged:
    """Judge all mutants of a module with Setpoint's engine."""
    python = environment(folder / "environment", "pytest", "coverage")
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as scratch:
        asked, answered = Path(scratch) / "asked.json", Path(scratch) / "answered.json"
        order = ScoreRequest(
            tree=str(root), targets={module: ()}, wall_s=wall_s, pytest_args=(tests,), scratch=scratch
        )
        argv = argv_of(str(python), order, asked, answered)
        began = time.monotonic()
        subprocess.run(argv, cwd=root, capture_output=True, check=True)
        seconds = time.monotonic() - began
        report = report_of(read_score(answered))
    at_import = sum(each.fresh for each in report.mutants)
    reached = sum(each.verdict not in {"uncovered", "untried"} for each in report.mutants) - at_import
    judging = reached / report.seconds.get("mutants", seconds)
    return Judged(seconds, list(_fates(report)), at_import, report.seconds.get("fresh", 0.0), judging)


def _fates(report: MutationReport) -> list[tuple[Change, bool]]:
    told = [each for each in report.mutants if each.verdict != "untried"]
    return [
        (_change(each.before.splitlines(), each.after.splitlines()), each.verdict in {"killed", "timeout"})
        for each in told
    ]


def by_mutmut(root: Path, folder: Path, module: str, tests: str) -> Judged:
    """Judge all mutants of a module with mutmut, in one process."""
    python = environment(folder / "mutmut", "mutmut", "pytest<9")
    keep = (root / "setup.cfg").read_text(encoding="utf-8") if (root / "setup.cfg").exists() else ""
    package = module.partition("/")[0]
    own = f"[mutmut]\nsource_paths={package}\nonly_mutate={module}\nmax_children=1\n"
    own += f"pytest_add_cli_args_test_selection={tests}\nalso_copy=\n    tests\n    {package}\n"
    (root / "setup.cfg").write_text(f"{keep}\n{own}", encoding="utf-8")
    env = {**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"}
    began = time.monotonic()
    argv = [str(python), "-m", "mutmut", "run", "--max-children", "1"]
    told = subprocess.run(argv, check=True, capture_output=True, cwd=root, env=env, text=True).stdout
    seconds = time.monotonic() - began
    judging = float(re.findall(r"([\d.]+) mutations/second", told)[-1])
    listed = root / "mutants.json"
    argv = [str(python), "-c", SHOWN, str(listed)]
    subprocess.run(argv, check=True, capture_output=True, cwd=root, env=env)
    fates = []
    for _, status, shown in json.loads(listed.read_text(encoding="utf-8")):
        lines = [line for line in shown.splitlines() if not line.startswith(("---", "+++"))]
        out = [line[1:] for line in lines if line.startswith("-")]
        put = [line[1:] for line in lines if line.startswith("+")]
        fates.append((_change(out, put), status in {"killed", "timeout", "segfault"}))
    return Judged(seconds, fates, judging=judging)


def _change(before: list[str], after: list[str]) -> Change:
    return " ".join(line.strip() for line in before), " ".join(line.strip() for line in after)


def row(module: str, ours: Judged, theirs: Judged) -> str:
    """Set two judgements beside each other."""
    mine, other = (Counter(change for change, _ in each.fates) for each in (ours, theirs))
    both = [change for change in mine if mine[change] == other[change] == 1]
    left, right = (dict(each.fates) for each in (ours, theirs))
    cells = [module, len(ours.fates), f"{ours.seconds:.1f}", f"{ours.rate:.1f}", len(theirs.fates)]
    cells += [f"{theirs.seconds:.1f}", f"{theirs.rate:.1f}", f"{ours.rate / theirs.rate:.1f}", ours.at_import]
    cells += [f"{ours.at_import_s:.1f}", f"{ours.rate_in_functions / theirs.rate:.1f}"]
    cells += [f"{ours.judging:.0f}", f"{theirs.judging:.1f}", f"{ours.judging / theirs.judging:.1f}"]
    cells += [f"{ours.score:.0%}", f"{theirs.score:.0%}", len(both)]
    for fates in (left, right):
        cells.append(f"{sum(fates[change] for change in both) / max(1, len(both)):.0%}")
    cells.append(str(sum(left[change] == right[change] for change in both)))
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Judge the modules that are named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", help="only these modules")
    parser.add_argument("--folder", type=Path, help="folder to work in; a temporary one otherwise")
    parser.add_argument("--wall", type=float, default=400.0, help="seconds for Setpoint's engine")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="setpoint-bench-") as temporary:
        folder = (wanted.folder or Path(temporary)).resolve()
        print(f"{HEAD}\n{'|---' * HEAD.count(' | ')}|---|")
        source = unpacked(PACKAGE, VERSION, folder)
        for module in wanted.modules or tested(source):
            tests = tests_of(module)
            root = copied(source, folder / "work" / "setpoint")
            ours = by_setpoint(root, folder, module, tests, wanted.wall)
            root = copied(source, folder / "work" / "mutmut")
            try:
                theirs = by_mutmut(root, folder, module, tests)
            except subprocess.CalledProcessError as error:
                said = str(error.stdout or "").strip()[-300:]
                print(f"{module}: mutmut ends with {error.returncode}: {said}", file=sys.stderr, flush=True)
            else:
                print(row(module, ours, theirs), flush=True)
            shutil.rmtree(folder / "work")


if __name__ == "__main__":
    main()
