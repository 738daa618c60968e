"""A forge as a job sees it: a bare repository with pull requests, and a runner whose environment is empty."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from checks.conftest import git, write
from plain_pytest import PLAIN
from setpoint.model.ci_report import CiReport

SETPOINT = Path(sys.executable).with_name("setpoint")
GOOD = 'def add(a, b):\n    """Add two numbers."""\n    return a + b\n'
BAD = GOOD.replace("a + b", "a - b")
DOUBLE = GOOD + '\n\ndef double(a):\n    """Double a number."""\n    return add(a, a)\n'
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
TEST_DOUBLE = "from calc import double\n\n\ndef test_double():\n    assert double(4) == 8\n"
SETTINGS = "\n".join(
    [
        "[checks]",
        f"pytest_args = {json.dumps(PLAIN)}",
        "bandit = false",
        "coverage = false",
        "reruns = 0",
        "[proof]",
        'arrangement = "off"',
        "",
    ]
)
FILES = {"calc.py": GOOD, "tests/test_calc.py": TEST, "setpoint.toml": SETTINGS, "conftest.py": ""}
"""The empty `conftest.py` lets pytest import from the root."""


@dataclass
class Ran:
    """What a job of the runner did."""

    code: int
    out: str
    err: str
    folder: Path
    """Where it left its files."""

    @property
    def report(self) -> CiReport:
        return CiReport.model_validate_json((self.folder / "setpoint-check.json").read_bytes())

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text("utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        lines = (self.folder / "output").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)

    @property
    def commands(self) -> list[str]:
        return [line for line in self.out.splitlines() if line.startswith("::")]


class Forge:
    """A bare repository with a main branch, and jobs that check it out."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder, self.work, self.bare = folder, folder / "author", folder / "forge.git"
        write(self.work, files)
        git(self.work, "init", "-q", "-b", "main")
        self.main = self.commit({}, "base")
        git(folder, "clone", "-q", "--bare", str(self.work), str(self.bare))
        git(self.work, "remote", "add", "forge", str(self.bare))
        self._jobs = 0

    def commit(self, files: dict[str, str | None], message: str) -> str:
        write(self.work, files)
        git(self.work, "add", "-A")
        git(self.work, "commit", "-q", "--allow-empty", "-m", message)
        return git(self.work, "rev-parse", "HEAD")

    def push(self, ref: str) -> None:
        git(self.work, "push", "-q", "-f", "forge", f"HEAD:{ref}")

    def advance(self, files: dict[str, str | None], commits: int = 1) -> str:
        """Let main move."""
        git(self.work, "checkout", "-q", "main")
        for number in range(commits):
            self.main = self.commit(files if number == 0 else {}, f"main {number}")
        self.push("refs/heads/main")
        return self.main

    def propose(self, files: dict[str, str | None], number: int = 1, start: str = "main") -> dict[str, Any]:
        """Open a pull request as from a fork: the forge has its head, and the merge of it, as refs alone."""
        base = git(self.work, "rev-parse", "main")
        git(self.work, "checkout", "-q", "--detach", start)
        head = self.commit(files, "change")
        self.push(f"refs/pull/{number}/head")
        git(self.work, "checkout", "-q", "--detach", base)
        git(self.work, "merge", "-q", "--no-ff", "-m", "merge", head)
        self.push(f"refs/pull/{number}/merge")
        merge = git(self.work, "rev-parse", "HEAD")
        git(self.work, "checkout", "-q", "main")
        return {"number": number, "head": head, "base": base, "merge": merge}

    def checkout(self, ref: str, depth: int | None = 1) -> Path:
        """Check a ref out as actions/checkout does: by a fetch of this ref alone."""
        self._jobs += 1
        place = self.folder / f"job{self._jobs}" / "project"
        place.mkdir(parents=True)
        git(place, "init", "-q")
        git(place, "remote", "add", "origin", f"file://{self.bare}")
        words = [f"--depth={depth}"] if depth else []
        git(place, "fetch", "-q", "--no-tags", *words, "origin", f"+{ref}:refs/remotes/job")
        git(place, "checkout", "-q", "--detach", "refs/remotes/job")
        return place

    def job(
        self, place: Path, *words: str, program: tuple[str, ...] = (str(SETPOINT),), **variables: str
    ) -> Ran:
        """Run a verb of Setpoint with nothing in the environment but what a runner sets."""
        folder = place.parent
        given = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(folder / "home"),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_REPOSITORY": "octo/project",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            **variables,
        }
        Path(given["HOME"]).mkdir(exist_ok=True)
        argv = ("env", "-i", *(f"{name}={value}" for name, value in given.items()), *program, *words)
        done = subprocess.run(
            argv, cwd=place, capture_output=True, text=True, check=False, env=dict(os.environ)
        )
        return Ran(done.returncode, done.stdout, done.stderr, folder)

    def check(self, place: Path, name: str, payload: object, *words: str, **variables: str) -> Ran:
        """Run the check of an event."""
        event = place.parent / "event.json"
        event.write_text(payload if isinstance(payload, str) else json.dumps(payload), "utf-8")
        asked = ("ci", "github", "check", "--output", str(place.parent), *words)
        return self.job(place, *asked, GITHUB_EVENT_NAME=name, GITHUB_EVENT_PATH=str(event), **variables)

    def check_pull(self, pull: dict[str, Any], *words: str, action: str = "opened", **more: Any) -> Ran:
        """Run the check of a pull request on the commit in which the forge merged it."""
        ref = f"refs/pull/{pull['number']}/merge"
        place = self.checkout(ref)
        payload = pull_payload(pull, action, **more)
        return self.check(place, "pull_request", payload, *words, GITHUB_REF=ref, GITHUB_SHA=pull["merge"])


def pull_payload(pull: dict[str, Any], action: str = "opened", **more: Any) -> dict[str, Any]:
    return {
        "action": action,
        "number": pull["number"],
        "pull_request": {
            "number": pull["number"],
            "title": "Double a number",
            "head": {"sha": pull["head"], "ref": "x", "repo": {"full_name": "fork/project"}},
            "base": {"sha": pull["base"], "ref": "main", "repo": {"full_name": "octo/project"}},
            "labels": [],
            **more,
        },
        "repository": {"full_name": "octo/project", "default_branch": "main"},
    }


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path, dict(FILES))
