"""The verbs with their record in a Postgres database, by a role that may add and can change no fact."""

import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing

import psycopg
import pytest

from acceptance.conftest import RIGHT
from acceptance.test_cancel import begun
from acceptance.test_gates import stopped, told, wrong
from acceptance.test_run_verb import _until
from database import postgres
from sandboxes import tried
from setpoint.model.config.sandbox import Means

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not postgres.WHERE_GIVEN, reason="no Postgres is installed or named"),
]
FIX = {"write": "calc.py", "text": RIGHT}
VERIFIED = "IMPLEMENTATION_VERIFIED"
FOUND = "sesame-of-a-file"
VERBS = (
    "status", "status --json", "show", "show log", "show --json", "metrics", "metrics --json", "learn list",
    "learn list --json", "finding list", "finding feedback", "finding suggested", "story list", "story next",
    "answer", "verify", "doctor", "doctor --settings", "db check --json", "db check",
    "admin token list", "lab goals",
)  # fmt: skip


def on(repository, monkeypatch, url):
    """Let every verb work on a database."""
    before = type(repository).environment
    more = {"SETPOINT_DATABASE": url, "SETPOINT_BOARD__LEASE_S": "2"}
    monkeypatch.setattr(repository, "environment", lambda **given: before(repository, **{**more, **given}))


@pytest.fixture
def owner():
    return postgres.empty_database()


@pytest.fixture
def worker(repository, owner, monkeypatch):
    """The database as a worker's role names it; its tables are made by their owner with the verb."""
    role, url = postgres.worker_role(owner)
    refused = repository.setpoint("status", SETPOINT_DATABASE=owner)
    assert (refused.returncode, "`setpoint db migrate`" in refused.stderr) == (4, True)
    assert repository.setpoint("db", "check", SETPOINT_DATABASE=owner).returncode == 2
    done = repository.setpoint("db", "migrate", "--role", role, SETPOINT_DATABASE=owner)
    assert done.returncode == 0, done.stderr
    on(repository, monkeypatch, url)
    return url


def everything(url):
    """Give what all tables of a database hold, as one text."""
    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_schema IN ('public', 'dbos') AND table_type = 'BASE TABLE'"
        ).fetchall()
        rows = [connection.execute(f'SELECT t::text FROM {schema}."{name}" t') for schema, name in tables]
        return "\n".join(str(row) for each in rows for row in each.fetchall())


def test_a_run_is_verified_with_least_rights_and_no_password_is_told(
    repository, owner, worker, monkeypatch, tmp_path
):
    file = tmp_path / "passwords"
    file.write_text(f"*:*:*:*:{FOUND}\n")
    file.chmod(0o600)
    names = {"PGPASSFILE": str(file), "PGPASSWORD": postgres.SECRET}
    before = repository.environment
    monkeypatch.setattr(repository, "environment", lambda **given: before(**{**names, **given}))
    looks = f"(env; ls; cat '{file}' /proc/[0-9]*/environ | tr '\\0' '\\n') > seen.txt 2>&1; echo"
    repository.agent([FIX, {"shell": looks}])

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["mark"]) == (0, VERIFIED)
    seen = repository.git("show", f"{outcome['branch']}:seen.txt")
    assert ("calc.py" in seen, "PATH=" in seen) == (True, True)
    own = seen.partition("calc.py")[0]
    assert re.findall(rf"SETPOINT_DATABASE|^PG\w+|{postgres.SECRET}", own, re.MULTILINE) == []
    if any(
        not tried(each).why_not for each in (Means.LANDLOCK, Means.BWRAP)
    ):  # else it can read what its user can
        assert (postgres.SECRET in seen, FOUND in seen) == (False, False)
    state = repository.root / ".setpoint"
    assert not (state / "app.db").exists()
    assert not (state / "engine.db").exists()

    for verb in VERBS:
        done = repository.setpoint(*verb.split())
        assert done.returncode == 0, (verb, done.stderr)
        assert postgres.SECRET not in done.stdout + done.stderr, verb
    assert postgres.SECRET not in everything(owner)
    files = [each for each in state.rglob("*") if each.is_file()]
    assert [each for each in files if postgres.SECRET.encode() in each.read_bytes()] == []


