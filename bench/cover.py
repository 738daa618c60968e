"""Write tests for modules of real packages whose tests were taken away, beside Pynguin at the same wall time.

    python bench/cover.py [--folder FOLDER] [--seconds 60] [--pynguin PYTHON] [--before TREE] [NAME ...]

Packages come from the package index with pip and lie in FOLDER, outside the repository, without tests. For
each module in one run: the generator with `--seconds`, then Pynguin (where an interpreter that holds it
is named) with the wall time that the generator took. `--before` names a checkout of an earlier commit,
whose generator gets the same time. A second search on what the generator left says how many tests it adds.
What each left is measured in the same way: tests that
fail in a fresh process with other hashes are counted and taken out; of the rest coverage.py gives lines and
branches, and Setpoint's engine the mutation score. Prints a Markdown table. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from environments import environment

from setpoint.checks.mutation.answer import report_of
from setpoint_mechanic.engine.wire.cover import CoverRequest, CoverResult
from setpoint_mechanic.engine.wire.order import argv_of, read_cover
from setpoint_mechanic.generate.test_files import without
from setpoint_probe import ENGINE
from setpoint_probe.source.import_roots import module_of
from setpoint_probe.wire import order as probe
from setpoint_probe.wire.answer import UnreadableAnswer
from setpoint_probe.wire.reach import ReachRequest
from setpoint_probe.wire.score import ScoreRequest

PACKAGES = (
    "boltons==26.2.0",
    "more-itertools==11.2.1",
    "toolz==1.2.0",
    "inflection==0.5.1",
    "aiofiles==25.1.0",
    "aiolimiter==1.3.0",
    "async-timeout==5.0.1",
    "asyncstdlib==3.14.0",
    "filelock==4.3.1",
    "python-dotenv==1.2.4",
    "pytest",
    "coverage",
)
MODULES = (
    "inflection.py",
    "boltons/mathutils.py",
    "boltons/strutils.py",
    "boltons/listutils.py",
    "boltons/timeutils.py",
    "boltons/queueutils.py",
    "boltons/typeutils.py",
    "boltons/formatutils.py",
    "boltons/namedutils.py",
    "boltons/statsutils.py",
    "toolz/itertoolz.py",
    "toolz/dicttoolz.py",
    "toolz/functoolz.py",
    "more_itertools/recipes.py",
    "aiolimiter/leakybucket.py",
    "asyncstdlib/itertools.py",
    "aiofiles/base.py",
    "async_timeout/__init__.py",
    "dotenv/main.py",
    "filelock/_soft/_records.py",
)
"""The last six wait, or read and write files."""
HEAD = "| module | tool | s | tests | fail again | coverage | mutants | |\n" + "|---" * 8 + "|\n"
_SRC = ENGINE.parent
"""Where the generator lies that is measured."""
_WORDS = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=no", "-rfE")


class Figures(NamedTuple):
    """What one tool left for one module."""

    seconds: float
    tests: int
    failing: int
    """Tests that fail when they are run again in a fresh process."""
    coverage: float | None
    mutation: float | None


def project(folder: Path, python: Path, file: str, tool: str) -> Path:
    """Copy a package without its tests to a place of its own."""
    show = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(show, check=True, capture_output=True, text=True).stdout.strip())
    root = folder / "work" / f"{file.replace('/', '-')}-{tool}"
    shutil.rmtree(root, ignore_errors=True)
    top = file.partition("/")[0]
    if (site / top).is_dir():
        shutil.copytree(site / top, root / top, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    else:
        root.mkdir(parents=True)
        shutil.copy(site / top, root)
    (root / "tests").mkdir()
    return root


def generated(root: Path, python: Path, file: str, seconds: float, source: Path = _SRC) -> CoverResult:
    """Have Setpoint's generator write tests into the folder of tests; gives what came of it."""
    with tempfile.TemporaryDirectory() as scratch:
        asked, answered = Path(scratch) / "asked.json", Path(scratch) / "answered.json"

        def ordered(argv: tuple[str, ...]) -> None:
            argv = tuple(word.replace(str(_SRC), str(source), 1) for word in argv)
            answered.unlink(missing_ok=True)  # an engine that breaks leaves no answer of an earlier order
            subprocess.run(argv, cwd=root, capture_output=True, check=False)

        looked = ReachRequest(tree=str(root), files=(file,), scratch=scratch)
        ordered(probe.argv_of(str(python), looked, asked, answered))
        try:
            reach = probe.read_reach(answered)
        except UnreadableAnswer as error:
            return CoverResult(reason=str(error))
        if not reach.files:
            return CoverResult(reason=f"what the tests reach was not measured: {reach.reason}")
        missed = reach.files[0]
        module = module_of(root, file)
        tests = sorted((root / "tests").glob("test_*.py"))
        number = f"_{len(tests) + 1}" if tests else ""
        target = f"tests/test_{module.replace('.', '_')}_pinned{number}.py"
        order = CoverRequest(
            tree=str(root),
            file=file,
            module=module,
            target=target,
            missed_lines=missed.missed_lines,
            missed_branches=missed.missed_branches,
            tests=tuple(path.relative_to(root).as_posix() for path in tests),
            wall_s=seconds,
            scratch=scratch,
        )
        ordered(argv_of(str(python), order, asked, answered))
        try:
            result = read_cover(answered)
        except UnreadableAnswer as error:
            return CoverResult(reason=str(error))
        if result.text:
            (root / target).write_text(result.text, "utf-8")
        return result


