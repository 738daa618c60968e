"""Setpoint called by a program: typed results, below a running event loop, without a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from pydantic import ValidationError

import setpoint
from plain_pytest import PLAIN
from setpoint import (
    CheckState,
    Choice,
    ExitCode,
    Project,
    RunInUse,
    SettingsError,
    Status,
    Story,
    StoryId,
    UsageError,
    WorkspaceError,
)

QUICK = {
    "python": sys.executable,
    "pytest_args": list(PLAIN),
    "mypy": False,
    "ruff": False,
    "bandit": False,
    "coverage": False,
    "reruns": 0,
}
WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"
GIT = ("git", "-c", "user.name=T", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false")
AGENTS = {
    "comments": {"command": ["sh", "-c", "echo '# looked at it' >> calc.py"]},
    "repairs": {"command": ["sh", "-c", "sed -i s/-/+/ calc.py"]},
}
SETTINGS = {"checks": QUICK, "agent": AGENTS}
WISH = "make the failing tests pass"


def git(root, *words):
    return subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "calc"
    root.mkdir()
    (root / "calc.py").write_text(WRONG)
    (root / "test_calc.py").write_text(TEST)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a bug")
    return root


@pytest.fixture
def project(root):
    return Project(root, settings=SETTINGS)


def test_every_public_name_is_there():
    assert sorted(set(setpoint.__all__) - set(dir(setpoint))) == []
    assert [name for name in setpoint.__all__ if getattr(setpoint, name) is None] == []
    assert set(setpoint._HOME) == set(setpoint.__all__) - {"__version__"}
    with pytest.raises(AttributeError, match="Projct"):
        _ = setpoint.Projct


def test_importing_the_package_loads_nothing_else():
    code = (
        "import sys, setpoint; print(*(name for name in sys.modules if name[:8] in ('setpoint', 'pydantic')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["setpoint", "setpoint.version"]


@pytest.mark.slow
def test_users_see_types(tmp_path):
    (tmp_path / "use.py").write_text(
        "from setpoint import Outcome, Project, run\n\n"
        "first: int = Project('.').outcome()\n"
        "run('x', max_iteration=3)\n"
        "from setpoint import Projct\n"
    )
    argv = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "use.py"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'expression has type "Outcome"' in done.stdout
    assert '"max_iteration"' in done.stdout
    assert '"Projct"' in done.stdout


def test_a_check_tells_what_is_wrong_and_prints_nothing(project, root, capfd):
    seen = []
    found = project.check(on_result=seen.append)
    assert (found.ok, found.exit_code) == (False, ExitCode.FINDINGS)
    assert [failure.test for failure in found.failures] == ["test_calc.py::test_add"]
    assert found.quality.tests == 0.0
    assert {each.check: each.state for each in seen}["pytest"] is CheckState.FAIL
    with pytest.raises(ValidationError, match="frozen"):
        found.tree = "another"
    (root / "calc.py").write_text(RIGHT)
    mended = project.check()
    assert (mended.ok, mended.exit_code, mended.failures) == (True, ExitCode.OK, ())
    assert mended.tree != found.tree
    assert capfd.readouterr() == ("", "")


async def test_below_a_running_loop_the_awaited_calls_work_and_the_others_refuse(root):
    project = Project(root, settings=SETTINGS)
    threads = []
    found = await project.acheck(on_result=lambda _: threads.append(threading.current_thread()))
    assert not found.ok
    assert set(threads) == {threading.current_thread()}
    for blocking in (
        project.check,
        project.resume,
        lambda: project.run(WISH),
        lambda: setpoint.run(WISH, root),
    ):
        with pytest.raises(UsageError, match="would block the event loop") as refused:
            blocking()
        assert refused.value.hint.startswith("await a")


async def test_what_a_listener_raises_is_raised_by_the_call(project):
    def broken(_):
        raise LookupError("the listener broke")

    with pytest.raises(LookupError, match="the listener broke"):
        await project.acheck(on_result=broken)


def test_a_run_ends_in_a_verified_branch(project, root, capfd):
    kinds = []
    outcome = project.run(
        WISH, agent="repairs", accept="test -f calc.py", on_event=lambda event: kinds.append(event.body.kind)
    )
    assert (outcome.status, outcome.exit_code, outcome.verified) == (Status.VERIFIED, ExitCode.OK, True)
    assert outcome.commit == git(root, "rev-parse", outcome.branch)
    assert git(root, "rev-parse", f"{outcome.commit}~1") == outcome.base == git(root, "rev-parse", "HEAD")
    assert git(root, "show", f"{outcome.commit}:calc.py") == RIGHT.strip()
    assert (outcome.iterations, outcome.failures, outcome.quality.tests) == (1, (), 1.0)
    assert {gate.name: gate.state for gate in outcome.gates}["acceptance"] is CheckState.PASS
    assert outcome.evidence
    assert outcome.report.is_file()
    assert (kinds[0], kinds[-1]) == ("run.started", "run.finished")
    assert project.outcome(outcome.run) == outcome
    assert capfd.readouterr() == ("", "")


async def test_a_question_is_a_state_that_is_answered_through_the_api(project, root):
    story = Story(id=StoryId("look-at-it"), title=WISH)
    asked = await project.arun(story, agent="comments", max_iterations=1)
    assert (asked.status, asked.exit_code) == (Status.WAITING, ExitCode.WAITING)
    assert (asked.branch, asked.commit) == ("", "")
    assert [failure.test for failure in asked.failures] == ["test_calc.py::test_add"]
    (question,) = asked.questions
    assert project.questions() == (question,)
    assert [option.choice for option in question.options] == [Choice.CONTINUE, Choice.ACCEPT, Choice.CANCEL]
    for choice, more in (
        ("approve", {}),
        ("maybe", {}),
        ("continue", {"iterations": 11}),
        ("accept", {"why": ""}),
    ):
        with pytest.raises(UsageError, match=asked.run):
            project.answer(question, choice, **more)
    assert (await project.aresume(asked.run)).questions == (question,)

    project.answer(question, "accept", reason="good enough")
    ended = await project.aresume()
    assert (ended.status, ended.exit_code, ended.questions) == (Status.ACCEPTED, ExitCode.OK, ())
    assert ended.branch == "setpoint/look-at-it"
    assert ended.commit == git(root, "rev-parse", ended.branch)
    assert any("test_add" in issue for issue in ended.known_issues)
    with pytest.raises(UsageError, match="asks nothing"):
        project.answer(question, "cancel")


async def test_a_cancelled_run_ends_its_agent_and_can_be_resumed(root):
    sleeps = f"test -e {root}/awake && exec sed -i s/-/+/ calc.py; sleep 600; true"
    project = Project(root, settings={**SETTINGS, "agent": {"sleeps": {"command": ["sh", "-c", sleeps]}}})
    task = asyncio.create_task(project.arun(WISH, agent="sleeps"))
    await asyncio.to_thread(_wait_for, sleeps)
    assert project.outcome().status is Status.RUNNING
    with pytest.raises(RunInUse):
        await project.arun("another", agent="mechanic")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not _lives(sleeps)
    left = project.outcome()
    assert (left.status, left.exit_code, left.branch) == (Status.INTERRUPTED, ExitCode.INTERRUPTED, "")
    (root / "awake").touch()
    ended = await project.aresume()
    assert (ended.run, ended.status) == (left.run, Status.VERIFIED)


def _wait_for(script):
    while not _lives(script):
        time.sleep(0.05)


def _lives(script):
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if script.encode() in place.read_bytes():
                return True
    return False


@pytest.mark.parametrize(
    ("settings", "options", "error", "words"),
    [
        ({}, {"agnet": "x"}, UsageError, "no option 'agnet'"),
        ({}, {"max_iterations": 99}, SettingsError, "limits.max_iterations"),
        ({}, {"base": "nowhere"}, UsageError, "'nowhere' names no commit"),
        ({"checks": {"mypie": False}}, {}, SettingsError, "mypie"),
    ],
)
def test_wrong_use_is_an_error_that_says_what_is_wrong(root, settings, options, error, words):
    with pytest.raises(error, match=words):
        Project(root, settings=settings).run(WISH, agent="mechanic", **options)


def test_a_story_whose_id_fits_no_branch_is_refused(project):
    with pytest.raises(UsageError, match="cannot be the id of a story") as refused:
        project.run(Story(id=StoryId("Fix it!"), title="fix it"), agent="repairs")
    assert "StoryId('fix-it')" in refused.value.hint


def test_a_folder_without_repository_or_commit_is_refused(tmp_path):
    with pytest.raises(WorkspaceError, match="not in the work tree of a git repository"):
        Project(tmp_path)
    with pytest.raises(WorkspaceError, match="nowhere"):
        Project(tmp_path / "nowhere")
    git(tmp_path, "init", "-q")
    with pytest.raises(UsageError, match="names no commit"):
        Project(tmp_path).run(WISH, agent="mechanic")


def test_the_settings_of_a_project_are_read_again_for_each_call(root):
    project = Project(root)
    (root / "setpoint.toml").write_text(f"[checks]\n{_toml({**QUICK, 'pytest': False})}")
    assert [each.check for each in project.check().evidence if each.state is not CheckState.NOT_MEASURED] == [
        "parse"
    ]


def _toml(table):
    return "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
