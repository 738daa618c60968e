"""`setpoint land` with two real agents: one lands; the other is sent back, and lands then."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from real_agents.conftest import wanted
from setpoint.testing.model_server import Read, Scenario, Write, scripted_model

pytestmark = [pytest.mark.real_agents, pytest.mark.timeout(560)]
SETPOINT = Path(sys.executable).with_name("setpoint")
BEFORE = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
DOUBLE = "\n\ndef double(a):\n    return 2 * a\n"
STORY = """\
---
title: {title}
acceptance: ['{python} -c "from calc import *; assert {holds}"']
---
"""


def _git(repo: Path, *words: str) -> str:
    argv = ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words]
    return subprocess.run(argv, cwd=repo, check=True, capture_output=True, text=True).stdout.strip()


def _setpoint(repo: Path, *words: str) -> tuple[int, Any]:
    argv = [SETPOINT, *words, "--json"]
    done = subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=False, timeout=280)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    (folder / "calc.py").write_text(BEFORE)
    stories = folder / ".setpoint" / "stories"
    stories.mkdir(parents=True)
    for name, title, holds in (
        ("sum", "add must give the sum", "add(1, 2) == 3"),
        ("twice", "a function that doubles", "double(2) == 4"),
    ):
        (stories / f"{name}.md").write_text(STORY.format(title=title, python=sys.executable, holds=holds))
    _git(folder, "add", "calc.py")
    _git(folder, "commit", "-q", "-m", "begin")
    return folder


@pytest.mark.skipif(not wanted("gemini") or not wanted("opencode"), reason="needs both agents")
def test_two_real_agents_land_and_what_conflicts_is_done_again(real_agent, repo: Path) -> None:
    def work(name: str, story: str, text: str) -> str:
        steps = (Read(read="calc.py"), Write(write="calc.py", text=text))
        with scripted_model(Scenario(steps=steps)) as model:
            variables = real_agent(name).environment(model.url)
            lines = [f"{key} = {json.dumps(value)}" for key, value in variables.items()]
            (repo / "setpoint.toml").write_text("\n".join([f"[agent.{name}.environment]", *lines, ""]))
            code, outcome = _setpoint(repo, "run", story, "--agent", name)
            assert (code, outcome["mark"]) == (0, "IMPLEMENTATION_VERIFIED"), outcome
            return str(model.asked[0].body)

    work("gemini", "sum", FIXED)
    work("opencode", "twice", BEFORE + DOUBLE)
    code, landing = _setpoint(repo, "land", "--into", "main")
    fates = {name: each["fate"] for name, each in landing["decided"].items()}
    assert (code, fates) == (1, {"sum": "landed", "twice": "sent back"})
    assert _git(repo, "show", "main:calc.py") == FIXED.strip()
    told = work("opencode", "twice", FIXED + DOUBLE)
    assert "conflicts with what has landed in calc.py" in told
    code, landing = _setpoint(repo, "land", "--into", "main")
    assert (code, [each["found"] for each in landing["ended"]["patches"]]) == (0, [True])
    assert _git(repo, "show", "main:calc.py") == (FIXED + DOUBLE).strip()
