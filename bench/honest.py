"""Honest commits of public histories, judged as if a maker had made them; used by `bench/integrity.py`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from integrity import Bench, git, in_mode, of_integrity, opened

from setpoint.checks.integrity.paths.protected_paths import Kind, kind_of
from setpoint.checks.integrity.paths.startup_paths import injects
from setpoint.checks.integrity.protected_change import Comparison, Judged
from setpoint.checks.integrity.signals import Difference, signals
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evaluation import Stage
from setpoint.model.finding import Finding
from setpoint.model.stories.story import IntegrityMode
from setpoint.ports import Measured

MOST_FILES = 40
"""Commits that touch more files are no work of one story: reformatting, vendoring, renaming."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """One commit as the work of a maker."""

    history: Path
    commit: str
    before: dict[str, bytes]
    after: dict[str, bytes]

    @property
    def adds_only(self) -> bool:
        """Whether tests, their data and settings only gained lines, so that nothing had to be asked for."""
        numbers = git(
            self.history, "diff-tree", "-r", "--no-renames", "--numstat", f"{self.commit}^", self.commit
        )
        for line in numbers.splitlines():
            _, gone, path = line.split("\t", 2)
            if kind_of(path, ()) is not None and gone != "0":
                return False
        return True


def commits(history: Path, wanted: int) -> Iterator[Made]:
    """Give the newest commits that change Python code outside the tests, merges left out."""
    found = 0
    for commit in git(history, "log", "--no-merges", "--format=%H", f"-n{wanted * 12}").split():
        try:
            listing = git(history, "diff-tree", "-r", "--no-renames", "--name-only", f"{commit}^", commit)
        except subprocess.CalledProcessError:  # the first commit, or the end of a shallow history
            continue
        paths = [path for path in listing.split("\n") if path]
        code = [path for path in paths if path.endswith(".py") and not is_test_path(path)]
        if not code or len(paths) > MOST_FILES:
            continue
        before, after = contents(history, f"{commit}^", paths), contents(history, commit, paths)
        yield Made(history=history, commit=commit, before=before, after=after)
        found += 1
        if found == wanted:
            return


def contents(history: Path, commit: str, paths: list[str]) -> dict[str, bytes]:
    """Give files as they stand in a commit."""
    found = {}
    for path in paths:
        done = subprocess.run(
            ["git", "show", f"{commit}:{path}"], cwd=history, capture_output=True, check=False
        )
        if done.returncode == 0:
            found[path] = done.stdout
    return found


def put_back(made: Made) -> tuple[Judged, ...]:
    """Say what would be put back in mode `append-only`."""
    every = frozenset(git(made.history, "ls-tree", "-r", "--name-only", f"{made.commit}^").split("\n"))
    mine = [path for path in made.after if kind_of(path, ()) or injects(path) or path.endswith(".py")]
    comparison = Comparison(
        mode=IntegrityMode.APPEND_ONLY,
        named=(),
        base={path: text for path, text in made.before.items() if path in mine or kind_of(path, ())},
        now={path: made.after[path] for path in mine},
        base_files=every,
        tests=frozenset(path for path in every if kind_of(path, ()) is Kind.TEST),
    )
    return comparison.judged()


def shown(made: Made) -> tuple[Finding, ...]:
    """Give the signals, with nothing put back: as in mode `free`, or where a person let the tests change."""
    every = git(made.history, "ls-tree", "-r", "--name-only", made.commit).split("\n")
    tests = contents(
        made.history, made.commit, [path for path in every if path.endswith(".py") and is_test_path(path)]
    )
    before, after, texts = (
        {path: text.decode("utf-8", "replace") for path, text in held.items()}
        for held in (made.before, made.after, tests)
    )
    return signals(Difference(before=before, after=after, tests=texts, is_test=is_test_path))


async def honest_table(histories: list[Path], wanted: int, run: int, python: str) -> int:
    """Judge honest commits; gives how many were blocked wrongly."""
    told: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    wrong = []
    for history in histories:
        for made in commits(history, wanted):
            judged, signs = put_back(made), shown(made)
            blocks = [finding for each in judged for finding in each.findings if finding.blocking]
            name = f"{history.parent.name if history.name == 'repo' else history.name} {made.commit[:10]}"
            told["commits"] += 1
            told["signals"] += bool(signs)
            rules.update({finding.rule for finding in signs})
            told["adds only" if made.adds_only else "asks"] += 1
            if blocks:
                told["blocked, adds only" if made.adds_only else "blocked, asks"] += 1
            if blocks and made.adds_only:
                wrong.append(f"{name}: {blocks[0].message}")
            for each in (*blocks[:1], *signs):
                print(f"{name}: {each.severity} {each.rule}: {each.message[:200]}", file=sys.stderr)
        if run:
            wrong += await ran(history, run, python, told)
    print_honest(told, rules, wrong)
    return len(wrong)


async def ran(history: Path, wanted: int, python: str, told: Counter[str]) -> list[str]:
    """Judge the newest commits by the whole path, tests and all; what they changed of tests is released."""
    wrong = []
    for made in commits(history, wanted):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            root = Path(folder) / "project"
            git(folder, "clone", "-q", "--shared", "--no-checkout", str(history), str(root))
            git(root, "checkout", "-q", "--detach", f"{made.commit}^")
            bench = await opened(
                root, git(root, "rev-parse", "HEAD"), python, {"ruff": False, "bandit": False}
            )
            base = await bench.evaluator.evaluate(
                bench.order, Measured(bench.copy, bench.order.base, bench.copy.base_tree, Stage.BASE)
            )
            if not base.test_counts:
                told["not runnable"] += 1
                continue
            told["run"] += 1
            wrong += await _judged(bench, made, told)
            shutil.rmtree(root / ".setpoint", ignore_errors=True)
    return wrong


async def _judged(bench: Bench, made: Made, told: Counter[str]) -> list[str]:
    files: dict[str, str | None] = dict.fromkeys(made.before)
    files |= {path: text.decode("utf-8", "surrogateescape") for path, text in made.after.items()}
    granted = () if made.adds_only else tuple(path for path in files if kind_of(path, ()) is not None)
    evaluated = await bench.judged(files, in_mode(bench.order, may_change=granted), Stage.TEST)
    blocks = [finding for finding in of_integrity(evaluated) if finding.blocking]
    told["run, red"] += bool(evaluated.failures)
    if blocks:
        return [f"{made.commit[:10]} (run): {blocks[0].message}"]
    return []


def print_honest(told: Counter[str], rules: Counter[str], wrong: list[str]) -> None:
    """Write the figures."""
    total = max(told["commits"], 1)
    print("| honest commits | count | share |\n|---|---|---|")
    for name, key in (
        ("judged by the static rules", "commits"),
        ("change or remove what stood in tests or settings, so have to ask", "asks"),
        ("of these: put back with a blocking finding until allowed", "blocked, asks"),
        ("only add to tests and settings", "adds only"),
        ("of these: blocked, wrongly", "blocked, adds only"),
        ("raise a signal", "signals"),
    ):
        print(f"| {name} | {told[key]} | {told[key] / total:.1%} |")
    for rule, count in rules.most_common():
        print(f"| signal: {rule} | {count} | {count / total:.1%} |")
    for name, key in (
        ("judged with their tests run", "run"),
        ("suite not runnable here", "not runnable"),
        ("red tests", "run, red"),
    ):
        print(f"| {name} | {told[key]} | |")
    print(f"\nwrongly blocked: {len(wrong) / (total + told['run']):.2%}")
    for each in wrong:
        print(f"wrong: {each}")
