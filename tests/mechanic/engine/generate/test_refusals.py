"""What calls of the search may not touch."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from setpoint_probe import ENGINE

FORBID = """
import os, sys
from setpoint_mechanic.engine.generate.refusals import Refused, forbid

refusals = []
forbid(refusals, sys.argv[1])
try:
    {act}
except Refused:
    pass
os.write(1, ",".join(refusals).encode())
"""


@pytest.mark.parametrize(
    ("act", "refused"),
    [
        ("open(True).close()", "open"),
        ("open(2, 'w').close()", "open"),
        ("open(200).close()", "open"),
        ("os.fdopen(os.open(sys.argv[1] + '/own', os.O_CREAT | os.O_RDWR)).close()", ""),
        ("open(sys.argv[1] + '/own', 'w').close()", ""),
        ("open(sys.argv[1] + '/../other', 'w').close()", "open"),
    ],
)
def test_a_call_may_open_files_of_its_own_and_none_of_the_process(tmp_path, act, refused):
    folder = tmp_path / "temporary"
    folder.mkdir()
    argv = [sys.executable, "-c", FORBID.format(act=act), str(folder)]

    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout == refused


LISTING = FORBID.replace("forbid(refusals, sys.argv[1])", "forbid(refusals, sys.argv[1], listing=False)")


@pytest.mark.parametrize(
    ("act", "refused"),
    [
        ("os.listdir()", "os.listdir"),
        ("os.listdir('..')", "os.listdir"),
        ("list(os.scandir(os.getcwd()))", "os.scandir"),
        ("import glob; glob.glob('*.tmp')", "os.scandir"),
        ("os.listdir('/etc')", "os.listdir"),
        ("os.listdir(sys.argv[1])", ""),
        ("import json, pathlib; list(pathlib.Path(json.__file__).parent.iterdir())", ""),
        ("import wsgiref.headers", ""),
    ],
)
def test_a_call_may_not_depend_on_what_lies_in_a_folder_of_the_user(tmp_path, act, refused):
    folder = tmp_path / "temporary"
    folder.mkdir()
    argv = [sys.executable, "-c", LISTING.format(act=act), str(folder)]

    environment = {**os.environ, "PYTHONPATH": str(ENGINE.parent)}
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path, env=environment
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == refused
