"""`setpoint run` from end to end: a real agent errs, is sent back, and its second change is verified."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from real_agents.conftest import wanted
from setpoint.testing.model_server import Read, Say, Scenario, Write, scripted_model

pytestmark = [pytest.mark.real_agents, pytest.mark.timeout(300)]
SETPOINT = Path(sys.executable).with_name("setpoint")
BUGGY = "def add(a, b):\n    return a - b\n"
WRONG = "def add(a, b):\n    return b - a\n"
FIXED = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def _git(repo: Path, *words: str) -> str:
    argv = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words]
    return subprocess.run(argv, cwd=repo, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "calc.py").write_text(BUGGY)
    (folder / "test_calc.py").write_text(TEST)
    _git(folder, "init", "-q", "-b", "main")
    return folder


TELL_COST = ("claude", "claude-cli", "opencode", "opencode-cli", "pi", "vibe")
OVER_ACP = wanted("gemini", "opencode", "codex", "claude", "copilot", "qwen", "vibe")
BY_COMMAND = wanted("gemini-cli", "opencode-cli", "codex-cli", "claude-cli", "pi", "aider")
EDIT = f"""I mend it.

calc.py
```python
<<<<<<< SEARCH
{BUGGY}=======
{FIXED}>>>>>>> REPLACE
```
"""


@pytest.mark.parametrize("name", [*OVER_ACP, *BY_COMMAND])
def test_a_real_agent_is_driven_to_a_verified_change(name: str, real_agent, repo: Path) -> None:
    rounds = 2
    read = Read(read="calc.py")
    wrong, right = (Write(write="calc.py", text=text) for text in (WRONG, FIXED))
    # The tools of qwen want absolute paths, which no scenario knows.
    plan = Scenario(steps=(read, wrong, Say(say="Done."), read, right), own_tools=name != "qwen")
    if name == "aider":  # it offers no tools and remembers nothing: one text with the edit in it
        rounds, plan = 1, Scenario(without_tools=EDIT)
    with scripted_model(plan) as model:
        variables = real_agent(name).environment(model.url)
        lines = [f"{key} = {json.dumps(value)}" for key, value in variables.items()]
        (repo / "setpoint.toml").write_text("\n".join([f"[agent.{name}.environment]", *lines, ""]))
        _git(repo, "add", "-A")
        _git(repo, "commit", "-q", "-m", "begin")
        argv = [SETPOINT, "run", "make the failing tests pass", "--agent", name, "--json"]
        done = subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["mark"] == "IMPLEMENTATION_VERIFIED"
    assert (outcome["iterations"], outcome["bounces"]) == (rounds, rounds - 1)
    branch = outcome["branch"]
    assert branch.startswith("setpoint/")
    assert _git(repo, "show", f"{branch}:calc.py") == FIXED.strip()
    assert _git(repo, "diff", "--name-only", "main", branch) == "calc.py"
    assert (_git(repo, "status", "--porcelain"), _git(repo, "branch", "--show-current")) == ("", "main")
    assert (repo / "calc.py").read_text() == BUGGY
    if rounds > 1:
        assert "assert 1 == 3" in str(model.asked[-1].body)
    if name in TELL_COST:
        assert float(outcome["cost_usd"]) > 0
