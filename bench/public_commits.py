"""Measure what the verdict says of commits that people made: how many are blocked, how many unproven.

    python bench/public_commits.py HISTORY.git ... [--commits 50] [--python PYTHON] [--minutes 30]

HISTORY is a git directory or clone of a public project whose tests need pytest alone. Each of its newest
commits that changes Python code is the work of a maker, with the subject of the commit as the request; its
parent is the base. The tests of both run, then the proof is measured. Prints a Markdown table by kind of
work, and a line for each commit that is not verified. Nothing of the histories gets into this repository.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from honest import Made, commits
from integrity import git, in_mode, opened

from setpoint.model.attempt import Attempt, Stop
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.proof import ProofTerms
from setpoint.ports import Measured

_CHECKS = dict.fromkeys(("bandit", "ruff"), False)


class Said(NamedTuple):
    """What the verdict says of one commit."""

    kind: str
    outcome: str
    """verified, unproven, asks, blocked, red or unmeasured; `asks` is for protected files, which a person
    releases."""
    reason: str = ""


async def judged(history: Path, made: Made, python: str, folder: Path) -> Said:
    """Judge a commit as the work of a maker."""
    root = folder / made.commit[:10]
    git(folder, "clone", "-q", "--shared", str(history), str(root))
    git(root, "checkout", "-q", f"{made.commit}^")
    base = git(root, "rev-parse", "HEAD")
    bench = await opened(root, base, python, _CHECKS)
    subject = git(root, "log", "-1", "--format=%s", made.commit)
    order = in_mode(bench.order, title=subject).model_copy(update={"proof": ProofTerms(seconds=60)})
    stood = await bench.evaluator.evaluate(
        order, Measured(bench.copy, order.base, bench.copy.base_tree, Stage.BASE)
    )
    if not stood.test_counts:
        return Said("", "unmeasured", "the tests of the base do not run here")
    work = Path(bench.copy.path)
    for path in {*made.before, *made.after}:
        if path not in made.after:
            (work / path).unlink()
        else:
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_bytes(made.after[path])
    restored = await bench.evaluator.protect(order, bench.copy)
    attempt = Attempt(agent="bench", stop=Stop.END_TURN, started_at=order.started_at, duration_s=0)
    snapshot = await bench.workspace.snapshot(bench.copy, "make-1", attempt, restored)
    measured = Measured(bench.copy, snapshot.commit, snapshot.tree, Stage.TEST)
    evaluation = await bench.evaluator.evaluate(order, measured)
    if said := _blocked(evaluation, restored):
        return said
    proof = await bench.evaluator.prove(order, measured)
    if proof.missing:
        return Said(str(proof.work), "unproven", f"{proof.missing[0].name}: {proof.missing[0].reason}")
    return Said(str(proof.work), "verified")


def _blocked(evaluation: Evaluation, restored: tuple[str, ...]) -> Said | None:
    protected = [each for each in evaluation.blocking if each.rule == "protected"]
    if found := [each for each in evaluation.blocking if each not in protected]:
        return Said("", "blocked", f"{found[0].category}: {found[0].message}")
    if restored or protected:
        return Said("", "asks", protected[0].message if protected else f"restored: {', '.join(restored)}")
    if evaluation.failures:
        return Said("", "red", evaluation.failures[0].test)
    return None


async def table(histories: list[Path], wanted: int, python: str, minutes: float) -> None:
    """Judge commits of each history in turn while there is time, and print what came of them."""
    until, told = time.monotonic() + 60 * minutes, list[tuple[str, Said]]()
    streams = [(history, commits(history, wanted)) for history in histories]
    while streams and time.monotonic() < until:
        for history, stream in list(streams):
            made = next(stream, None)
            if made is None or time.monotonic() > until:
                streams.remove((history, stream))
                continue
            folder = Path(tempfile.mkdtemp(prefix="bench-"))
            try:
                said = await judged(history, made, python, folder)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            told.append((made.commit[:10], said))
            print(
                f"{history.parent.name} {made.commit[:10]}: {' '.join(said)[:200]}",
                file=sys.stderr,
                flush=True,
            )
    _print(told)


def _print(told: list[tuple[str, Said]]) -> None:
    kinds = sorted({said.kind for _, said in told if said.kind})
    counts = Counter((said.kind, said.outcome) for _, said in told)
    print("| kind | verified | unproven |\n|---|---|---|")
    for kind in kinds:
        print(f"| {kind} | {counts[kind, 'verified']} | {counts[kind, 'unproven']} |")
    outcomes = Counter(said.outcome for _, said in told)
    print(
        f"\n{len(told)} commits: {', '.join(f'{count} {name}' for name, count in outcomes.most_common())}\n"
    )
    for commit, said in told:
        if said.outcome != "verified":
            print(f"- {commit} {said.outcome}: {said.reason[:200]}")


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("histories", type=Path, nargs="+")
    parser.add_argument("--commits", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    asyncio.run(table(given.histories, given.commits, given.python, given.minutes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
