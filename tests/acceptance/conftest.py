"""A repository with a bug, agents that follow a script, and the command line in a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from acceptance import preloaded
from plain_pytest import PLAIN

BUG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TESTS = """from calc import add


def test_add():
    assert add(2, 3) == 5


def test_zero():
    assert add(0, 0) == 0
"""
NAMED = ("SETPOINT_CACHE_DIR", "SETPOINT_HIDDEN_DIR", "SETPOINT_AGENTS__TEST_DESIGNER")
QUICK = {
    "SETPOINT_CHECKS__PYTHON": sys.executable,
    "SETPOINT_CHECKS__PYTEST_ARGS": json.dumps(PLAIN),
    "SETPOINT_CHECKS__BANDIT": "false",
    "SETPOINT_CHECKS__COVERAGE": "false",
    "SETPOINT_CHECKS__RERUNS": "0",
    "SETPOINT_ESCALATION__ON_LIMIT": "error",
}
"""The project's own tests and nothing else: what is shown here does not hang on more, and it takes time.

Nobody is asked either, unless a test wants it.
"""
ASKING = {"SETPOINT_ESCALATION__ON_LIMIT": "manual"}
SUGGESTION = {
    "severity": "warning",
    "category": "documentation",
    "message": "add says nothing about itself",
    "file": "calc.py",
    "line": 1,
    "suggested_fix": "write a docstring",
    "suggested_edits": [
        {"start_line": 1, "end_line": 1, "replacement": 'def add(a, b):\n    """Add two numbers."""'}
    ],
}
"""A finding of a reviewer, with a fix."""
WISH = "make the failing tests pass"
GIT = ["git", "-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]


@dataclass
class Repository:
    """A user's repository and the verbs called in it."""

    root: Path

    def git(self, *words):
        done = subprocess.run([*GIT, *words], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def commit(self, message="change"):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def agent(self, *prompts, settings="", name="actor", **script):
        """Give the repository an agent that plays one list of steps per prompt."""
        path = self.root.parent / f"{name}.json"
        if "counter" in script:  # the agent writes it, so it lies where its sandbox lets it write
            script["counter"] = f"played/{script['counter']}"
        path.write_text(json.dumps({"prompts": list(prompts), **script}), encoding="utf-8")
        argv = json.dumps([*self.command(), str(path)])
        writes = json.dumps([f"{self.root.parent / 'played'}/"])
        text = f'{settings}\n[agent.{name}]\nprotocol = "acp"\ncommand = {argv}\nwrites = {writes}\n'
        (self.root.parent / "settings.toml").write_text(text, encoding="utf-8")
        self.write("setpoint.toml", text)
        self.commit("settings")

    def crew(self, *prompts, critic):
        """Give the repository a maker, with a list of steps per prompt, and a reviewer with `critic`."""
        self.agent(*prompts, settings='[agents]\nreviewer = "critic"\nmaker = "actor"\n')
        (self.root.parent / "critic.json").write_text(json.dumps({"prompts": critic}), encoding="utf-8")
        settings = (self.root / "setpoint.toml").read_text(encoding="utf-8")
        actor = settings[settings.index("[agent.actor]") :]
        other = actor.replace("[agent.actor]", "[agent.critic]").replace("actor.json", "critic.json")
        self.write("setpoint.toml", settings + other)
        self.commit("a reviewer")

    def players(self, settings="", **steps):
        """Give the repository agents that play the same steps for each prompt and count their prompts."""
        text = settings
        for name, played in steps.items():
            path = self.root.parent / f"{name}.json"
            script = {"prompts": [played] * 60, "counter": f"played/{name}"}
            path.write_text(json.dumps(script), encoding="utf-8")
            argv = json.dumps([*self.command(), str(path)])
            writes = json.dumps([f"{self.root.parent / 'played'}/"])
            text += f'[agent.{name}]\nprotocol = "acp"\ncommand = {argv}\nwrites = {writes}\n'
        self.write("setpoint.toml", text)
        self.commit("settings")

    def shell_agent(self, name, script):
        """Give the repository one more agent: a line of shell, its newlines written out."""
        settings = (self.root / "setpoint.toml").read_text(encoding="utf-8")
        words = json.dumps(["sh", "-c", script.replace("\n", "\\n")])
        self.write("setpoint.toml", f"{settings}\n[agent.{name}]\ncommand = {words}\n")
        self.commit(f"an agent {name}")

    def signed(self, name):
        """Let a person's name stand under what is done here."""
        self.git("config", "user.name", name)
        self.git("config", "user.email", f"{name.lower()}@localhost")

    def command(self):
        """Begin the command of an agent that plays the script named behind it."""
        return [sys.executable, "-m", "setpoint.agents.scripted"]

    def environment(self, **more):
        names = ("PATH", "HOME", "LANG", "PYTHONPATH", *NAMED)
        kept = {name: os.environ[name] for name in names if name in os.environ}
        return {**kept, **QUICK, **more}

    def setpoint(self, *words, timeout=90, **environment):
        """Run a verb in a process of its own, forked from one that has everything imported."""
        return preloaded.call(words, self.root, self.environment(**environment), timeout)

    def run(self, *words, timeout=90, **environment):
        """Run a wish to its end; gives the exit code and the outcome."""
        done = self.setpoint(
            "run", "make the failing tests pass", *words, "--json", timeout=timeout, **environment
        )
        assert done.stdout.startswith("{"), done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture
def repository(tmp_path):
    return new_repository(tmp_path / "user project")


def new_repository(root):
    """Make a repository with a bug, and tests that show it."""
    root.mkdir(parents=True)
    made = Repository(root)
    made.git("init", "-q", "-b", "main")
    made.write("calc.py", BUG)
    made.write("tests/test_calc.py", TESTS)
    made.write("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["."]\n')
    made.commit("a bug")
    return made
