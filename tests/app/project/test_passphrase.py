"""The passphrase: typed at a terminal, stored as a hash, and demanded by what acts for the person."""

import os
import pty
import subprocess
import sys

import pytest

from checks.conftest import git, write
from setpoint.app.project.passphrase import (
    FILE,
    confirm_person,
    refuse_programs,
    remove_passphrase,
    set_passphrase,
    stored_passphrase,
)
from setpoint.errors import RecordedDataError, UsageError
from setpoint.wiring.project import open_project

RIGHT = "correct horse battery"


def typed(*answers):
    """Answer the questions in turn; a question too many fails the test."""
    left = list(answers)
    return lambda _question: left.pop(0)


@pytest.fixture
def project(tmp_path, monkeypatch):
    write(tmp_path, {"a.py": ""})
    git(tmp_path, "init", "-q")
    monkeypatch.chdir(tmp_path)
    made = open_project(tmp_path)
    yield made
    made.store.close()


def test_without_a_passphrase_nobody_is_asked(project):
    confirm_person(project, typed())
    refuse_programs(project.state)
    assert stored_passphrase(project.state) is None


def test_it_is_stored_as_a_hash_and_asked_three_times_at_most(project):
    set_passphrase(project, typed(RIGHT, RIGHT))

    file = project.state / FILE
    assert RIGHT not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    confirm_person(project, typed("wrong", "wrong", RIGHT))
    with pytest.raises(UsageError, match="nothing was done"):
        confirm_person(project, typed("wrong", "wrong", "wrong"))
    with pytest.raises(UsageError, match="no program may answer"):
        refuse_programs(project.state)


def test_who_changes_or_removes_it_has_to_know_it(project):
    set_passphrase(project, typed(RIGHT, RIGHT))
    kept = (project.state / FILE).read_bytes()

    for change in (set_passphrase, remove_passphrase):
        with pytest.raises(UsageError, match="not the passphrase"):
            change(project, typed("wrong", "wrong", "wrong"))
    assert (project.state / FILE).read_bytes() == kept

    set_passphrase(project, typed(RIGHT, "another one", "another one"))
    confirm_person(project, typed("another one"))
    assert remove_passphrase(project, typed("another one"))
    assert stored_passphrase(project.state) is None


@pytest.mark.parametrize(("answers", "said"), [(("short",), "10 characters"), ((RIGHT, "x"), "not the same")])
def test_a_short_one_and_one_that_is_typed_otherwise_are_refused(project, answers, said):
    with pytest.raises(UsageError, match=said):
        set_passphrase(project, typed(*answers))
    assert stored_passphrase(project.state) is None


def test_a_damaged_file_opens_nothing(project):
    (project.state / FILE).write_text("{}")
    with pytest.raises(RecordedDataError, match="no passphrase can be read"):
        confirm_person(project, typed(RIGHT))


def at_a_terminal(words, folder, answers):
    """Call Setpoint in a terminal of its own, and type; give the exit code and what was shown."""
    pid, end = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execv(sys.executable, [sys.executable, "-m", "setpoint", *words])
    shown, left = b"", list(answers)
    while True:
        try:
            piece = os.read(end, 1024)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if piece.rstrip().endswith((b"passphrase:", b"once more:")) and left:
            os.write(end, f"{left.pop(0)}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(end)
    return code, shown.decode()


def test_tokens_that_answer_need_it_at_a_terminal_and_show_nothing_of_it(project):
    code, shown = at_a_terminal(["admin", "passphrase", "set"], project.root, [RIGHT, RIGHT])
    assert (code, RIGHT in shown) == (0, False), shown

    code, shown = at_a_terminal(["admin", "token", "new", "admin"], project.root, [RIGHT])
    assert (code, RIGHT in shown) == (0, False), shown
    code, shown = at_a_terminal(["admin", "token", "new", "admin"], project.root, ["no", "no", "no"])
    assert code == 2, shown
    assert "nothing was done" in shown


def test_a_process_without_a_terminal_is_refused_whatever_it_pipes(project):
    set_passphrase(project, typed(RIGHT, RIGHT))
    done = subprocess.run(
        [sys.executable, "-m", "setpoint", "token", "new", "admin"],
        cwd=project.root,
        input=f"{RIGHT}\n",
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "no terminal to ask for it" in done.stderr
