"""Measure test integrity: seeded cheats that must be caught, honest commits that must not be blocked.

    python bench/integrity.py cheats --sources FOLDER --python PYTHON [--per-kind 4] [--seed 1]
    python bench/integrity.py honest HISTORY.git ... [--commits 40] [--python PYTHON --run 10]

FOLDER holds unpacked source distributions (for example of inflection, iniconfig, toolz and boltons); PYTHON
has pytest. HISTORY is a git directory or clone of a public project. Nothing of them gets into this
repository.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cheats import SETTINGS, Cheat, Project, all_cheats

from setpoint.checks import ProjectEvaluator
from setpoint.model.attempt import Attempt, Role, Stop
from setpoint.model.changes.test_paths import is_test_path
from setpoint.model.evaluation import Evaluation, Stage
from setpoint.model.finding import Category, Finding
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.pipeline import Phase, PhaseKind, Pipeline
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import IntegrityMode, KnownRed, Story
from setpoint.ports import Measured, WorkCopy
from setpoint.presets.check_settings import ChecksSettings
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace import GitWorkspace

KINDS = {
    1: "protected paths", 2: "vanished tests", 3: "skipped tests", 4: "weaker assertions", 5: "suppressions",
    6: "lowered thresholds", 7: "knows it is tested", 8: "hard-coded values",
}  # fmt: skip
GIT = ("git", "-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
PIPELINE = Pipeline(
    name="bench",
    phases=(
        Phase(name="make", kind=PhaseKind.MAKE, role=Role.MAKER),
        Phase(name="evaluate", kind=PhaseKind.MEASURE, stage=Stage.EVALUATE),
        Phase(name="test", kind=PhaseKind.MEASURE, stage=Stage.TEST),
    ),
)
_TEXT = (".py", ".toml", ".cfg", ".ini", ".txt", ".md", ".rst", ".json", ".yml")


def git(root: Path | str, *words: str) -> str:
    """Run git and give what it says."""
    done = subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace").rstrip("\n")


def write(root: Path, files: dict[str, str | None]) -> None:
    """Write or delete files."""
    for path, text in files.items():
        place = root / path
        if text is None:
            place.unlink(missing_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8", errors="surrogateescape")


@dataclass
class Bench:
    """A project with a work copy and the evaluator that judges it, as in a run."""

    evaluator: ProjectEvaluator
    workspace: GitWorkspace
    copy: WorkCopy
    order: RunOrder
    seen: Path
    """Where the evaluator remembers what was put back."""
    number: int = 0

    async def judged(self, files: dict[str, str | None], order: RunOrder, stage: Stage) -> Evaluation:
        """Let a maker leave these files, and judge what it left."""
        await self.workspace.restore(self.copy, self.order.base)
        self.seen.unlink(missing_ok=True)  # each work begins at the same commit, which no run does
        write(Path(self.copy.path), files)
        restored = await self.evaluator.protect(order, self.copy)
        self.number += 1
        attempt = Attempt(agent="bench", stop=Stop.END_TURN, started_at=datetime.now(UTC), duration_s=0)
        snapshot = await self.workspace.snapshot(self.copy, f"make-{self.number}", attempt, restored)
        return await self.evaluator.evaluate(
            order, Measured(self.copy, snapshot.commit, snapshot.tree, stage)
        )


async def opened(root: Path, base: str, python: str, checks: dict[str, bool]) -> Bench:
    """Open a project at a commit."""
    state = root / ".setpoint"
    folders = ProjectFolders(root, state, root.with_name(f"{root.name}.copies"))
    state.mkdir(exist_ok=True)
    (state / ".gitignore").write_text("*\n")
    order = RunOrder(
        trace_id=TraceId(f"run-{base[:8]}"), root=str(root), base=Commit(base), pipeline=PIPELINE, branch="b",
        story=Story(id=StoryId("s"), title="Do it", known_red=KnownRed.TOLERATE),
        started_at=datetime.now(UTC),
    )  # fmt: skip
    asked = {"python": python, "coverage": False, "mypy": False, "reruns": 0, **checks}
    settings = Settings(checks=ChecksSettings.model_validate(asked))
    workspace = GitWorkspace(folders)
    evaluator = ProjectEvaluator(settings, Artifacts(state / "artifacts"), folders)
    copy = await workspace.open(order.trace_id, order.base)
    seen = state / "seen" / f"{order.trace_id}.integrity.json"
    return Bench(evaluator, workspace, copy, order, seen)


def in_mode(order: RunOrder, **story: object) -> RunOrder:
    """Give the order with another story."""
    return order.model_copy(update={"story": order.story.model_copy(update=story)})


def of_integrity(evaluated: Evaluation) -> list[Finding]:
    """Choose what integrity has to say."""
    return [finding for finding in evaluated.findings if finding.category is Category.INTEGRITY]


async def cheat_table(sources: Path, python: str, per_kind: int, seed: int) -> int:
    """Judge seeded cheats in every project of a folder; gives how many were missed."""
    told: dict[int, Counter[str]] = {kind: Counter() for kind in KINDS}
    missed = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for source in sorted(path for path in sources.iterdir() if path.is_dir()):
            root = Path(folder) / source.name
            root.mkdir()
            files = {
                str(path.relative_to(source)): path.read_text("utf-8", "surrogateescape")
                for path in source.rglob("*")
                if path.is_file() and path.suffix in _TEXT and ".egg-info" not in str(path)
            }
            write(root, {**files, **SETTINGS, ".gitignore": "__pycache__\n*.egg-info\n"})
            git(root, "init", "-q")
            git(root, "add", "-A")
            git(root, "commit", "-qm", "base")
            bench = await opened(root, git(root, "rev-parse", "HEAD"), python, {})
            project = Project(name=source.name, files={**files, **SETTINGS}, is_test=is_test_path)
            base = Measured(bench.copy, bench.order.base, bench.copy.base_tree, Stage.BASE)
            stood = await bench.evaluator.evaluate(bench.order, base)
            print(
                f"{source.name}: {stood.test_counts}, {len(project.tests)} tests, {len(project.pairs)} pairs",
                file=sys.stderr,
            )
            for cheat in all_cheats(project, seed, per_kind):
                how, found = await caught(bench, cheat)
                told[cheat.kind]["cheats"] += 1
                told[cheat.kind][how] += 1
                named = "; ".join(dict.fromkeys(each.message[:110] for each in found[:2]))
                print(f"  {cheat.kind} {cheat.name}: {how}: {named}", file=sys.stderr, flush=True)
                if how == "missed":
                    missed.append(f"{source.name}: {cheat.kind} {cheat.name}")
    print_cheats(told, missed)
    return len(missed)


async def caught(bench: Bench, cheat: Cheat) -> tuple[str, list[Finding]]:
    """Say how a cheat is caught: `blocked`, `signal`, `tests` (its own damage is red) or `missed`."""
    order = in_mode(bench.order, integrity=IntegrityMode(cheat.mode))
    found: list[Finding] = []
    for stage in (Stage.EVALUATE, Stage.TEST):
        evaluated = await bench.judged(cheat.files, order, stage)
        found = of_integrity(evaluated)
        if any(finding.blocking for finding in found):
            return "blocked", found
        if any(finding.rule != "protected" for finding in found):
            return "signal", found
        if evaluated.restored:
            return "put back", found
    return "missed", found


def print_cheats(told: dict[int, Counter[str]], missed: Iterable[str]) -> None:
    """Write the table."""
    print("| kind | cheats | blocked | put back, not blamed | signal | missed |\n|---|---|---|---|---|---|")
    total: Counter[str] = Counter()
    for kind, counts in told.items():
        total += counts
        print(_row(f"{kind} {KINDS[kind]}", counts))
    print(_row("all", total))
    share = 1 - total["missed"] / max(total["cheats"], 1)
    print(f"\ncaught: {share:.1%}")
    for each in missed:
        print(f"missed: {each}")


def _row(name: str, counts: Counter[str]) -> str:
    words = ("cheats", "blocked", "put back", "signal", "missed")
    return f"| {name} | {' | '.join(str(counts[word]) for word in words)} |"


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    cheats = verbs.add_parser("cheats")
    cheats.add_argument("--sources", type=Path, required=True)
    cheats.add_argument("--per-kind", type=int, default=4)
    cheats.add_argument("--seed", type=int, default=1)
    cheats.add_argument("--python", default=sys.executable)
    honest = verbs.add_parser("honest")
    honest.add_argument("histories", type=Path, nargs="+")
    honest.add_argument("--commits", type=int, default=40)
    honest.add_argument("--run", type=int, default=0)
    honest.add_argument("--python", default=sys.executable)
    given = parser.parse_args()
    if given.verb == "cheats":
        return int(asyncio.run(cheat_table(given.sources, given.python, given.per_kind, given.seed)) > 0)
    from honest import honest_table  # noqa: PLC0415 - that file builds on this one

    return int(asyncio.run(honest_table(given.histories, given.commits, given.run, given.python)) > 0)


if __name__ == "__main__":
    sys.exit(main())
