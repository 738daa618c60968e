"""Measure what the proof of a change adds to a run, on click, attrs, httpx and the demo.

    python bench/proof.py [--folder FOLDER] [--changes 4] [NAME ...]

For each project, seeded single-function edits that the suite notices are the base commits, and restoring the
function is the change (the work of a perfect agent, which takes no time). A whole run is driven with it. The
events say how long the run took, and how much of it went into the proof. Prints a Markdown table: medians of
the seconds without the proof, of the seconds of the proof, and of the ratio of both together to the first.
The demo is run once. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from evaluate import SUBJECTS, Bench, Subject, edits, unpacked

from setpoint import Project
from setpoint.model.events.run import ProofMeasured, RunFinished
from setpoint.model.ids import TraceId
from setpoint.presets.check_settings import ChecksSettings
from setpoint.wiring.project import open_project

_GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")


class Cost(NamedTuple):
    """What one run took."""

    ending: str
    rest_s: float
    proof_s: float

    @property
    def ratio(self) -> float:
        """Seconds with the proof by seconds without it."""
        return (self.rest_s + self.proof_s) / self.rest_s


def cost_of(root: Path, run: str) -> Cost:
    """Read from the events how long a run took, and how much of it the proof."""
    events = open_project(root).log.replay(TraceId(run))
    proof_s = sum(
        (event.at - before.at).total_seconds()
        for before, event in pairwise(events)
        if isinstance(event.body, ProofMeasured)
    )
    whole_s = (events[-1].at - events[0].at).total_seconds()
    ending = next(
        (str(e.body.outcome.ending) for e in events if isinstance(e.body, RunFinished)), "unfinished"
    )
    return Cost(ending, whole_s - proof_s, proof_s)


def costs(subject: Subject, folder: Path, count: int) -> list[Cost]:
    """Drive a run for each seeded edit that the suite notices."""
    root, python = unpacked(subject, folder)
    checks = ChecksSettings(python=str(python), pytest_args=subject.args)
    known = Bench(root, checks).ask().red
    args = (
        *subject.args,
        *(f"--deselect={test}" if "::" in test else f"--ignore={test}" for test in sorted(known)),
    )
    subject = subject._replace(args=args)  # the repair is to mend what the edit breaks, and nothing else
    checks = ChecksSettings(python=str(python), pytest_args=args)
    found: list[Cost] = []
    for path, text in edits(root, subject.source, 40, seed=7)[1::2]:  # every second one changes what is done
        right = path.read_text("utf-8")
        path.write_text(text, "utf-8")
        red = Bench(root, checks).ask().red
        if not red or len(red) > 50:  # nothing notices it, or it breaks the import
            path.write_text(right, "utf-8")
            continue
        found.append(driven(root, python, subject, path, right))
        sys.stderr.write(f"{subject.package}: {found[-1]}\n")
        if len(found) == count:
            break
    return found


def driven(root: Path, python: Path, subject: Subject, path: Path, right: str) -> Cost:
    """Commit the wrong state, drive a run in which the agent restores the right one, and go back."""
    with tempfile.TemporaryDirectory() as kept:
        copy = Path(kept) / "right"
        copy.write_text(right, "utf-8")
        subprocess.run([*_GIT, "commit", "-q", "-am", "wrong"], cwd=root, check=True)
        settings = {
            "agents": {"maker": "restoring"},
            "agent": {"restoring": {"command": ["cp", str(copy), str(path.relative_to(root))]}},
            "checks": {"python": str(python), "pytest_args": list(subject.args), "timeout_s": 180},
            "escalation": {"on_limit": "error"},
            "sandbox": {"agents": "none"},
        }
        try:
            outcome = Project(root, settings=settings).run("make the failing tests pass")
            return cost_of(root, outcome.run)
        finally:
            path.write_text(right, "utf-8")
            subprocess.run([*_GIT, "commit", "-q", "-am", "right"], cwd=root, check=True)


def demo(folder: Path) -> list[Cost]:
    """Run the demo once."""
    root = folder / "demo"
    shutil.rmtree(root, ignore_errors=True)
    program = Path(sys.executable).with_name("setpoint")
    subprocess.run([str(program), "demo", str(root)], check=True, stdout=subprocess.DEVNULL)
    return [cost_of(root, next((root / ".setpoint" / "runs").iterdir()).name)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "setpoint-bench")
    parser.add_argument("--changes", type=int, default=4)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    made = {"demo": demo(given.folder)} if not given.names or "demo" in given.names else {}
    for subject in SUBJECTS:
        if not given.names or any(subject.package.startswith(name) for name in given.names):
            made[subject.package] = costs(subject, given.folder, given.changes)
    print("| project | runs | verified | without proof, s | proof, s | ratio |\n|---|---|---|---|---|---|")
    for name, each in made.items():
        verified = sum(cost.ending == "verified" for cost in each)
        rest = statistics.median(cost.rest_s for cost in each)
        proof = statistics.median(cost.proof_s for cost in each)
        ratio = statistics.median(cost.ratio for cost in each)
        print(f"| {name} | {len(each)} | {verified} | {rest:.1f} | {proof:.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
