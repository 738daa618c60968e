"""The programs that run tests in other languages; what needs them is skipped where they are not there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NOT_INSTALLED = frozenset({"ant", "cargo"})
"""Programs that `.ci/run` does not bring to a new machine."""
TOOLS = Path(__file__).resolve().parents[3] / ".tools" / "javascript" / "node_modules"


def absent(what: str) -> None:
    """Skip on a developer's machine; in CI what is to be shown has to be shown."""
    if os.environ.get("CI") and what not in NOT_INSTALLED:
        pytest.fail(f"{what} is not installed")
    pytest.skip(f"{what} is not installed; `make test` installs what it can")


def works(*argv: str) -> bool:
    """Whether a program is there and says its version."""
    if shutil.which(argv[0]) is None:
        return False
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


@pytest.fixture
def node_modules() -> Path:
    """Give the folder of the installed tools for JavaScript."""
    if not TOOLS.is_dir() or shutil.which("node") is None:
        absent("the tools for JavaScript")
    return TOOLS


@pytest.fixture
def go() -> None:
    """Demand Go."""
    if shutil.which("go") is None:
        absent("go")


@pytest.fixture
def cargo() -> None:
    """Demand Rust; a `cargo` of rustup without a toolchain is there and does not work."""
    if not works("cargo", "--version"):
        absent("cargo")
