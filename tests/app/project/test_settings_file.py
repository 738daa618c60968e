"""The file of the settings is changed where it must be, and nowhere else."""

import pytest

from setpoint.app.project.settings_file import edited, settings_file
from setpoint.errors import UsageError


def test_a_key_is_replaced_below_its_header_and_other_lines_stay():
    before = "# mine\n[agents] # who\nmaker = 'codex'\n\n[limits]\nmaker = 1\n"
    after = '# mine\n[agents] # who\nmaker = "claude"\n\n[limits]\nmaker = 1\n'
    assert edited(before, "agents", ['maker = "claude"']) == after


def test_a_table_that_is_not_there_comes_last():
    assert edited("[limits]\nx = 1\n", "agent.a", ["y = 2"]) == "[limits]\nx = 1\n\n[agent.a]\ny = 2\n"
    assert edited("", "agent.a", ["y = 2"]) == "[agent.a]\ny = 2\n"


def test_settings_in_pyproject_are_not_changed(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.setpoint]\npreset = 'classic'\n", "utf-8")
    with pytest.raises(UsageError, match=r"in pyproject\.toml, which is not changed"):
        settings_file(tmp_path)
    (tmp_path / "setpoint.toml").write_text("preset = 'classic'\n", "utf-8")
    assert settings_file(tmp_path)[1] == "preset = 'classic'\n"
