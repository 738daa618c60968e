"""Which Python of a repository runs its tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from setpoint.checks.discovery.interpreter import Interpreter, find_interpreter
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
