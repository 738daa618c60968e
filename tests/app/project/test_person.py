"""Who may act as the person: nothing that a run of the same project started."""

import subprocess
import sys

import pytest

from checks.conftest import git, write
from setpoint.app.project.person import require_person
from setpoint.model.ids import TraceId
from setpoint.system.files.locks import RunLocks
from setpoint.wiring.project import open_project

ACTING = """
import sys
from pathlib import Path
from setpoint.app.project.person import require_person
from setpoint.wiring.project import open_project
require_person(open_project(Path(sys.argv[1])))
"""


@pytest.fixture
def project(tmp_path):
    place = tmp_path / "project"
    write(place, {"a.py": ""})
    git(place, "init", "-q")
    made = open_project(place)
    yield made
    made.store.close()


def acting(project):
    """Act below this process, with a shell between; return what was said."""
    command = ["sh", "-c", '"$0" -c "$1" "$2" & wait $!', sys.executable, ACTING, str(project.root)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_a_process_below_a_run_is_no_person(project):
    with RunLocks(project.state).held(TraceId("run-1")):
        require_person(project)
        assert "was started by run-1: no agent and no check may answer" in acting(project)
    assert acting(project) == ""


def test_what_drives_no_run_of_the_project_is_no_matter(project, tmp_path):
    with RunLocks(tmp_path).held(TraceId("run-1")), RunLocks(project.state).held(TraceId("story-1")):
        assert acting(project) == ""
