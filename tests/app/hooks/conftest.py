"""A repository in which the user's own agent works."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from checks.conftest import git, write
from plain_pytest import PLAIN

GOOD = "def add(a, b):\n    return a + b\n"
BAD = "def add(a, b):\n    return a - b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def settings(**hooks: float) -> str:
    lines = ["[checks]", f"python = {json.dumps(sys.executable)}", f"pytest_args = {json.dumps(PLAIN)}"]
    lines += ["bandit = false", "reruns = 0", "[sandbox]", 'checks = "none"', "[hooks]"]
    return "\n".join([*lines, *(f"{key} = {value}" for key, value in hooks.items()), ""])


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    def make(files: dict[str, str] | None = None, **hooks: float) -> Path:
        root = tmp_path / "project"
        held = {"calc.py": GOOD, "test_calc.py": TEST, "setpoint.toml": settings(**hooks)}
        write(root, held | (files or {}))
        git(root, "init", "-q")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "base")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        return root

    return make
