"""Measure how soon Setpoint says what a change did, on click, attrs and httpx, against their tools alone.

    python bench/evaluate.py [--folder FOLDER] [--edits 20] [--rounds 5] [--times] [--quick] [NAME ...]

Sources (with their tests) and tools come from the package index with pip and lie in FOLDER, outside the
repository. In one run, for each project: every tool alone with cold caches (their sum is the chain), the
same commands as two plain lanes (the tests, and the other tools one after the other beside them) and `cold`
(nothing known), so often in turn as `--rounds` says, of which the medians count; `unchanged`; and then seeded
edits of one function each, half of which change what it does: `--fast` with warm state. When all times are
known, the whole suite is asked about the same trees: its red tests must be the same, but for those that were
red in any of the runs without an edit. Where it says otherwise it is asked about that tree again, and where
it then contradicts itself this is counted too: there is no verdict to compare with. `--times` leaves this
part out. Prints a Markdown table. `--quick` takes httpx and five edits. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import math
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from environments import environment

from setpoint.checks.judge import FullReport
from setpoint.checks.tree_evaluator import TreeEvaluator
from setpoint.model.evaluation import Evaluation
from setpoint.model.evidence import Outcome
from setpoint.presets.check_settings import ChecksSettings
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders

HANGS_S = 180.0
"""Some edits make a test run forever."""
ROUNDS = 5
"""So often everything is measured cold and each tool alone, in turn; the medians count."""
ASKED = 4
"""So often the whole suite is asked about an edit of which it says otherwise than the selection."""
TOOLS = ("pytest", "coverage", "mypy", "ruff", "bandit")


class Subject(NamedTuple):
    """One project."""

    package: str
    source: str
    needs: tuple[str, ...]
    args: tuple[str, ...] = ()


SUBJECTS = (
    Subject("click==8.5.1", "src/click", ()),
    Subject("attrs==26.1.0", "src/attr", ("cloudpickle", "hypothesis", "pympler")),
    Subject(
        "httpx==0.28.1",
        "httpx",
        ("anyio", "trio", "trustme", "uvicorn", "chardet==5.2.0", "httpcore", "certifi", "idna", "h2",
         "socksio", "brotli", "zstandard", "click", "rich", "pygments", "cryptography"),
        ("-m", "not network", "--ignore=tests/test_timeouts.py"),  # what they wait for depends on the machine
    ),
)  # fmt: skip


def unpacked(subject: Subject, folder: Path) -> tuple[Path, Path]:
    """Fetch a project and make its environment, once; gives its root, a repository, and its interpreter."""
    name, archives = subject.package.replace("==", "-"), folder / "archives"
    python = environment(folder / f"{name}-venv", *TOOLS, *subject.needs)
    if not list(archives.glob(f"{name}.tar.gz")):
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps", "-d"]
        subprocess.run([*pip, str(archives), subject.package], check=True, stdout=sys.stderr)
    root = folder / name
    shutil.rmtree(root, ignore_errors=True)
    with tarfile.open(archives / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    (root / ".gitignore").write_text(".setpoint\n.hypothesis\n__pycache__\n", "utf-8")
    git = ["git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"]
    for rest in (["init", "-q", "-b", "main"], ["add", "-A", "-f"], ["commit", "-q", "-m", "base"]):
        subprocess.run([*git, *rest], cwd=root, check=True)
    return root, python


class Measured(NamedTuple):
    """One call of the evaluator."""

    seconds: float
    evaluation: Evaluation
    red: frozenset[str]


class Bench:
    """Asks Setpoint about one project, with one state folder."""

    def __init__(self, root: Path, checks: ChecksSettings, state: str = "state") -> None:
        """Begin with nothing known."""
        self.root, self.state = root, root / ".setpoint" / state
        shutil.rmtree(self.state, ignore_errors=True)
        self.checks = checks
        self.artifacts = Artifacts(self.state / "artifacts")

    def ask(self, *, fast: bool = False) -> Measured:
        """Measure the tree as it stands, in an evaluator made anew."""
        folders = ProjectFolders(self.root, self.state, self.root.with_name(f"{self.root.name}.copies"))
        evaluator = TreeEvaluator(Settings(checks=self.checks), self.artifacts, folders)
        began = time.monotonic()
        evaluation = asyncio.run(evaluator.measure(self.root, fast=fast))
        seconds = time.monotonic() - began
        if evaluation.report is None:
            raise SystemExit("the evaluation kept no report")
        report = FullReport.model_validate_json(self.artifacts.read(evaluation.report))
        tests = next((each.tests for each in report.results if each.evidence.check == "pytest"), None)
        return Measured(seconds, evaluation, tests.red if tests else frozenset())

    def alone(self, evaluation: Evaluation) -> dict[str, float]:
        """Give the seconds of each tool by itself: the command that was used, cold, as a chain starts it."""
        return {check: self._started(check, argv) for check, argv in _commands(evaluation)}

    def beside(self, evaluation: Evaluation) -> float:
        """Give the seconds of the same commands with the tests in one lane and all other tools in another."""
        tests: list[tuple[str, tuple[str, ...]]] = []
        others: list[tuple[str, tuple[str, ...]]] = []
        for check, argv in _commands(evaluation):
            (tests if check == "pytest" else others).append((check, argv))
        began = time.monotonic()
        with ThreadPoolExecutor(2) as lanes:
            list(lanes.map(lambda lane: [self._started(*each) for each in lane], (tests, others)))
        return time.monotonic() - began

    def _started(self, check: str, argv: tuple[str, ...]) -> float:
        """Run a tool's command in a clean copy of the tree, without Setpoint around it."""
        with tempfile.TemporaryDirectory() as temporary:
            place = Path(temporary) / "tree"
            subprocess.run(["git", "clone", "-q", str(self.root), str(place)], check=True)
            words = [word for word in argv if word not in ("-p", "setpoint_report")]
            swapped = [f"--cache-dir={temporary}/cache" if "--cache-dir=" in word else word for word in words]
            environment = {
                "PATH": f"{Path(self.checks.python).parent}:/usr/bin:/bin",
                "PYTHONPATH": f"{place}/src:{place}",
                "PYTHONDONTWRITEBYTECODE": "1",
                "COVERAGE_FILE": f"{temporary}/coverage.data",
                "MYPYPATH": f"{place}/src" if check == "mypy" and (place / "src").is_dir() else "",
            }
            began = time.monotonic()
            subprocess.run(swapped, cwd=place, env=environment, capture_output=True, check=False)
            return time.monotonic() - began


