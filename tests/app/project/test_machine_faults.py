"""What the machine refuses is told with its cause, the file and what to do."""

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from setpoint.app.project.machine_faults import machine_fault

SAID = {
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EROFS: "it lies on a read-only file system",
    errno.ENOSPC: "no space left on the disk",
    errno.EDQUOT: "your quota on the disk is used up",
    errno.EMFILE: "too many open files",
    errno.ENOMEM: "out of memory",
    errno.EFBIG: "the file would be larger than allowed",
    errno.EIO: "the disk gives an error",
}


@pytest.mark.parametrize("number", SAID)
def test_each_refusal_has_its_own_sentence(tmp_path: Path, number: int) -> None:
    told = machine_fault(OSError(number, os.strerror(number), "/x/calc.py"), tmp_path)
    assert SAID[number] in told
    assert "/x/calc.py" in told
    assert "\n  hint: " in told
    assert "nothing recorded is lost" in told


def test_memory_and_the_record_are_told_behind_other_errors(tmp_path: Path) -> None:
    locked = sqlite3.OperationalError("database is locked")
    locked.sqlite_errorcode = sqlite3.SQLITE_BUSY
    assert machine_fault(ExceptionGroup("two", [ValueError("x"), MemoryError()]), tmp_path).startswith(
        "out of"
    )
    assert machine_fault(RuntimeError("can't start new thread"), tmp_path).startswith("out of memory")
    outer = RuntimeError("a step failed")
    outer.__cause__ = locked
    assert f"{tmp_path / '.setpoint' / 'app.db'}: the record is locked" in machine_fault(outer, tmp_path)


def test_a_bug_is_none(tmp_path: Path) -> None:
    assert machine_fault(KeyError("x"), tmp_path) == ""
    assert machine_fault(OSError(errno.ENOENT, "No such file", "/x"), tmp_path) == ""