def added(root: Path, python: Path, file: str, seconds: float) -> str:
    """Search once more beside the tests that are there; says how many tests that adds."""
    before = set((root / "tests").glob("test_*.py"))
    result = generated(root, python, file, seconds)
    new = set((root / "tests").glob("test_*.py")) - before
    found = sum(_count(path) for path in new)
    for path in new:
        path.unlink()
    if result.status == "not_possible":
        return f"a second search was not possible: {result.reason}"
    return f"a second search adds {found}"


def pynguin(root: Path, python: Path, file: str, seconds: float) -> str:
    """Have Pynguin write tests in the same time; it is ended only when it takes twice as long.

    It asks for shares of the time: for its search, for the mutants that choose its assertions, for slicing.
    """
    words = [
        "--project-path",
        str(root),
        "--module-name",
        module_of(root, file),
        "--output-path",
        str(root / "tests"),
    ]
    for name, share in (("search", 0.45), ("mutation", 0.2), ("slicing", 0.2)):
        words += [f"--maximum-{name}-time", str(max(5, int(seconds * share)))]
    words += ["--subprocess", "--seed", "1"]
    log = root.parent / f"{root.name}.log"
    with log.open("w") as out:
        child = subprocess.Popen(
            [str(python), "-m", "pynguin", *words],
            cwd=root,
            env={**os.environ, "PYNGUIN_DANGER_AWARE": "1", "PYTHONHASHSEED": "0"},
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            child.wait(timeout=seconds * 2)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.wait()
            return "ended: it took more than twice its time"
    return "" if child.returncode == 0 else f"exit code {child.returncode}"


def measured(root: Path, python: Path, file: str, seconds: float, score_s: float = 60.0) -> Figures:
    """Measure what lies in the folder of tests."""
    failing = _failing(root, python, "4242")
    for path in (root / "tests").glob("test_*.py"):
        names = {test.partition("::")[2].partition("[")[0] for test in failing if path.name in test}
        left = without(path.read_bytes(), names) if names else None
        if left is not None:
            path.write_bytes(left)
    tests = sum(_count(path) for path in (root / "tests").glob("test_*.py"))
    if not tests:
        return Figures(seconds, 0, len(failing), None, None)
    coverage = [str(python), "-m", "coverage"]
    run = [*coverage, "run", "--branch", f"--include={file}", "-m", "pytest", *_WORDS, "tests"]
    subprocess.run(run, cwd=root, capture_output=True, check=False, timeout=300)
    subprocess.run([*coverage, "json", "-q", "-o", "told.json"], cwd=root, capture_output=True, check=False)
    told = json.loads((root / "told.json").read_text())["totals"] if (root / "told.json").exists() else {}
    with tempfile.TemporaryDirectory() as scratch:
        asked, answered = Path(scratch) / "asked.json", Path(scratch) / "answered.json"
        order = ScoreRequest(tree=str(root), targets={file: ()}, wall_s=score_s, scratch=scratch)
        argv = probe.argv_of(str(python), order, asked, answered)
        subprocess.run(argv, cwd=root, capture_output=True, check=False)
        score = report_of(probe.read_score(answered)).score
    return Figures(seconds, tests, len(failing), told.get("percent_covered"), score)


def _count(path: Path) -> int:
    """Count the tests of a file, each row of values as one."""
    text = path.read_text("utf-8")
    return len(re.findall(r"^\s*(?:async )?def test_|^ +pytest\.param\(", text, re.MULTILINE)) - len(
        re.findall(r"^@pytest\.mark\.parametrize", text, re.MULTILINE)
    )


def _failing(root: Path, python: Path, seed: str) -> list[str]:
    done = subprocess.run(
        [str(python), "-m", "pytest", *_WORDS, "tests"],
        cwd=root,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    return re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)


def row(file: str, tool: str, figures: Figures, why: str) -> str:
    """Write one line of the table."""
    covered = "-" if figures.coverage is None else f"{figures.coverage:.1f} %"
    score = "-" if figures.mutation is None else f"{figures.mutation:.1%}"
    told = (file, tool, f"{figures.seconds:.0f}", figures.tests, figures.failing, covered, score, why)
    return f"| {' | '.join(map(str, told))} |"


def words() -> argparse.ArgumentParser:
    """Say which words the bench takes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="modules, as in boltons/mathutils.py; none: all")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "setpoint-bench-cover")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--score-seconds", type=float, default=60.0, help="for each mutation score")
    parser.add_argument("--before", type=Path, help="a checkout whose generator is measured too")
    parser.add_argument("--pynguin", type=Path, help="an interpreter that holds Pynguin")
    parser.add_argument("--keep", type=Path, help="rows as JSON lines; what stands there is not done again")
    return parser


def main() -> None:
    """Run the bench."""
    given = words().parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    python = environment(given.folder / "environment", *PACKAGES)
    sys.stdout.write(HEAD)
    every: dict[str, list[Figures]] = {}
    known = _kept(given.keep)
    tools = ("setpoint", *(["before"] if given.before else []), *(["pynguin"] if given.pynguin else []))
    for file in given.names or MODULES:
        took = given.seconds
        for tool in tools:
            if (file, tool) not in known:
                known[file, tool] = _measure(given, python, file, tool, took)
                _keep(given.keep, file, tool, *known[file, tool])
            figures, why = known[file, tool]
            took = figures.seconds if tool == "setpoint" else took
            every.setdefault(tool, []).append(figures)
            sys.stdout.write(row(file, tool, figures, why) + "\n")
            sys.stdout.flush()
    for tool, all_figures in every.items():
        coverage = statistics.median(each.coverage or 0.0 for each in all_figures)
        score = statistics.median(each.mutation or 0.0 for each in all_figures)
        failing = sum(each.failing for each in all_figures)
        sys.stdout.write(
            f"\n{tool}: median coverage {coverage:.1f} %, median mutation score {score:.1%}, "
            f"{failing} tests fail when run again (nothing written counts as 0)\n"
        )


def _measure(
    given: argparse.Namespace, python: Path, file: str, tool: str, took: float
) -> tuple[Figures, str]:
    """Have one tool write tests for one module, and measure them."""
    root = project(given.folder, python, file, tool)
    began = time.monotonic()
    if tool == "pynguin":
        why = pynguin(root, given.pynguin, file, took)
    else:
        source = given.before.resolve() / "src" if tool == "before" else _SRC
        came = generated(root, python, file, given.seconds, source)
        why = "" if came.text else came.reason
    figures = measured(root, python, file, time.monotonic() - began, given.score_seconds)
    if tool == "setpoint" and figures.tests:
        why = added(root, python, file, given.seconds)
    return figures, why


def _kept(path: Path | None) -> dict[tuple[str, str], tuple[Figures, str]]:
    if path is None or not path.is_file():
        return {}
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return {(file, tool): (Figures(*figures), why) for file, tool, figures, why in rows}


def _keep(path: Path | None, file: str, tool: str, figures: Figures, why: str) -> None:
    if path is not None:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([file, tool, figures, why]) + "\n")


if __name__ == "__main__":
    main()