def _commands(evaluation: Evaluation) -> list[tuple[str, tuple[str, ...]]]:
    made = [each for each in evaluation.evidence if each.check not in ("parse", "coverage")]
    return [(each.check, each.argv) for each in made if each.argv]


def edits(root: Path, source: str, count: int, seed: int) -> list[tuple[Path, str]]:
    """Make single-function edits, each against the base: every second one changes what the function does."""
    chance = random.Random(seed)
    functions = [
        (path, node.lineno)
        for path in sorted((root / source).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.body[-1].lineno > node.lineno
    ]
    chance.shuffle(functions)
    made: list[tuple[Path, str]] = []
    for path, line in functions:
        text = changed(path.read_text("utf-8"), line, behaviour=len(made) % 2 == 1)
        if text is not None:
            made.append((path, text))
        if len(made) == count:
            break
    return made


def changed(source: str, line: int, *, behaviour: bool) -> str | None:
    """Give the source with one function changed; none where it holds nothing to change."""
    tree, lines = ast.parse(source), source.splitlines(keepends=True)
    node = next(each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.lineno == line)
    body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
    first = body[0]
    if not behaviour:
        lines.insert(first.lineno - 1, " " * first.col_offset + "_ = None\n")
        return "".join(lines)
    for inner in ast.walk(ast.Module(body=body, type_ignores=[])):
        if isinstance(inner, ast.Return) and inner.value is not None and inner.lineno == inner.end_lineno:
            old = lines[inner.lineno - 1]
            tail = old[inner.end_col_offset :]
            lines[inner.lineno - 1] = f"{old[: inner.col_offset]}return None{tail}"
            return "".join(lines)
    return None


class Row(NamedTuple):
    """What came out for one project."""

    name: str
    chain: float
    slowest: float
    beside: float
    cold: float
    unchanged: float
    edited: list[float]
    same: int
    """Edits after which exactly the same tests were newly red."""
    verdicts: int
    """Edits after which both said the same: something new is red, or nothing."""
    unsure: int
    """Edits after which they did not, and the whole suite, asked again, contradicted itself."""


class Timed(NamedTuple):
    """What is known of one project before the whole suite was asked about its edits."""

    subject: Subject
    root: Path
    checks: ChecksSettings
    times: tuple[float, float, float, float, float]
    """Seconds of the chain, of its slowest tool, of two plain lanes, of a cold and of an unchanged tree."""
    red: frozenset[str]
    """Tests that were red without any edit, in one of the cold runs at least."""
    edits: list[tuple[Path, str]]
    fast: list[Measured]


def timed(subject: Subject, folder: Path, count: int, rounds: int) -> Timed:
    """Measure all times of one project."""
    root, python = unpacked(subject, folder)
    checks = ChecksSettings(python=str(python), pytest_args=subject.args, timeout_s=HANGS_S)
    colds, each_alone, lanes = list[Measured](), list[dict[str, float]](), list[float]()
    bench = Bench(root, checks)
    for number in range(rounds):
        bench = Bench(root, checks) if number else bench
        colds.append(bench.ask())
        each_alone.append(bench.alone(colds[-1].evaluation))
        lanes.append(bench.beside(colds[-1].evaluation))
        told(f"{subject.package}: {each_alone[-1]}; lanes {lanes[-1]:.1f}; cold {colds[-1].seconds:.1f}")
    cold = statistics.median(each.seconds for each in colds)
    alone = {name: statistics.median(each[name] for each in each_alone) for name in each_alone[-1]}
    unchanged = statistics.median(bench.ask().seconds for _ in range(5))
    made, fast = edits(root, subject.source, count, seed=7), []
    for number, (path, text) in enumerate(made, start=1):
        with edited(path, text):
            fast.append(bench.ask(fast=True))
        left = fast[-1].evaluation.test_counts.get(Outcome.DESELECTED, 0)
        ran = sum(fast[-1].evaluation.test_counts.values()) - left
        told(f"  {number} {path.name}: {fast[-1].seconds:.2f} s, {ran} tests, {len(fast[-1].red)} red")
    times = (sum(alone.values()), max(alone.values()), statistics.median(lanes), cold, unchanged)
    edit = statistics.median([each.seconds for each in fast] or [math.nan])
    names = ("chain", "slowest", "lanes", "cold", "unchanged")
    told(
        ", ".join(f"{name} {each:.3f}" for name, each in zip(names, times, strict=True))
        + f", edit {edit:.3f}"
    )
    red = frozenset[str]().union(*(each.red for each in colds))
    return Timed(subject, root, checks, times, red, made, fast)


def compared(known: Timed) -> Row:
    """Ask the whole suite about each edit, without the tools whose verdict is not compared."""
    tests_alone = {
        **known.checks.model_dump(),
        "coverage": False,
        "mypy": False,
        "ruff": False,
        "bandit": False,
    }
    checks, red = ChecksSettings.model_validate(tests_alone), set(known.red)
    reference = Bench(known.root, checks, "reference")
    for number in range(ROUNDS):  # without coverage, other tests may be red on this machine than with it
        reference = Bench(known.root, checks, "reference") if number else reference
        red |= reference.ask().red
    same = verdicts = unsure = 0
    for number, ((path, text), fast) in enumerate(zip(known.edits, known.fast, strict=True), start=1):
        with edited(path, text):
            whole = reference.ask()
            answers = [_agree(fast.red - red, whole.red - red)]
            while len(answers) < ASKED and not any(answers):
                asked = Bench(known.root, checks, "again").ask()
                answers.append(_agree(fast.red - red, asked.red - red))
        same += fast.red - red == whole.red - red
        verdicts += answers[0]
        unsure += len(set(answers)) > 1
        differ = f"{sorted(whole.red - fast.red)[:3]} {sorted(fast.red - whole.red)[:3]}"
        told(f"  {number} {path.name}: red {len(fast.red)} of {len(whole.red)} {differ} {answers}")
    seconds = [each.seconds for each in known.fast]
    return Row(known.subject.package, *known.times, seconds, same, verdicts, unsure)


def untold(known: Timed) -> Row:
    """Give the times alone."""
    return Row(known.subject.package, *known.times, [each.seconds for each in known.fast], 0, 0, 0)


def _agree(fast: frozenset[str], whole: frozenset[str]) -> bool:
    """Whether both say that nothing is newly red, or both name a test that is."""
    return bool(fast & whole) if fast and whole else not (fast or whole)


@contextmanager
def edited(path: Path, text: str) -> Iterator[None]:
    """Let an edit stand for the time of the block."""
    before = path.read_text("utf-8")
    path.write_text(text, "utf-8")
    try:
        yield
    finally:
        path.write_text(before, "utf-8")


def told(line: str) -> None:
    """Say how far it is."""
    print(line, file=sys.stderr, flush=True)


def table(rows: list[Row]) -> str:
    """Give the figures as Markdown."""
    heads = (
        "project", "chain, s", "slowest alone, s", "plain lanes, s", "cold, s", "cold / slowest",
        "cold / lanes", "unchanged, s",
        "unchanged / chain", "edits", "median edit, s", "median edit / chain",
        "same verdict", "whole suite unsure", "same new red tests",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in rows:
        median = statistics.median(row.edited or [math.nan])
        cells = (
            row.name,
            f"{row.chain:.1f}",
            f"{row.slowest:.1f}",
            f"{row.beside:.1f}",
            f"{row.cold:.1f}",
            f"{row.cold / row.slowest:.2f}",
            f"{row.cold / row.beside:.2f}",
            f"{row.unchanged:.3f}",
            f"1/{row.chain / row.unchanged:.0f}",
            str(len(row.edited)),
            f"{median:.2f}",
            f"1/{row.chain / median:.1f}",
            f"{row.verdicts}/{len(row.edited)}",
            str(row.unsure),
            f"{row.same}/{len(row.edited)}",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure the named projects, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="only projects whose name begins so")
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "setpoint-bench")
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--times", action="store_true", help="ask the whole suite about no edit")
    parser.add_argument("--quick", action="store_true", help="httpx alone, five edits")
    wanted = parser.parse_args()
    names = wanted.names or (["httpx"] if wanted.quick else [])
    chosen = [each for each in SUBJECTS if not names or each.package.startswith(tuple(names))]
    folder = wanted.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    # All times first: these need a quiet machine, the verdicts do not.
    count = 5 if wanted.quick else wanted.edits
    known = [timed(subject, folder, count, wanted.rounds) for subject in chosen]
    rows = [untold(each) if wanted.times else compared(each) for each in known]
    print(table(rows))


if __name__ == "__main__":
    main()
