"""The contract of forges, on git and on the shipped fake."""

import pytest

from setpoint.testing import FolderWorkspace, RecordingForge
from setpoint.testing.contracts.forge import ForgeContract
from setpoint.testing.contracts.workspace import BASE, Opened
from setpoint.workspace.delivery import GitBranchForge


class TestGitBranch(ForgeContract):
    @pytest.fixture
    def forge(self, world, tmp_path):
        return GitBranchForge(tmp_path / "repository")


class TestRecording(ForgeContract):
    @pytest.fixture
    def world(self, tmp_path):
        workspace = FolderWorkspace(tmp_path / "copies", BASE)
        return Opened(workspace, workspace.base)

    @pytest.fixture
    def forge(self, world):
        return RecordingForge(world.workspace)
