import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from database import postgres
from setpoint.database import connect
from setpoint.database.connect import HEAD, open_store
from setpoint.database.tables import EVENT, METADATA
from setpoint.errors import RecordedDataError

pytestmark = pytest.mark.smoke

ROW = {
    "id": "evt-1",
    "trace_id": "run-1",
    "seq": 1,
    "kind": "run.resumed",
    "key": "k",
    "place": 1,
    "body": "",
}
INSERT = "INSERT INTO event VALUES (:id, :trace_id, :seq, '2026-01-01 00:00:00', :kind, :key, :place, :body)"


def made(folder: Path) -> None:
    store = open_store(folder)
    store.open()
    store.close()


@pytest.mark.filterwarnings("ignore:.*expression-based index")
def test_migrations_lead_to_the_tables_that_the_code_knows(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    store.close()


def test_the_known_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(connect.__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_lists_are_read_without_sqlalchemy(tmp_path: Path) -> None:
    made(tmp_path)
    program = (
        "import sys, pathlib; from setpoint.database.connect import open_store; "
        "store = open_store(pathlib.Path(sys.argv[1])); store.rows('SELECT * FROM run'); store.close(); "
        "print('alembic' in sys.modules or 'sqlalchemy' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"


def test_a_store_that_is_not_made_holds_nothing_until_something_is_written(tmp_path: Path) -> None:
    store = open_store(tmp_path / "state")
    assert (store.rows("SELECT * FROM run"), store.mark()) == ([], "")
    assert not (tmp_path / "state").exists()
    with store.writing() as connection:
        connection.execute(sa.text(INSERT), ROW)
    assert [row["id"] for row in store.rows("SELECT id FROM event WHERE id IN :ids", ids=("evt-1", "x"))] == [
        "evt-1"
    ]
    assert store.rows("SELECT id FROM event WHERE id IN :ids", ids=()) == []
    store.close()


def test_a_store_is_in_wal_mode_flushes_fully_and_knows_foreign_keys(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with store.reading() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30000}
    store.close()


@pytest.mark.parametrize("change", ["UPDATE event SET body = 'x'", "DELETE FROM event"])
def test_events_can_be_neither_changed_nor_deleted_by_whomever(tmp_path: Path, change: str) -> None:
    made(tmp_path)
    with closing(sqlite3.connect(tmp_path / "app.db")) as connection:
        connection.execute(INSERT, ROW)
        with pytest.raises(sqlite3.IntegrityError, match="events are append-only"):
            connection.execute(change)
        assert connection.execute("SELECT body FROM event").fetchall() == [("",)]


@pytest.mark.parametrize("again", [{"id": "evt-2", "key": "other"}, {"id": "evt-2", "seq": 2}])
def test_a_place_in_a_run_and_a_place_in_a_key_are_taken_once(
    tmp_path: Path, again: dict[str, object]
) -> None:
    made(tmp_path)
    with closing(sqlite3.connect(tmp_path / "app.db")) as connection:
        connection.execute(INSERT, ROW)
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            connection.execute(INSERT, ROW | again)


def test_a_store_of_a_newer_version_is_left_alone_and_named(tmp_path: Path) -> None:
    made(tmp_path)
    with closing(sqlite3.connect(tmp_path / "app.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999', oldest = '9999'")
    with pytest.raises(RecordedDataError, match=r"app\.db: written by a newer version of Setpoint"):
        open_store(tmp_path)


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "app.db").write_text("these are not the tables you are looking for" * 100)
    with pytest.raises(RecordedDataError, match=r"app\.db: the record is damaged"):
        open_store(tmp_path)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)

    def fail() -> None:
        with store.writing() as connection:
            connection.execute(sa.text(INSERT), ROW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(EVENT)) == 0
    store.close()


def test_processes_may_make_the_same_store_at_once(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from setpoint.database.connect import open_store\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "store = open_store(pathlib.Path(sys.argv[1])); store.open(); store.close(); print('open')"
    )
    argv = [sys.executable, "-c", program, str(tmp_path / "state")]
    pipe = subprocess.PIPE
    processes = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate() for process in processes] == [("open\n", "")] * 3


def test_a_url_opens_the_same_store_as_its_folder(tmp_path: Path) -> None:
    made(tmp_path)
    store = open_store(f"sqlite:///{tmp_path / 'app.db'}")
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_commit_changes_the_mark_whoever_makes_it(tmp_path: Path, kind: str) -> None:
    if kind == "postgres" and not postgres.WHERE_GIVEN:
        pytest.skip("no Postgres is installed or named")
    where = tmp_path if kind == "sqlite" else postgres.fresh_database()
    store, other = open_store(where), open_store(where)
    before = store.mark()
    assert store.mark() == before
    marks, written = [before], [store.journal and store.journal.read_bytes()]
    for place, writer in enumerate((store, other), start=1):
        with writer.writing() as connection:
            connection.execute(sa.text(INSERT), {**ROW, "id": f"evt-{place}", "seq": place, "place": place})
        marks.append(store.mark())
        written.append(store.journal and store.journal.read_bytes())
    store.close()
    other.close()

    assert len(set(marks)) == 3
    assert len(set(written)) == 3 if kind == "sqlite" else written == [None] * 3


def test_a_record_answers_or_says_that_it_does_not(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / "broken.db").write_text("no database")
    for where, answers in (
        (tmp_path / "app.db", True),
        (tmp_path / "none.db", True),
        (tmp_path / "broken.db", False),
        ("postgresql://nobody:sesame@127.0.0.1:1/none", False),
    ):
        with closing(connect.Store(where)) as store:
            assert store.answers() is answers
