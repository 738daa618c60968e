"""Hidden tests and a review by the maker's own program, with one login for all three roles."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from real_agents.conftest import wanted
from setpoint.testing.model_server import Conversation, Read, Say, Scenario, Write, scripted_model

pytestmark = [pytest.mark.real_agents, pytest.mark.timeout(300)]
SETPOINT = Path(sys.executable).with_name("setpoint")
BASE = "def add(a, b):\n    return a + b\n"
FORGETS = f"{BASE}\n\ndef mean(values):\n    return sum(values) / len(values)\n"
RIGHT = f"{BASE}\n\ndef mean(values):\n    return sum(values) / len(values) if values else 0\n"
OLD = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
OWN = "from calc import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n"
HIDDEN = "import calc\n\n\ndef test_nothing():\n    assert calc.mean([]) == 0\n"
DESIGN = {"tests": [{"path": "test_edges.py", "text": HIDDEN, "behaviour": "the mean of nothing is 0"}]}
APPROVES = {"decision": "approve", "findings": [], "feedback": "good", "tests_express_request": True}
READ = Read(read="calc.py")
FIX = (READ, Write(write="calc.py", text=RIGHT), Say(say="Done."))
FIRST = (READ, Write(write="calc.py", text=FORGETS), Write(write="test_mean.py", text=OWN), Say(say="Done."))
JUDGES = (
    Conversation(when="Write tests for a request before", steps=(READ, *[Say(say=json.dumps(DESIGN))] * 2)),
    Conversation(when="Review a change that", steps=(READ, *[Say(say=json.dumps(APPROVES))] * 2)),
    Conversation(when="Your last change was measured and sent back", steps=FIX),
)
SETTINGS = '[agents]\nreviewer = "{name}"\n\n[agent.{name}.environment]\n'


@pytest.mark.parametrize("name", wanted("gemini", "opencode", "codex", "claude", "copilot", "qwen"))
def test_one_program_with_one_login_makes_examines_and_reviews(
    name: str, real_agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SETPOINT_AGENTS__TEST_DESIGNER", "maker")
    repo = tmp_path / "repo"
    repo.mkdir()
    plan = Scenario(steps=(*FIRST, *FIX), conversations=JUDGES, own_tools=name != "qwen")
    with scripted_model(plan) as model:
        agent = real_agent(name)
        lines = [f"{key} = {json.dumps(value)}" for key, value in agent.environment(model.url).items()]
        if (config := agent.home / ".codex" / "config.toml").exists():
            # Of a model that it does not know, it warns in the text of its answer.
            config.write_text(config.read_text().replace('"scripted"', '"gpt-5.5"'))
        settings = "\n".join([SETTINGS.format(name=name), *lines, ""])
        for file, text in (("calc.py", BASE), ("test_calc.py", OLD), ("setpoint.toml", settings)):
            (repo / file).write_text(text)
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost"]
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "begin"]):
            subprocess.run([*git, *words], cwd=repo, check=True)
        request = "add a function mean(values) to calc.py: the mean of a list of numbers, 0 for an empty list"
        argv = [SETPOINT, "run", request, "--agent", name]
        done = subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=False, timeout=280)
    shown = done.stdout + done.stderr
    assert done.returncode == 0, shown
    assert (
        f"hidden tests: {name} writes them beside the maker in a session of its own, at most $1.25" in shown
    )
    assert f"IMPLEMENTATION_VERIFIED by 1 hidden test of {name}, reviewed by {name}" in shown
    told = subprocess.run([SETPOINT, "show"], cwd=repo, capture_output=True, text=True, check=True).stdout
    for line in ("agents' seconds: ", *(["tokens: "] if name != "qwen" else [])):  # qwen tells none
        used = next(each for each in told.splitlines() if each.startswith(line))
        assert all(role in used for role in ("maker ", "test designer ", "reviewer "))
