"""Installed files are compared by stat, then by what the list of their package says."""

import base64
import hashlib
import os
from pathlib import Path

from setpoint.checks.discovery.installed_files import InstalledFiles
from setpoint.model.config.sandbox import Means
from setpoint.system.processes import Hold


def package(folder):
    code, record = folder / "one.py", folder / "one-1.dist-info" / "RECORD"
    code.write_text("x = 1\n", encoding="utf-8")
    record.parent.mkdir()
    digest = base64.urlsafe_b64encode(hashlib.sha256(code.read_bytes()).digest()).decode().rstrip("=")
    record.write_text(f"one.py,sha256={digest},6\n", encoding="utf-8")
    return code


def test_another_content_is_a_change_whatever_its_time_and_size(tmp_path):
    code, installed = package(tmp_path), InstalledFiles(folders=(str(tmp_path),))
    before, stamp = installed.stamps(), code.stat()
    code.write_text("x = 2\n", encoding="utf-8")
    os.utime(code, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    assert installed.changed(before, installed.stamps()) == (str(code),)


def test_another_link_to_the_same_content_is_no_change(tmp_path):
    code, installed = package(tmp_path), InstalledFiles(folders=(str(tmp_path),))
    before = installed.stamps()
    os.link(code, tmp_path.parent / "elsewhere.py")

    assert before != installed.stamps()
    assert installed.changed(before, installed.stamps()) == ()


def test_a_new_file_is_a_change_and_new_bytecode_is_removed(tmp_path):
    installed = InstalledFiles(folders=(str(tmp_path),))
    before = installed.stamps()
    new, compiled = tmp_path / "sitecustomize.py", tmp_path / "__pycache__" / "one.pyc"
    compiled.parent.mkdir()
    for each in (new, compiled):
        each.touch()

    assert installed.changed(before, installed.stamps()) == (str(new),)
    assert not compiled.exists()


def test_bytecode_that_is_gone_is_no_change_and_rewritten_bytecode_is_one(tmp_path):
    installed = InstalledFiles(folders=(str(tmp_path),))
    gone, other = tmp_path / "__pycache__" / "gone.pyc", tmp_path / "__pycache__" / "other.pyc"
    gone.parent.mkdir()
    for each in (gone, other):
        each.touch()
    before = installed.stamps()
    gone.unlink()
    other.write_text("changed")

    assert installed.changed(before, installed.stamps()) == (str(other),)


def test_what_no_held_command_can_write_is_not_looked_at(tmp_path: Path) -> None:
    measured, opened, apart = (tmp_path / name for name in ("measured", "opened", "apart"))
    folders = tuple(str(each / "lib") for each in (measured, opened, apart))
    installed = InstalledFiles(folders=folders)
    hold = Hold(means=Means.LANDLOCK, places=(measured,), opened=(str(opened / "lib" / "cache"),))

    assert installed.writable(hold).folders == folders[:2]
    assert installed.writable(None).folders == folders
