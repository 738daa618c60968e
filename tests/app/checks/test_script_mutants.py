"""Who judges mutants of which language, and what is said before anything is started."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checks.conftest import git, write
from setpoint.app.checks.mutants import measure_mutants
from setpoint.errors import UsageError
from setpoint.wiring.project import open_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    root = tmp_path / "project"
    write(
        root,
        {"src/a.ts": "export const a = 1;\n", "src/lib.rs": "pub fn f() {}\n", "calc.go": "package calc\n"},
    )
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "base")
    monkeypatch.chdir(root)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    opened = open_project(root)
    yield opened
    opened.store.close()


def test_without_stryker_it_says_how_it_would_be_installed_and_installs_nothing(project, tmp_path) -> None:
    with pytest.raises(UsageError, match=r"src/a\.ts: Stryker .* is not installed") as raised:
        measure_mutants(project, ("src/a.ts",))

    assert "setpoint lab mutate --install" in (raised.value.hint or "")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("file", "tool", "how"),
    [
        ("src/lib.rs", "cargo-mutants", "cargo install --locked cargo-mutants"),
        ("calc.go", "gremlins", "go install github.com/go-gremlins/gremlins/cmd/gremlins"),
    ],
)
def test_a_compiled_language_is_refused_with_the_tool_that_is_missing(
    project, monkeypatch, file: str, tool: str, how: str
) -> None:
    monkeypatch.setenv("PATH", path_without(tool))

    with pytest.raises(UsageError, match=rf"{file}: {tool}, which judges .* is not on PATH") as raised:
        measure_mutants(project, (file,))

    assert how in (raised.value.hint or "")


def path_without(tool: str) -> str:
    folders = os.environ["PATH"].split(":")
    return ":".join(folder for folder in folders if not (Path(folder) / tool).exists())
