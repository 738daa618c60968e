"""The kernel tells of files, of folders that are made later, and of locks that end with their process."""

import select
import subprocess
import sys

import pytest

from setpoint.model.ids import TraceId
from setpoint.system.files.changes import FileChanges
from setpoint.system.files.locks import RunLocks

HOLDS = """
import sys, time
from pathlib import Path
from setpoint.system.files.locks import RunLocks
with RunLocks(Path(sys.argv[1])).held(sys.argv[2]):
    print("held", flush=True)
    time.sleep(600)
"""
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


def holder(state, trace):
    """Start a process that works on a run."""
    words = [sys.executable, "-c", HOLDS, state, trace]
    started = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert started.stdout.readline().strip() == "held"
    return started


def told(changes, wait_s=60.0):
    found = bool(select.select([changes.descriptor], [], [], wait_s)[0])
    if found:
        changes.forget()
    changes.watch()
    return found


def test_a_file_that_is_written_to_and_a_folder_that_is_made_later(tmp_path):
    file, folder = tmp_path / "log", tmp_path / "later" / "stories"
    file.write_text("a")
    changes = FileChanges([file], [folder])
    assert changes.watch()
    assert not told(changes, 0.0)
    file.read_text()
    (tmp_path / "log-of-another").write_text("a")
    (tmp_path / "log-of-another").write_text("b")
    told(changes, 0.0)  # the other file's creation alone: the folder of a missing folder is watched for that
    assert not told(changes, 0.0)
    with file.open("a") as more:
        more.write("b")
    assert told(changes)
    folder.mkdir(parents=True)
    assert told(changes)
    (folder / "one.md").write_text("# One")
    assert told(changes)
    changes.forget()
    (folder / "one.md").unlink()
    assert told(changes)


def test_a_lock_that_ends_with_a_killed_process(tmp_path):
    changes = FileChanges([], [tmp_path / "locks"])
    owner = holder(tmp_path, "run-1")
    changes.watch()
    assert RunLocks(tmp_path).owner(TraceId("run-1")) == owner.pid
    assert not told(changes, 0.0), "to look at a lock changes nothing"
    owner.kill()
    owner.communicate()
    assert told(changes)
    assert RunLocks(tmp_path).owner(TraceId("run-1")) is None


def test_what_cannot_be_watched_is_said(tmp_path):
    assert not FileChanges([tmp_path / "nothing"], []).watch()
