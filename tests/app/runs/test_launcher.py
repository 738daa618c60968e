"""What the dashboard starts: one trial of a fix at a time for each run, and what failed is kept."""

import asyncio

import pytest

from checks.conftest import git, write
from setpoint.app.runs.launcher import Launcher
from setpoint.errors import UsageError
from setpoint.model.ids import TraceId
from setpoint.wiring.project import open_project

RUN = TraceId("run-0nothing")


@pytest.fixture
def project(tmp_path):
    write(tmp_path, {"a.py": "x = 1\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "base")
    made = open_project(tmp_path)
    yield made
    made.store.close()


async def until(seen):
    """Wait for a process of Setpoint's to end."""
    for _ in range(600):
        if seen():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("it does not end")


async def test_what_fails_is_kept_with_what_it_said(project):
    heard = []
    launcher = Launcher(project, lambda: heard.append(len(launcher.working)))
    launcher.take(RUN, "abc")
    (work,) = launcher.busy_with(RUN)
    assert work.what == "the fix of abc"
    assert launcher.busy_with("run-0other") == ()
    with pytest.raises(UsageError, match="being tried out already"):
        launcher.take(RUN, "abc")
    launcher.rewrite(RUN, "abc", "--- a/a.py\n")
    assert len(launcher.busy_with(RUN)) == 2, "the second waits for its turn"
    await until(lambda: not launcher.working)
    assert [(each.what, each.trace_id) for each in launcher.failed] == [
        ("a fix of your own for abc", RUN),
        ("the fix of abc", RUN),
    ]
    assert all("run-0nothing" in each.said for each in launcher.failed)
    assert heard == [1, 2, 1, 0], "pages hear of each that starts or ends"
    await launcher.close()


async def test_what_goes_on_is_ended_with_it(project):
    launcher = Launcher(project, lambda: None)
    launcher.begin("anything")
    await asyncio.sleep(0)
    assert [each.what for each in launcher.working] == ["run anything"]
    assert launcher.busy_with("") == (), "a run is no trial of a fix"
    await launcher.close()
    assert launcher.working == []
