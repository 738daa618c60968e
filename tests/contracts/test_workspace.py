"""The contract of workspaces, on git and on the shipped fake."""

import pytest

from setpoint.testing import FolderWorkspace
from setpoint.testing.contracts.workspace import BASE, Opened, WorkspaceContract, git_world


class TestGit(WorkspaceContract):
    @pytest.fixture
    def world(self, tmp_path):
        return git_world(tmp_path)


class TestFolder(WorkspaceContract):
    @pytest.fixture
    def world(self, tmp_path):
        workspace = FolderWorkspace(tmp_path / "copies", BASE)
        return Opened(workspace, workspace.base)
