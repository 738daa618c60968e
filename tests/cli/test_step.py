"""What `setpoint lab step` is told to work on."""

import subprocess

import pytest

from setpoint.app.runs.board import add_story
from setpoint.cli.runs.step import _chosen
from setpoint.errors import UsageError
from setpoint.wiring.project import open_project


def test_a_story_may_be_called_like_a_run(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    project = open_project(tmp_path)
    try:
        add_story(project, "Run faster", status="backlog")
        _, order, card = _chosen(project, "run-faster", as_json=False)
        assert (order, card and card.id) == (None, "run-faster")
        with pytest.raises(UsageError, match="run-slower"):
            _chosen(project, "run-slower", as_json=False)
    finally:
        project.store.close()
