"""A repository with stories that delivered work, without a run of any agent."""

import subprocess
import sys

from model.examples import EXAMPLES, OUTCOME
from plain_pytest import PLAIN
from setpoint.app.runs.board import story_folder
from setpoint.model.ending import Ending
from setpoint.model.events.run import RunFinished
from setpoint.model.proof import WorkKind
from setpoint.model.stories.story import Story
from setpoint.wiring.project import open_project

QUICK = {
    "checks": {
        "python": sys.executable,
        "pytest_args": PLAIN,
        "bandit": False,
        "coverage": False,
        "ruff": False,
        "mypy": False,
        "reruns": 1,
    },
    "proof": {"without": ["sabotage", "canary", "elsewhere", "same calls"]},
}
"""The project's own tests and the cheap runs of a verdict: what is shown here does not hang on more."""


class World:
    """One repository, its stories and what they delivered."""

    def __init__(self, root, settings=QUICK):
        self.root, self.settings, self.number = root, settings, 0
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.commit("begin", {"shop.py": "PRICE = 1\n", "pyproject.toml": "[project]\nname = 'shop'\n"})
        self.project = open_project(root, settings)

    def git(self, *words, place=None):
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *identity, *words], cwd=place or self.root, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, message, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, "utf-8")
            self.git("add", name)
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def deliver(self, story, files, *, base="main", priority=100, accept=(), ending=Ending.VERIFIED, **more):
        """Write a story and record a run of it that ended with these files on a branch."""
        self.number += 1
        run, branch = f"run-{self.number:04}", f"setpoint/{story}-{self.number}"
        base = self.git("rev-parse", base)
        self.git("checkout", "-q", "--detach", base)
        self.commit(f"{story}\n\nSetpoint-Run: {run}", files)
        self.git("branch", branch)
        self.git("checkout", "-q", "main")
        path = story_folder(self.project).folder / f"{story}.md"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"---\ntitle: {story}\npriority: {priority}\n---\n", "utf-8")
        wanted = Story(id=story, title=story, acceptance=tuple(accept), kind=WorkKind.BEHAVIOUR)
        started = EXAMPLES["run.started"]
        order = {
            "trace_id": run, "story": wanted, "needs": (), "story_digest": "", "base": base,
            "root": str(self.root), "branch": branch, "quarantine": (), "suppressed": (),
        }  # fmt: skip
        order = started.order.model_copy(update={**order, **more})
        best = self.git("rev-parse", branch)
        told = {"trace_id": run, "ending": ending, "branch": branch, "best": best, "best_iteration": 0}
        bodies = (
            started.model_copy(update={"order": order}),
            RunFinished(outcome=OUTCOME.model_copy(update=told)),
        )
        self.project.log.append(run, "all", bodies)
        return branch
