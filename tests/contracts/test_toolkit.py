"""The contract of toolkits, on the real host of agents and on the shipped fake."""

import pytest

from setpoint.system.files.artifacts import Artifacts
from setpoint.testing import ScriptedToolkit
from setpoint.testing.contracts.toolkit import PRINTING, ToolkitContract
from setpoint.wiring.toolkit import HostToolkit


class TestHost(ToolkitContract):
    @pytest.fixture
    def toolkit(self, tmp_path):
        return HostToolkit(Artifacts(tmp_path / "artifacts"), tmp_path / "scratch")


class TestScripted(ToolkitContract):
    @pytest.fixture
    def toolkit(self, tmp_path):
        return ScriptedToolkit(tmp_path / "scratch", PRINTING)