def test_a_worker_can_change_no_fact(worker):
    refused = (
        "UPDATE event SET body = 'x'", "DELETE FROM event", "TRUNCATE event",
        "ALTER TABLE event DISABLE TRIGGER ALL", "DELETE FROM learning", "DELETE FROM artifact",
        "UPDATE learning_evidence SET weight = 1", "UPDATE alembic_version SET version_num = '0'",
        "DROP TABLE run", "CREATE TABLE dbos.more (id TEXT)",
    )  # fmt: skip
    with psycopg.connect(worker, autocommit=True) as connection:
        for change in refused:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(change)


def test_rights_that_a_role_lacks_are_named(repository, owner, worker):
    postgres.execute(
        owner, f"REVOKE INSERT ON event FROM {psycopg.conninfo.conninfo_to_dict(worker)['user']}"
    )
    done = repository.setpoint("db", "check")
    assert done.returncode == 2
    assert re.search(
        r"^error +role +worker_\w+: lacks INSERT on event; hint: setpoint db migrate --role",
        done.stdout,
        re.MULTILINE,
    )


def test_a_server_that_does_not_answer_is_named_without_the_password(repository):
    gone = f"postgresql://ada:{postgres.SECRET}@127.0.0.1:1/gone"
    done = repository.setpoint("status", SETPOINT_DATABASE=gone)
    assert (done.returncode, postgres.SECRET in done.stderr) == (4, False)
    assert "postgresql://ada:***@127.0.0.1:1/gone: cannot be opened" in done.stderr
    done = repository.setpoint("db", "check", SETPOINT_DATABASE=gone)
    assert (done.returncode, postgres.SECRET in done.stdout) == (2, False)


def test_a_service_file_names_the_database_for_the_record_and_the_engine(
    repository, owner, worker, monkeypatch, tmp_path
):
    parts = psycopg.conninfo.conninfo_to_dict(worker)
    file = tmp_path / "services"
    file.write_text("[team]\n" + "".join(f"{key}={value}\n" for key, value in parts.items()))
    repository.agent([FIX], settings='database = "postgresql:///?service=team"\n')
    before = type(repository).environment
    monkeypatch.setattr(
        repository, "environment", lambda **more: before(repository, PGSERVICEFILE=str(file), **more)
    )

    code, outcome = repository.run("--agent", "actor")

    assert (code, outcome["mark"]) == (0, VERIFIED)
    with psycopg.connect(owner) as connection:
        counts = "SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM dbos.operation_outputs)"
        assert all(connection.execute(counts).fetchone())


def test_a_question_is_answered_and_a_run_is_stopped_from_another_process(repository, worker):
    stopped(repository, wrong("a * b"), [FIX], counter="count")
    assert told(repository, "status")[0]["state"] == "waiting"
    assert repository.setpoint("answer", "continue", "2").returncode == 0
    assert repository.setpoint("resume").returncode == 0
    assert told(repository, "status")[0]["ending"] == "verified"

    repository.agent([{"sleep": 600}])
    running = begun(repository)
    _until(lambda: told(repository, "status")[0]["state"] == "running")
    done = repository.setpoint("stop", told(repository, "status")[0]["trace_id"])
    assert done.returncode == 12, done.stderr
    running.communicate(timeout=60)


