"""Each fault of the record has a sentence of its own, and no hint moves or removes the file."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from setpoint.database import connect, store_faults
from setpoint.database.connect import Store, open_store
from setpoint.database.store_faults import store_fault
from setpoint.errors import RecordedDataError

HOLD = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode=EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
connection.execute("UPDATE alembic_version SET oldest = oldest")
print("held", flush=True)
sys.stdin.read()
"""
CODES = {
    sqlite3.SQLITE_BUSY: "the record is locked",
    sqlite3.SQLITE_CORRUPT: "the record is damaged",
    sqlite3.SQLITE_NOTADB: "the record is damaged",
    sqlite3.SQLITE_FULL: "no space left on the disk",
    sqlite3.SQLITE_IOERR: "the disk of the record gives an error",
    sqlite3.SQLITE_READONLY: "no permission",
    sqlite3.SQLITE_CANTOPEN: "no permission",
}


def made(folder: Path) -> None:
    store = open_store(folder)
    store.open()
    store.close()


def failed(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("code", CODES)
def test_each_cause_has_its_own_sentence_and_a_hint(tmp_path: Path, code: int) -> None:
    told = store_fault(tmp_path / "app.db", failed(code))
    assert told is not None
    assert str(tmp_path / "app.db") in told.message
    assert CODES[code] in told.message
    assert told.hint
    assert not {"move", "delete", "remove"} & set(told.hint.split())


def test_an_error_of_the_content_is_no_fault_of_the_file(tmp_path: Path) -> None:
    assert store_fault(tmp_path / "app.db", failed(sqlite3.SQLITE_CONSTRAINT)) is None
    assert store_fault("postgresql://server/db", failed(sqlite3.SQLITE_BUSY)) is None


def test_who_holds_the_lock_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_BUSY_S", 0.1)
    made(tmp_path)
    with closing(sqlite3.connect(tmp_path / "app.db")):
        argv = [sys.executable, "-c", HOLD, str(tmp_path / "app.db")]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "held\n"
            with pytest.raises(RecordedDataError, match=f"locked by process {other.pid} "):
                open_store(tmp_path)
            other.kill()


@pytest.mark.parametrize("left", [None, b""], ids=["missing", "empty"])
def test_a_record_that_is_gone_beside_its_runs_is_noticed(tmp_path: Path, left: bytes | None) -> None:
    (tmp_path / "runs" / "run-1").mkdir(parents=True)
    if left is not None:
        (tmp_path / "app.db").write_bytes(left)
    with pytest.raises(RecordedDataError, match="but 1 of its runs lie beside it"):
        open_store(tmp_path)


def test_a_folder_in_the_place_of_the_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "app.db").mkdir()
    with pytest.raises(RecordedDataError, match="a folder lies in the place of the record"):
        open_store(tmp_path)


@pytest.mark.parametrize("journal", [False, True])
def test_a_record_that_cannot_be_written_to_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: bool
) -> None:
    store = open_store(tmp_path)
    with store.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE told (word TEXT)")
        connection.exec_driver_sql("INSERT INTO told VALUES ('kept')")
    if not journal:
        store.close()
    assert (tmp_path / "app.db-wal").exists() is journal
    monkeypatch.setattr(store_faults, "_writable", lambda _: False)
    assert ("immutable" in (store_faults.address(tmp_path / "app.db") or "")) is not journal
    reader = open_store(tmp_path)
    assert [row["word"] for row in reader.rows("SELECT word FROM told")] == ["kept"]
    with reader.reading() as connection:
        assert connection.exec_driver_sql("SELECT word FROM told").scalar() == "kept"
    with pytest.raises(RecordedDataError, match="no permission"), reader.writing() as connection:
        connection.exec_driver_sql("INSERT INTO told VALUES ('more')")
    reader.close()
    store.close()


def test_a_page_that_is_spoiled_later_is_told_where_it_is_read(tmp_path: Path) -> None:
    made(tmp_path)
    path = tmp_path / "app.db"
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with closing(Store(path)) as store, pytest.raises(RecordedDataError, match="the record is damaged"):
        store.rows("SELECT * FROM event")
