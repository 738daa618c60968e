"""The server that tests are given."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from store import postgres

USES_THE_SERVER = """
import pathlib, time
from store import postgres

def test_that_takes_long():
    url = postgres.fresh_database()
    pathlib.Path("url.part").write_text(url)
    pathlib.Path("url.part").rename("url")
    time.sleep(600)
"""
PATIENCE_S = 60


def wait_until(holds) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(not postgres.PROGRAMS, reason="no Postgres is installed")
def test_killed_tests_leave_no_server_behind(tmp_path: Path) -> None:
    (tmp_path / "test_long.py").write_text(USES_THE_SERVER)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    places = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": places, "SETPOINT_TEST_POSTGRES": ""}
    with subprocess.Popen([sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, env=environment) as tests:
        try:
            wait_until(lambda: (tmp_path / "url").exists() or tests.poll() is not None)
            url = (tmp_path / "url").read_text()
            with psycopg.connect(url) as connection:
                shown = [connection.execute(f"SHOW {name}") for name in ("data_directory", "max_connections")]
                data, connections = [answer.fetchone()[0] for answer in shown]
        finally:
            tests.kill()
    assert int(connections) > 100, "a property opens a store for each of its examples"
    wait_until(lambda: not Path(data).parent.exists())
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
