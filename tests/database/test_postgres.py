"""The server that tests are given."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from database import postgres
from setpoint.database.connect import migrate, open_store
from setpoint.database.tables import METRICS_DAY
from setpoint.errors import RecordedDataError

USES_THE_SERVER = """
import pathlib, time
from database import postgres

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


@pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named")
def test_short_questions_are_not_compiled_and_what_failed_is_undone() -> None:
    store = open_store(postgres.fresh_database())
    broken = RuntimeError("in the middle")
    with suppress(RuntimeError), store.writing() as connection:
        connection.execute(sa.insert(METRICS_DAY).values(tally="t", version="v", day="2026-03-20", body="[]"))
        raise broken
    with store.reading() as connection:
        assert connection.exec_driver_sql("SHOW jit").scalar() == "off"
        assert connection.execute(sa.select(METRICS_DAY)).all() == []
    store.close()


@pytest.mark.slow
@pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named")
def test_a_database_of_another_encoding_is_refused_with_what_to_type() -> None:
    url = postgres.fresh_database()
    postgres.execute(url, "CREATE DATABASE ascii ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(RecordedDataError, match="its encoding is SQL_ASCII") as refused:
        migrate(postgres.named("ascii"))
    assert "createdb --encoding UTF8" in refused.value.hint
