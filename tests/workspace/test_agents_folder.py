"""The folder for the agent in a work copy is no part of the work, whatever the agent makes of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from setpoint.model.ids import TraceId
from setpoint.system.files.agent_folder import EVIDENCE, show_files
from setpoint.system.git.git import head
from setpoint.testing.contracts.workspace import attempt
from workspace.repository import repository, workspace_of


@pytest.mark.parametrize(
    "tampering",
    [
        "echo x > .setpoint/evidence/problems.txt; echo x > .setpoint/new.py",
        "rm -rf .setpoint; ln -s / .setpoint",
        "rm -rf .setpoint; echo x > .setpoint",
        "git add -f .setpoint; git commit -qm mine",
        ": > .git/info/exclude",
    ],
)
async def test_tampering_with_the_agents_folder_changes_nothing(tmp_path: Path, tampering: str) -> None:
    root = repository(tmp_path / "user")
    workspace, base = workspace_of(root), await head(root)
    copy = await workspace.open(TraceId("run-1"), base)
    path = Path(copy.path)
    show_files(path, EVIDENCE, {"problems.txt": "two tests fail"}, only=True)
    shell(path, tampering)
    (path / "made.txt").write_text("work")

    made = await workspace.snapshot(copy, "implement-1", attempt())

    assert list(made.files) == ["made.txt"]
    show_files(path, EVIDENCE, {"problems.txt": "one test fails"}, only=True)
    assert (path / ".setpoint/evidence/problems.txt").read_text() == "one test fails"


def shell(folder: Path, command: str) -> None:
    subprocess.run(["sh", "-c", command], cwd=folder, check=True)
