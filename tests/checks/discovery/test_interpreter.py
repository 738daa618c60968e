"""Which Python of a repository runs its tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import Interpreter, find_interpreter
from setpoint.checks.discovery.interpreter_cache import Probes
from setpoint.settings import ChecksSettings


async def with_pytest(path: str, reason: str) -> Interpreter:
    return Interpreter(
        path=path, reason=reason, version="3.12.1", prefix="/", modules={"pytest": "8"}, fingerprint="x"
    )


def environment(folder: Path) -> Path:
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    return python


@pytest.fixture(autouse=True)
def _no_active_environment(monkeypatch):
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


async def test_the_only_environment_in_a_folder_is_taken(tmp_path: Path):
    python = environment(tmp_path / "services" / "worker")

    found = await find_interpreter(tmp_path, ChecksSettings(), with_pytest)

    assert found.path == str(python)
    assert found.reason == "services/worker/.venv, the only one in the project"


@pytest.mark.parametrize("other", ["web", ""])
async def test_it_is_not_where_there_is_another_or_the_root_is_a_project(tmp_path: Path, other: str):
    python = environment(tmp_path / "services" / "worker")
    if other:
        environment(tmp_path / other)
    else:
        (tmp_path / "pyproject.toml").touch()

    assert (await find_interpreter(tmp_path, ChecksSettings(), with_pytest)).path != str(python)


def shim(folder: Path) -> Path:
    """A program that notes that it was started, and starts the Python of these tests, as pyenv's do."""
    python = folder / "shims" / "python3"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho started >> "{folder}/starts"\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return python


async def test_a_shim_is_started_again_only_where_it_may_choose_another_python(tmp_path: Path):
    python, root = shim(tmp_path / "pyenv"), tmp_path / "project"
    (tmp_path / "pyenv" / "versions").mkdir()
    root.mkdir()
    changes = (tmp_path / "pyenv" / "version", root / ".python-version", tmp_path / ".python-version")

    for starts, change in enumerate(changes, start=1):
        for _ in range(2):
            found = await Probes(tmp_path / "kept.json", root).ask(str(python), "python3 on PATH")
            assert isinstance(found, Interpreter)
            assert found.path == sys.executable
        assert (tmp_path / "pyenv" / "starts").read_text().count("started") == starts
        change.write_text("3.12.1\n")


async def test_what_decides_for_an_unknown_shim_is_not_known_so_it_is_asked_each_time(tmp_path: Path):
    python = shim(tmp_path / "asdf")

    for starts in (1, 2):
        found = await Probes(tmp_path / "kept.json", tmp_path).ask(str(python), "python3 on PATH")
        assert isinstance(found, Interpreter)
        assert found.path == sys.executable
        assert (tmp_path / "asdf" / "starts").read_text().count("started") == starts
