"""`setpoint agents` and `setpoint agents test`, as they are typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance import preloaded
from plain_pytest import PLAIN

FIXED = 'def add(a, b):\n    """Give the sum of two numbers."""\n    return a + b\n'


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    return folder


def actor(repo: Path, *prompts: list[dict], **more: str) -> None:
    script = repo / "script.json"
    script.write_text(json.dumps({"prompts": list(prompts), "version": "7.1", **more}))
    command = [sys.executable, "-m", "setpoint.agents.scripted", str(script)]
    (repo / "setpoint.toml").write_text(f'[agent.actor]\nprotocol = "acp"\ncommand = {json.dumps(command)}\n')


def setpoint(repo: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "SETPOINT_CHECKS__PYTEST_ARGS": json.dumps(PLAIN), **more}
    return preloaded.call(words, repo, env, timeout=300)


def test_an_agent_that_mends_the_line_is_verified(repo: Path) -> None:
    actor(
        repo, [{"write": "calc.py", "text": FIXED}, {"usage": {"input": 900, "output": 50}}, {"cost": 0.25}]
    )
    done = setpoint(repo, "agents", "test", "actor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    trial = json.loads(done.stdout)
    assert (trial["verified"], trial["ending"], trial["attempts"]) == (True, "verified", 1)
    assert (trial["tool_calls"], trial["tool_errors"], trial["version"]) == (1, 0, "7.1")
    assert (trial["input_tokens"], trial["output_tokens"], trial["cost_usd"]) == (900, 50, "0.25")
    assert trial["agent_s"] <= trial["duration_s"]
    # The trial leaves no trace in the project it was asked from.
    assert setpoint(repo, "status", "--json").stdout.strip() in ("[]", '{"runs": []}')


def test_one_that_only_says_so_is_not(repo: Path) -> None:
    actor(repo, *[[{"say": "Done, all tests pass."}]] * 4)
    done = setpoint(repo, "agents", "test", "actor")
    assert done.returncode == 11, done.stdout + done.stderr
    assert "verified: no: " in done.stdout
    assert "cost:     unknown" in done.stdout


def test_one_that_breaks_is_told_with_its_mend(repo: Path) -> None:
    actor(repo, [{"fail": "auth"}])
    done = setpoint(repo, "agents", "test", "actor", "--json")
    assert done.returncode == 3, done.stdout + done.stderr
    trial = json.loads(done.stdout)
    assert (trial["ending"], trial["verified"]) == ("broken_agent", False)
    assert trial["fault"] == "not_logged_in"
    assert "setpoint agents test actor" in trial["hint"]


def test_one_that_is_not_installed_comes_with_the_command_that_installs_it(
    repo: Path, tmp_path: Path
) -> None:
    only = f"{tmp_path}:/usr/bin:/bin"
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    done = setpoint(repo, "agents", "test", "claude", PATH=only)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "its adapter claude-agent-acp is not\nhint:     setpoint agents setup claude\n" in done.stdout


def test_setup_without_a_terminal_names_what_it_would_install_and_does_nothing(
    repo: Path, tmp_path: Path
) -> None:
    home = {"XDG_DATA_HOME": str(tmp_path / "data"), "PATH": "/usr/bin:/bin"}
    done = setpoint(repo, "agents", "setup", "gemini", **home)
    assert done.returncode in (2, 3), done.stdout + done.stderr
    assert "npm" in done.stdout + done.stderr
    assert not (tmp_path / "data").exists()
    assert setpoint(repo, "agents", "setup", "nobody", **home).returncode == 3


def test_an_unknown_one_is_named(repo: Path) -> None:
    done = setpoint(repo, "agents", "test", "nobody")
    assert done.returncode == 3
    assert "there is no agent 'nobody'" in done.stderr


def test_the_list_tells_login_and_what_is_seen(repo: Path) -> None:
    actor(repo)
    rows = {row["name"]: row for row in json.loads(setpoint(repo, "agents", "--json").stdout)}
    assert rows["actor"]["login"] == "not known"
    assert rows["mechanic"]["login"] == "not needed"
    assert rows["claude-cli"]["tells"] == "calls, names, tokens, cost"
    assert "tokens (last call only)" in rows["opencode"]["tells"]


@pytest.mark.slow
def test_the_projects_prices_hold_in_the_trial_and_the_mechanic_costs_nothing(repo: Path) -> None:
    actor(repo, [{"write": "calc.py", "text": FIXED}, {"usage": {"input": 1000, "output": 50}}], model="mine")
    with (repo / "setpoint.toml").open("a") as settings:
        settings.write('model = "mine"\n[price.mine]\ninput = 300\noutput = 2000\n')
    trial = json.loads(setpoint(repo, "agents", "test", "actor", "--json").stdout)
    assert trial["cost_usd"] == "0.4"
    done = setpoint(repo, "agents", "test", "mechanic")
    assert "verified: yes" in done.stdout
    assert "cost:     $0.00" in done.stdout


def test_what_is_missing_stands_below_the_table_in_whole_lines(repo: Path) -> None:
    lines = setpoint(repo, "agents").stdout.splitlines()
    told = [line for line in lines if line.startswith("aider: ")]
    assert len(told) == 1
    assert "install it: " in told[0]
