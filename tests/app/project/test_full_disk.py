"""A full disk is named, with what to free; other errors are not."""

import errno
import sqlite3
from pathlib import Path

import pytest

from setpoint.app.project.full_disk import full_disk
from setpoint.errors import WorkspaceError


def sqlite_full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "/cache/work/calc.py"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        WorkspaceError("/cache: git add failed (128): error: unable to write: No space left on device"),
        ExceptionGroup("two", [ValueError("x"), OSError(errno.ENOSPC, "No space left on device")]),
        sqlite_full(),
    ],
    ids=["file", "quota", "git", "group", "sqlite"],
)
def test_a_full_disk_is_recognised_behind_other_errors(tmp_path: Path, error: Exception):
    try:
        raise RuntimeError("a step failed") from error
    except RuntimeError as outer:
        said = full_disk(outer, tmp_path)
    quota = "Disk quota exceeded" in said
    assert said.startswith("your quota on the disk is used up (" if quota else "no space left on the disk (")
    assert "`setpoint resume` continues a run, and nothing recorded is lost" in said


def test_the_folders_without_room_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("setpoint.app.project.full_disk.LITTLE", 10**18)
    said = full_disk(OSError(errno.ENOSPC, "No space left on device", "/x/calc.py"), tmp_path)
    assert "(/x/calc.py: No space left on device)" in said
    assert f"{tmp_path / '.setpoint'} (" in said


def test_git_that_cannot_write_and_does_not_say_why_counts_where_a_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    error = WorkspaceError("git update-ref failed (128): fatal: couldn't write 'refs/current.lock'")
    assert full_disk(error, tmp_path) == ""
    monkeypatch.setattr("setpoint.app.project.full_disk.LITTLE", 10**18)
    assert full_disk(error, tmp_path).startswith("no space left on the disk (couldn't write)")


def test_other_errors_are_not_taken_for_it(tmp_path: Path):
    assert full_disk(OSError(errno.EACCES, "Permission denied"), tmp_path) == ""
    assert full_disk(ValueError("no"), tmp_path) == ""
