"""Measure which failing tests count as witnesses: honest ones, and not those that fail for another reason.

    python bench/causes.py [--only WORD] [--python PYTHON]

Each situation is a small project of its own, whose change comes with a test. The test passes on the result
and fails without the code of the change: for its lack, or because something else breaks there.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from cause_situations import SITUATIONS, Situation
from integrity import PIPELINE, git, write

from setpoint.checks import ProjectEvaluator
from setpoint.model.attempt import Attempt, Stop
from setpoint.model.evaluation import Stage
from setpoint.model.ids import Commit, StoryId, TraceId
from setpoint.model.proof import ObligationState, ProofTerms
from setpoint.model.run import RunOrder
from setpoint.model.stories.story import Story
from setpoint.ports import Measured
from setpoint.presets.check_settings import ChecksSettings
from setpoint.settings import Settings
from setpoint.system.files.artifacts import Artifacts
from setpoint.system.files.project_folders import ProjectFolders
from setpoint.workspace import GitWorkspace


async def witnessed(root: Path, situation: Situation, python: str) -> tuple[bool, str]:
    """Say whether the test of a situation counts as a witness, and why."""
    write(root, dict(situation.before))
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "base")):
        git(root, *words)
    folders = ProjectFolders(root, root / ".setpoint", root.with_name(f"{root.name}.copies"))
    folders.state.mkdir()
    base = Commit(git(root, "rev-parse", "HEAD"))
    story = Story(id=StoryId("s"), title=situation.title)
    order = RunOrder(
        trace_id=TraceId("run-1"), root=str(root), base=base, story=story, pipeline=PIPELINE, branch="b",
        started_at=datetime.now(UTC), proof=ProofTerms(seconds=0.001),
    )  # fmt: skip
    asked = {
        "python": python,
        "coverage": False,
        "mypy": False,
        "bandit": False,
        "reruns": 0,
        "timeout_s": 20,
    }
    evaluator = ProjectEvaluator(
        Settings(checks=ChecksSettings.model_validate(asked)), Artifacts(folders.state / "artifacts"), folders
    )
    workspace = GitWorkspace(folders)
    copy = await workspace.open(order.trace_id, base)
    await evaluator.evaluate(order, Measured(copy, base, copy.base_tree, Stage.BASE))
    write(Path(copy.path), dict(situation.change))
    attempt = Attempt(agent="bench", stop=Stop.END_TURN, started_at=datetime.now(UTC), duration_s=0)
    made = await workspace.snapshot(copy, "make-1", attempt)
    proof = await evaluator.prove(order, Measured(copy, made.commit, made.tree, Stage.TEST))
    witness = next(each for each in proof.obligations if each.name == "witness")
    return witness.state is ObligationState.MET, witness.reason


async def table(only: str, python: str) -> int:
    """Measure the situations and print what was judged wrongly; gives how many were."""
    wrong = {True: 0, False: 0}
    asked = [each for each in SITUATIONS if only in each.name]
    for situation in asked:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            root = Path(folder) / "project"
            root.mkdir()
            counts, why = await witnessed(root, situation, python)
        as_wanted = counts is situation.honest
        wrong[situation.honest] += not as_wanted
        word = "counts" if counts else "does not count"
        print(f"{'ok   ' if as_wanted else 'WRONG'} {situation.name}: {word}: {why}", flush=True)
    honest = sum(each.honest for each in asked)
    print(f"\nhonest: {honest}, rejected: {wrong[True]}")
    print(f"another reason: {len(asked) - honest}, accepted: {wrong[False]}")
    return sum(wrong.values())


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="situations whose name contains this")
    parser.add_argument("--python", default=sys.executable)
    asked = parser.parse_args()
    asyncio.run(table(asked.only, asked.python))


if __name__ == "__main__":
    main()