def test_a_waiting_run_is_copied_out_of_sqlite_with_all_its_data(repository, owner, monkeypatch):
    asked = stopped(repository, wrong("a * b"), [FIX], counter="count")
    state, before = repository.root / ".setpoint", told(repository, "show")
    kept = {each: each.read_bytes() for each in state.glob("*.db")}
    empty = repository.setpoint("db", "copy", SETPOINT_DATABASE=owner)
    assert (empty.returncode, "`setpoint db migrate`" in empty.stderr) == (4, True)
    assert repository.setpoint("db", "migrate", SETPOINT_DATABASE=owner).returncode == 0

    done = repository.setpoint("db", "copy", SETPOINT_DATABASE=owner)

    assert done.returncode == 0, done.stderr
    assert re.search(rf"^ *{len(before)} event$", done.stdout, re.MULTILINE)
    assert {each: each.read_bytes() for each in state.glob("*.db")} == kept
    on(repository, monkeypatch, owner)
    assert told(repository, "show") == before
    with psycopg.connect(owner) as connection:
        files = {each.parent.name + each.name for each in (state / "artifacts").glob("??/*")}
        found = connection.execute("SELECT digest FROM artifact").fetchall()
        assert files <= {digest for (digest,) in found}
    again = repository.setpoint("db", "copy")
    assert (again.returncode, "holds something: nothing was copied" in again.stderr) == (2, True)
    assert repository.setpoint("answer", "continue", "2", asked["trace_id"]).returncode == 0
    assert repository.setpoint("resume").returncode == 0
    assert told(repository, "status")[0]["ending"] == "verified"


def test_nothing_is_copied_while_a_process_works_on_a_run(repository):
    url = postgres.fresh_database()
    repository.agent([{"sleep": 600}])
    running = begun(repository)
    _until(lambda: told(repository, "status")[:1] and told(repository, "status")[0]["state"] == "running")
    done = repository.setpoint("db", "copy", SETPOINT_DATABASE=url)
    running.kill()
    running.communicate()
    assert (done.returncode, f"process {running.pid} works on run-" in done.stderr) == (2, True)


def at_work(repository):
    """Begin a run, and wait until its agent is in the middle of its turn."""
    seen = repository.root.parent / "played" / "seen"
    repository.agent([{"shell": f"touch '{seen}'"}, {"sleep": 600}], [FIX], counter="count")
    running = begun(repository)
    _until(lambda: seen.exists() or running.poll() is not None)
    assert running.poll() is None
    return running


def ends_verified(repository, recorded):
    """Resume the run; what the backup holds stays as it is, and the rest follows it."""
    done = repository.setpoint("resume", "--json")
    assert (done.returncode, json.loads(done.stdout)["mark"]) == (0, VERIFIED), done.stderr
    events = told(repository, "show")
    assert events[: len(recorded)] == recorded
    assert events[len(recorded)]["body"]["kind"] == "run.resumed"


@pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed")
def test_a_dump_of_a_run_at_work_is_restored_and_the_run_goes_on(repository, owner, worker, monkeypatch):
    running = at_work(repository)
    recorded = told(repository, "show")
    dump = repository.root.parent / "dump.sql"
    subprocess.run(["pg_dump", "--no-owner", "--no-privileges", "-f", dump, owner], check=True)
    running.kill()
    running.communicate()
    other = postgres.empty_database()
    argv = ["psql", "-q", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-f", dump, other]
    subprocess.run(argv, check=True, capture_output=True)
    role, url = postgres.worker_role(other)
    assert repository.setpoint("db", "migrate", "--role", role, SETPOINT_DATABASE=other).returncode == 0
    on(repository, monkeypatch, url)
    _until(lambda: told(repository, "status")[0]["state"] == "interrupted")

    ends_verified(repository, recorded)


def test_a_backup_of_a_sqlite_run_at_work_is_restored_and_the_run_goes_on(repository):
    running = at_work(repository)
    recorded, state = told(repository, "show"), repository.root / ".setpoint"
    for name in ("engine.db", "app.db"):
        with closing(sqlite3.connect(state / name)) as source:
            source.execute(f"VACUUM INTO '{repository.root.parent / name}'")
    running.kill()
    running.communicate()
    for old in state.glob("*.db*"):
        old.unlink()
    for name in ("engine.db", "app.db"):
        shutil.move(repository.root.parent / name, state / name)

    ends_verified(repository, recorded)
