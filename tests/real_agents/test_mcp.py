"""Real agents that a person drives call Setpoint's tools: they read what was measured, and start no runs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from real_agents.conftest import RealAgent, wanted
from setpoint.testing.model_server import Read, Say, Scenario, Shell, Use, Write, scripted_model

pytestmark = [pytest.mark.real_agents, pytest.mark.timeout(300)]
AGENTS = wanted("gemini-cli", "opencode-cli", "claude-cli", "codex-cli")
SETPOINT = str(Path(sys.executable).with_name("setpoint"))
GOOD = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
ADDING = {
    "claude-cli": ("claude", "mcp", "add", "setpoint", "--", SETPOINT, "mcp"),
    "codex-cli": ("codex", "mcp", "add", "setpoint", "--", SETPOINT, "mcp"),
    "gemini-cli": ("gemini", "mcp", "add", "setpoint", SETPOINT, "mcp"),
}
"""How a person adds the server; OpenCode reads it from a file."""
WORDS = {
    "claude-cli": (
        "claude",
        "-p",
        "{prompt}",
        "--permission-mode",
        "acceptEdits",
        "--allowedTools",
        "mcp__setpoint",
    ),
    "codex-cli": ("codex", "exec", "--trust", "--dangerously-bypass-approvals-and-sandbox", "{prompt}"),
    "gemini-cli": ("gemini", "-p", "{prompt}", "--approval-mode", "yolo", "--skip-trust"),
    "opencode-cli": ("opencode", "run", "{prompt}"),
}
"""How a person starts each of them for one prompt."""


READY = {
    "claude-cli": (Use(use=("WaitForMcpServers",)),),
    "codex-cli": (Shell(shell="until [ -e .setpoint/repository.json ]; do sleep 0.2; done; sleep 3"),),
}
"""These offer the tools of a server once it has started, which may be after the first request."""


def tool(name: str, **arguments: str) -> Use:
    """Call a tool of the server, whatever the agent calls it."""
    shapes = ("mcp__setpoint__{}", "mcp_setpoint_{}", "setpoint__{}", "setpoint_{}", "{}")
    return Use(use=tuple(shape.format(name) for shape in shapes), arguments=arguments)


class Person:
    """A person with a repository, an agent, and Setpoint's tools added to it."""

    def __init__(self, folder: Path, agent: RealAgent, url: str) -> None:
        """Make the repository, break it, and add the server as the agent's own documentation says."""
        self.root, self.agent = folder / "repo", agent
        self.environment = {**agent.environment(url), "XDG_CACHE_HOME": str(folder / "cache")}
        self.environment |= {"GEMINI_CLI_TRUST_WORKSPACE": "true", "ENABLE_TOOL_SEARCH": "false"}
        self.root.mkdir()
        checks = {"python": sys.executable, "pytest_args": PLAIN, "bandit": False, "reruns": 0}
        lines = ["[checks]", *(f"{key} = {json.dumps(value)}" for key, value in checks.items()), ""]
        served = {"mcp": {"setpoint": {"type": "local", "command": [SETPOINT, "mcp"]}}}
        files = {"calc.py": GOOD, "test_calc.py": TEST, "setpoint.toml": "\n".join(lines)}
        if agent.name == "opencode-cli":
            files["opencode.json"] = json.dumps(served)
        for path, text in files.items():
            (self.root / path).write_text(text)
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "begin")):
            subprocess.run([*git, *words], cwd=self.root, check=True)
        if agent.name in ADDING:
            self.added = self.run(*ADDING[agent.name])
        (self.root / "calc.py").write_text(GOOD.replace("+", "-"))

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


@pytest.mark.parametrize("name", AGENTS)
def test_it_reads_what_was_measured_repairs_it_and_starts_no_run(
    name: str, real_agent: Callable[[str], RealAgent], tmp_path: Path
) -> None:
    steps = (
        *READY.get(name, ()),
        tool("check"),
        Read(read="calc.py"),
        Write(write="calc.py", text=GOOD),
        tool("check"),
        tool("start_run", request="make it faster"),
        Say(say="Done."),
    )
    with scripted_model(Scenario(steps=steps)) as model:
        person = Person(tmp_path, real_agent(name), model.url)
        shown = person.prompt("Make the failing test pass.")
    heard = json.dumps(model.asked[-1].body)

    assert "Setpoint check: the work is not done." in heard, shown
    assert "test_calc.py::test_add: assertion: assert -1 == 3" in heard
    assert "Setpoint check: nothing is wrong that the base does not have." in heard
    assert heard.index("the work is not done") < heard.index("nothing is wrong that the base")
    assert "agents may not start runs in this repository" in heard
    assert (person.root / "calc.py").read_text() == GOOD
    assert not list((person.root / ".setpoint" / "runs").glob("*"))
