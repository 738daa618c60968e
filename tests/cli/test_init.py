"""`setpoint init`: three questions at a terminal, none elsewhere, and a clean tree."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tomllib

import pytest

from house.source import ROOT


@pytest.fixture
def root(tmp_path):
    made = tmp_path / "shop"
    made.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=made, check=True)
    return made


def _init(root, *words, answers=None):
    """Type the verb; with answers at a terminal, else in a pipe."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(root.parent),
        "PATH": "/usr/bin:/bin",
    }
    argv = [sys.executable, "-m", "setpoint", "init", *words]
    if answers is None:
        done = subprocess.run(argv, cwd=root, env=environment, capture_output=True, text=True, check=True)
        return done.stdout + done.stderr
    ours, theirs = pty.openpty()
    os.write(ours, "".join(f"{each}\n" for each in answers).encode())
    with subprocess.Popen(
        argv, cwd=root, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    ) as asked:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the terminal is closed: the verb has ended
            pass
    os.close(ours)
    assert asked.returncode == 0, shown
    return shown.decode().replace("\r\n", "\n")


def _status(root):
    argv = ["git", "status", "--porcelain"]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=True).stdout


def test_a_pipe_is_asked_nothing_and_the_tree_stays_clean(root):
    shown = _init(root)
    assert "ignored by git" in shown
    assert shown.endswith("next:     setpoint doctor\n")
    assert _status(root) == ""
    assert "exists and was not changed" in _init(root)


def test_three_questions_at_a_terminal(root):
    shown = _init(root, answers=("nobody", "mechanic", "much", "2.50", "y"))
    assert "'nobody' is none of auto, " in shown
    assert "'much' is not an amount of dollars" in shown
    assert "next:     git add setpoint.toml && git commit -m 'Add settings of Setpoint'" in shown
    stated = tomllib.loads((root / "setpoint.toml").read_text())
    assert stated == {"agents": {"maker": "mechanic"}, "limits": {"max_cost_usd": 2.5}}
    assert _status(root) == "?? setpoint.toml\n"


def test_yes_takes_the_defaults(root):
    _init(root, "--yes", answers=())
    assert tomllib.loads((root / "setpoint.toml").read_text()) == {}
    assert _status(root) == ""
