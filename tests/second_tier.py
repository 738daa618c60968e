"""Run a part of the second tier that fits a budget: what the change touches, and a share that rotates.

    python tests/second_tier.py --budget 240 --workers 2

A test is touched where its own file changed, or a source file of the folder that its folder mirrors. The rest
of the budget goes to other files in an order drawn from the commit's hash, so that each commit tries others.
What is run and what is left out is printed.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

import tiers

MAIN = "origin/main"
COMMITS = 20
"""How far back a change reaches where nothing tells it from what stands on main."""
UNKNOWN_S = 20.0
"""Seconds that a slow test is taken to need before any are recorded."""


@dataclass(frozen=True)
class Choice:
    """What of the second tier is run."""

    touched: tuple[str, ...]
    rotating: tuple[str, ...]
    left: tuple[str, ...]


def choose(
    nodes: Iterable[str], touched: frozenset[str], budget_s: float, seed: str, known: tiers.Seconds
) -> Choice:
    """Choose tests whose recorded seconds fit the budget: those of touched files first, then by the seed.

    A file is run whole, as its tests share fixtures, unless it alone takes more than the budget.
    """
    files: defaultdict[str, list[str]] = defaultdict(list)
    for node in nodes:
        files[node.partition("::")[0]].append(node)
    chosen: dict[bool, list[str]] = {True: [], False: []}
    left, open_s = [], budget_s
    for file in sorted(files, key=lambda each: (each not in touched, _drawn(seed, each))):
        cost = {node: tiers.seconds_of(node, known) or UNKNOWN_S for node in files[file]}
        whole = [list(cost)] if sum(cost.values()) <= budget_s else [[node] for node in cost]
        for part in whole:
            needed = sum(cost[node] for node in part)
            if needed <= open_s:
                open_s -= needed
                chosen[file in touched] += part
            else:
                left += part
    return Choice(tuple(chosen[True]), tuple(chosen[False]), tuple(left))


def _drawn(seed: str, file: str) -> str:
    return hashlib.sha256(f"{seed} {file}".encode()).hexdigest()


def touched_files(files: Iterable[str], changed: Iterable[str]) -> frozenset[str]:
    """Return the test files that changed, or whose folder mirrors the folder of a changed source file."""
    changed = frozenset(changed)
    folders = {folder for path in changed for folder in mirrors(path)}
    return frozenset(file for file in files if file in changed or str(PurePosixPath(file).parent) in folders)


def mirrors(path: str) -> tuple[str, ...]:
    """Return the folder of tests that mirrors a source file's, or the nearest one above it that exists."""
    parts = PurePosixPath(path).parts
    if parts[0] != "src" or len(parts) < 3:
        return ()
    package, *folders = parts[1:-1]
    inside = [] if package == "setpoint" else [package.removeprefix("setpoint_")]
    found = [PurePosixPath("tests", *inside, *folders)]
    while not (tiers.ROOT / found[-1]).is_dir():
        found.append(found[-1].parent)
    return (str(found[-1]),) if found[-1] != PurePosixPath("tests") else ()


def changed_files() -> tuple[str, ...]:
    """Return what changed since main was left, or in the last commits where HEAD stands on main."""
    since = _git("merge-base", MAIN, "HEAD")
    if not since or since == _git("rev-parse", "HEAD"):
        since = _git("rev-list", f"--max-count={COMMITS + 1}", "HEAD").split()[-1]
    return tuple(_git("diff", "--name-only", since, "HEAD").splitlines())


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=tiers.ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def slow_tests() -> tuple[str, ...]:
    """Collect the tests of the second tier, without those that need installed agents."""
    argv = ["pytest", "--collect-only", "-q", "-m", "slow and not real_agents", "tests"]
    done = subprocess.run(
        [sys.executable, "-m", *argv], cwd=tiers.ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"second tier: collecting the tests failed\n{done.stdout}{done.stderr}")
    return tuple(line for line in done.stdout.splitlines() if line.startswith("tests/") and "::" in line)


def report(choice: Choice) -> str:
    """Return the lines that say what is run and what is left out, by file."""
    known = tiers.recorded()
    lines = []
    for title, nodes in (
        ("touched by the change", choice.touched),
        ("rotating share", choice.rotating),
        ("left out", choice.left),
    ):
        files: defaultdict[str, list[float]] = defaultdict(list)
        for node in nodes:
            files[node.partition("::")[0]].append(tiers.seconds_of(node, known) or UNKNOWN_S)
        lines.append(f"second tier, {title}: {len(nodes)} tests, {sum(map(sum, files.values())):.0f} s")
        lines += [f"  {file}: {len(each)} tests, {sum(each):.0f} s" for file, each in sorted(files.items())]
    return "\n".join(lines)


def main() -> int:
    """Choose, print and run; return pytest's exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--budget", type=float, required=True, help="seconds that the run may take")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes of tests")
    parser.add_argument("--list", action="store_true", help="print the choice and run nothing")
    asked = parser.parse_args()
    nodes = slow_tests()
    touched = touched_files({node.partition("::")[0] for node in nodes}, changed_files())
    choice = choose(nodes, touched, asked.budget * asked.workers, _git("rev-parse", "HEAD"), tiers.recorded())
    print(report(choice), flush=True)
    if asked.list or not (choice.touched or choice.rotating):
        return 0
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as listed:
        listed.write("\n".join((*choice.touched, *choice.rotating)) + "\n")
        listed.flush()
        argv = [sys.executable, "-m", "pytest", "-q", "-n", str(asked.workers), "--dist", "worksteal"]
        return subprocess.run([*argv, f"@{listed.name}"], cwd=tiers.ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
