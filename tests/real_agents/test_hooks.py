"""Real agents that a person drives: Setpoint's hooks send them back until the check passes, a few times."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from real_agents.conftest import RealAgent, wanted
from setpoint.testing.model_server import Read, Say, Scenario, ScriptedModel, Shell, Write, scripted_model

pytestmark = [pytest.mark.real_agents, pytest.mark.timeout(300)]
AGENTS = wanted("gemini-cli", "claude-cli", "codex-cli")
SETPOINT = Path(sys.executable).with_name("setpoint")
GOOD = "def add(a, b):\n    return a + b\n"
BAD = GOOD.replace("+", "-")
BETTER = f'"""Sums."""\n\n\n{GOOD}'
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
WORDS = {
    "claude-cli": ("claude", "-p", "{prompt}", "--permission-mode", "acceptEdits"),
    "codex-cli": (
        *("codex", "exec", "--trust", "--dangerously-bypass-approvals-and-sandbox"),
        *("--dangerously-bypass-hook-trust", "{prompt}"),
    ),
    "gemini-cli": ("gemini", "-p", "{prompt}", "--approval-mode", "yolo", "--skip-trust"),
}
"""How a person starts each of them for one prompt."""


class Person:
    """A person with a repository, an agent, and the hooks of Setpoint installed for it."""

    def __init__(self, folder: Path, agent: RealAgent, model: ScriptedModel) -> None:
        """Make the repository and install the hooks."""
        self.root, self.agent, self.model = folder / "repo", agent, model
        self.name = agent.name.removesuffix("-cli")
        self.environment = {**agent.environment(model.url), "XDG_CACHE_HOME": str(folder / "cache")}
        self.environment["GEMINI_CLI_TRUST_WORKSPACE"] = "true"
        self.root.mkdir()
        checks = {"python": sys.executable, "pytest_args": PLAIN, "bandit": False, "reruns": 0}
        lines = ["[checks]", *(f"{key} = {json.dumps(value)}" for key, value in checks.items())]
        settings = "\n".join([*lines, "[hooks]", "max_blocks = 2", ""])
        for path, text in (("calc.py", GOOD), ("test_calc.py", TEST), ("setpoint.toml", settings)):
            (self.root / path).write_text(text)
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "begin")):
            subprocess.run([*git, *words], cwd=self.root, check=True)
        installed = self.run(str(SETPOINT), "hook", "install", self.name, "--yes")
        assert "installed for" in installed

    def run(self, *words: str) -> str:
        """Run a program as the person does; gives what it printed."""
        done = subprocess.run(
            words, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, timeout=240,
        )  # fmt: skip
        return done.stdout + done.stderr

    def prompt(self, text: str) -> str:
        """Give the agent one prompt; returns what the person sees."""
        return self.run(*(text if word == "{prompt}" else word for word in WORDS[self.agent.name]))

    @property
    def heard(self) -> str:
        """Everything that the agent sent to its model."""
        return json.dumps([each.body for each in self.model.asked])

    @property
    def sessions(self) -> list[dict[str, object]]:
        """What Setpoint remembers of the sessions."""
        folder = self.root / ".git" / "setpoint" / "hooks" / "sessions"
        return [json.loads(each.read_text()) for each in folder.glob("*.json")]


def _edits(*texts: str) -> tuple[Read | Write | Say, ...]:
    """Play an agent that writes one version after the other, and calls each of them done."""
    steps: list[Read | Write | Say] = []
    for text in texts:
        steps += [Read(read="calc.py"), Write(write="calc.py", text=text), Say(say="Done.")]
    return tuple(steps)


@pytest.mark.parametrize("name", AGENTS)
def test_it_is_sent_back_until_the_check_passes(
    name: str, real_agent: Callable[[str], RealAgent], tmp_path: Path
) -> None:
    with scripted_model(Scenario(steps=_edits(BAD, BETTER))) as model:
        person = Person(tmp_path, real_agent(name), model)
        shown = person.prompt("Document calc.py.")

    assert (person.root / "calc.py").read_text() == BETTER, shown
    assert "Setpoint check (1 of 2): the work is not done" in person.heard
    assert "test_calc.py::test_add: assertion: assert -1 == 3" in person.heard
    assert "(2 of 2)" not in person.heard
    (session,) = person.sessions
    assert session["blocks"] == 0
    assert session["last"]["state"] == "passed"  # type: ignore[index]


@pytest.mark.parametrize("name", AGENTS)
def test_the_counter_ends_what_would_never_end(
    name: str, real_agent: Callable[[str], RealAgent], tmp_path: Path
) -> None:
    versions = [f"{BAD}# {number}\n" for number in range(8)]
    with scripted_model(Scenario(steps=_edits(*versions))) as model:
        person = Person(tmp_path, real_agent(name), model)
        shown = person.prompt("Document calc.py.")

    assert (person.root / "calc.py").read_text() == versions[2], shown
    assert "Setpoint check (2 of 2): the work is not done" in person.heard
    (session,) = person.sessions
    assert session["blocks"] == 2
    assert session["last"]["state"] == "failed"  # type: ignore[index]


@pytest.mark.parametrize("name", AGENTS)
def test_a_question_is_answered_without_a_check(
    name: str, real_agent: Callable[[str], RealAgent], tmp_path: Path
) -> None:
    steps = (Shell(shell="cat calc.py"), Say(say="It adds."))
    with scripted_model(Scenario(steps=steps)) as model:
        person = Person(tmp_path, real_agent(name), model)
        (person.root / "calc.py").write_text(BAD)
        person.prompt("What does calc.py do?")

    assert "Setpoint check" not in person.heard
    (session,) = person.sessions
    assert session["last"] is None
    assert session["prompt"]
