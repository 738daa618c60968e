"""A run whose process breaks says why, and can be continued."""

import pytest

from checks.conftest import git, write
from setpoint.app.runs.drive import drive_run
from setpoint.app.runs.order import make_order, resolve_story
from setpoint.cli.render.closing import print_closing
from setpoint.cli.render.console import Screen
from setpoint.model.events.run import PhaseEntered
from setpoint.wiring.project import find_run, open_project

SETTINGS = """[agents]
maker = "idle"
[agent.idle]
command = ["true"]
"""


def test_an_internal_error_is_told_in_the_row_of_the_run(tmp_path, capsys):
    write(tmp_path, {"a.py": "x = 1\n", "setpoint.toml": SETTINGS})
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "base"]):
        git(tmp_path, *words)
    project = open_project(tmp_path)
    order = make_order(project, resolve_story(project, "Make it work", ("true",)))

    def fault(body):
        if isinstance(body, PhaseEntered):
            raise IndexError("tuple index out of range")

    with pytest.raises(IndexError):
        drive_run(project, order, fault)
    run = find_run(project)
    assert (run.state, run.reason) == (
        "interrupted",
        "internal error: IndexError('tuple index out of range')",
    )
    print_closing(Screen(soft_wrap=True), project, run.trace_id)
    assert "broke     internal error: IndexError" in capsys.readouterr().out
    project.store.close()
