"""The real agent calls a server of tools that the person approved; no other one starts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from plain_pytest import PLAIN
from real_agents.conftest import RealAgent, wanted
from setpoint.testing.model_server import Read, Say, Scenario, Use, Write, scripted_model

pytestmark = [pytest.mark.real_agents, pytest.mark.timeout(300)]
AGENTS = wanted("gemini", "opencode", "claude", "codex")
SETPOINT = Path(sys.executable).with_name("setpoint")
SERVER = r"""import json, sys
name, log = sys.argv[1:3]
open(log, "a").write("started " + name + "\n")
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    method, answer = asked["method"], {}
    if method == "initialize":
        version = asked["params"]["protocolVersion"]
        answer = {"protocolVersion": version, "capabilities": {"tools": {}}}
        answer["serverInfo"] = {"name": name, "version": "1"}
    if method == "tools/list":
        tool = {"name": "price_" + name, "description": "Tell the price."}
        answer = {"tools": [{**tool, "inputSchema": {"type": "object", "properties": {}}}]}
    if method == "tools/call":
        open(log, "a").write("called " + name + "\n")
        answer = {"content": [{"type": "text", "text": "The price is 7."}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""
FIXED = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


class User:
    """A repository whose files name servers, and the verbs called in it."""

    def __init__(self, folder: Path, agent: RealAgent) -> None:
        """Nothing is made yet."""
        self.root, self.log, self.agent = folder / "repo", folder / "played" / "log", agent

    def make(self, url: str) -> None:
        """Write the repository; each file names a server that is to be approved, and one that is not."""
        self.log.parent.mkdir()
        self.write("../server.py", SERVER)
        self.write("calc.py", FIXED.replace("+", "-"))
        self.write("test_calc.py", TEST)
        self.write(".mcp.json", json.dumps({"mcpServers": self.servers("shared", "bad")}))
        self.write(".gemini/settings.json", json.dumps({"mcpServers": self.servers("worse")}))
        table = {
            name: {"type": "local", "command": [each["command"], *each["args"]]}
            for name, each in self.servers("worst").items()
        }
        self.write("opencode.json", json.dumps({"mcp": table}))  # OpenCode adds a line to it unasked
        words = json.dumps(self.servers("awful")["awful"]["args"])
        program = json.dumps(sys.executable)
        self.write(".codex/config.toml", f"[mcp_servers.awful]\ncommand = {program}\nargs = {words}\n")
        checks = {"python": sys.executable, "pytest_args": PLAIN, "bandit": False, "reruns": 0}
        lines = [f"{key} = {json.dumps(value)}" for key, value in checks.items()]
        own = [f"{key} = {json.dumps(value)}" for key, value in self.agent.environment(url).items()]
        settings = ["[checks]", *lines, f"[agent.{self.agent.name}]", f'writes = ["{self.log.parent}/"]']
        settings += [f"[agent.{self.agent.name}.environment]", *own, ""]
        self.write("setpoint.toml", "\n".join(settings))
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "begin")):
            git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
            subprocess.run([*git, *words], cwd=self.root, check=True)

    def servers(self, *names: str) -> dict[str, dict[str, object]]:
        """Describe servers by name."""
        path = str(self.root.parent / "server.py")
        return {name: {"command": sys.executable, "args": [path, name, str(self.log)]} for name in names}

    def write(self, path: str, text: str) -> None:
        """Write a file of the repository."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    def setpoint(self, *words: str) -> str:
        """Call a verb as a person does, with a home of its own; gives what it printed."""
        home = str(self.root.parent / "user")
        environment = {
            "HOME": home,
            "XDG_DATA_HOME": f"{home}/data",
            "COLUMNS": "300",
            "PATH": os.environ["PATH"],
        }
        done = subprocess.run(
            [SETPOINT, *words], cwd=self.root, env=environment, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        return done.stdout + done.stderr


@pytest.mark.parametrize("name", AGENTS)
def test_an_approved_server_is_called_and_no_other_one_starts(
    name: str, real_agent: Callable[[str], RealAgent], tmp_path: Path
) -> None:
    user = User(tmp_path, real_agent(name))
    tool = ("shared_price_shared", "mcp__shared__price_shared", "mcp_shared_price_shared", "price_shared")
    steps = (Use(use=tool), Read(read="calc.py"), Write(write="calc.py", text=FIXED), Say(say="Done."))
    with scripted_model(Scenario(steps=steps)) as model:
        user.make(model.url)
        assert "not approved  shared (.mcp.json)" in user.setpoint("agents", "mcp")
        assert "approved for this repository: shared" in user.setpoint("agents", "mcp", "--approve", "shared")
        told = user.setpoint("run", "make the failing tests pass", "--agent", name, "--json")
        assert '"ending": "verified"' in told, told
    seen = sorted(set(user.log.read_text().splitlines()))
    # These offer such tools to their model in other ways than as a function of that name.
    started_only = name in ("claude", "codex")
    assert seen == (["started shared"] if started_only else ["called shared", "started shared"])
    shown = user.setpoint("show", "--verbose")
    assert "has the tools of shared; without awful, bad, worse, worst: not approved" in shown, shown
    assert '"bad"' in user.setpoint("agents", "mcp", "--json")
