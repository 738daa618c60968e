"""The Postgres database of a project: making its tables, looking whether it can be used, filling it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

from setpoint.app.project.diagnosis import Diagnosis
from setpoint.database.connect import HEAD, Store, migrate, open_store, shown
from setpoint.database.copying import copy_record, snapshot
from setpoint.database.engine_file import open_engine_file
from setpoint.database.rights import lacking
from setpoint.durable.tables import engine_versions, migrate_engine
from setpoint.errors import RecordedDataError, UsageError
from setpoint.history.queries import open_runs
from setpoint.settings import Settings, load
from setpoint.system.files.locks import RunLocks
from setpoint.system.files.private_folder import HiddenFolder, hidden_place
from setpoint.system.git.git import repository_root
from setpoint.wiring.project import Project
from setpoint.workspace.copies_folder import cache_folder, copies_folder

_CLOCKS_S = 5.0
"""Seconds by which the clock of the server may differ from this machine's."""
_ASKED = """
SELECT clock_timestamp() AS now, current_user AS who, pg_has_role(tableowner, 'USAGE') AS owns
FROM pg_tables WHERE tablename = 'event'
"""


def _settings(where: Path) -> tuple[Path, Settings]:
    root = repository_root(where)
    settings = load(root)
    if not settings.database:
        message = f"{root}: the record is a file in {settings.state_dir}; no database is named"
        raise UsageError(message, hint="set SETPOINT_DATABASE=postgresql://USER@HOST/NAME")
    return root, settings


def migrate_database(where: Path, role: str = "") -> str:
    """Make the tables of the project's database, or bring them up to date, for a role too; gives its name."""
    _, settings = _settings(where)
    with closing(migrate(settings.database, role)) as store:
        migrate_engine(store.url, role)
        return shown(store.engine)


def check_database(where: Path) -> Sequence[Diagnosis]:
    """Look whether this process could work on the project's database; changes nothing."""
    _, settings = _settings(where)
    try:
        with closing(Store(settings.database)) as store:
            store.open()
            return _database_rows(store)
    except RecordedDataError as error:
        return [Diagnosis("record", ok=False, needed=True, detail=f"{error.message}; hint: {error.hint}")]


def record_rows(project: Project) -> list[Diagnosis]:
    """Say where the record of an open project is, and whether a worker can use it."""
    if project.settings.database:
        return _database_rows(project.store)
    path = project.state / "app.db"
    # The first run makes it; the row of the state folder tells where that cannot be written.
    closed = path.exists() and os.access(project.state, os.W_OK) and not os.access(path, os.W_OK)
    told = " cannot be written; commands that only read still work; hint: look at owner and mode of the file"
    return [Diagnosis("record", ok=not closed, needed=True, detail=f"{path}{told if closed else ''}")]


def _database_rows(store: Store) -> list[Diagnosis]:
    found, needed = engine_versions(store)
    with store.reading() as connection:
        missing = lacking(connection)
    row = store.rows(_ASKED)[0]
    apart_s = abs((row["now"] - datetime.now(UTC)).total_seconds())
    told = f"lacks {', '.join(missing)}; hint: setpoint db migrate --role {row['who']}"
    rights = "owns the tables, so it could change what is recorded" if row["owns"] else "can read and add"
    behind = "" if found >= needed else "; hint: setpoint db migrate"
    engine = f"version {found} of its tables, needed {needed}{behind}"
    return [
        Diagnosis("record", ok=True, needed=True, detail=f"{shown(store.engine)}: layout {HEAD}"),
        Diagnosis("engine", ok=found >= needed, needed=True, detail=engine),
        Diagnosis("role", ok=not missing, needed=True, detail=f"{row['who']}: {told if missing else rights}"),
        Diagnosis("clock", ok=apart_s < _CLOCKS_S, detail=f"differs from ours by {apart_s:.1f} s"),
    ]


def copy_to_database(where: Path, source: Path | None = None) -> dict[str, int]:
    """Copy the record of a state folder, this project's by default, into its empty database.

    The folder stays as it is. Gives how many rows each table got. Raises `UsageError` where a process works
    on one of the runs, or the database holds something.
    """
    root, settings = _settings(where)
    state = source or root / settings.state_dir
    if not (state / "app.db").is_file():
        raise UsageError(f"{state}: no record is there", hint="name the folder that holds app.db")
    copies = copies_folder(root, state, cache_folder(settings, root))
    hidden = HiddenFolder(hidden_place(settings.hidden_dir, root), copies.parent.name)
    folders = (state / "artifacts", hidden.place / hidden.project)
    with tempfile.TemporaryDirectory(prefix="setpoint-copy-") as place, ExitStack() as opened:
        engine = None
        # First the engine, as in a backup: it does once more what it has not seen to end.
        if (state / "engine.db").is_file():
            engine = open_engine_file(snapshot(state / "engine.db", Path(place)))
            opened.callback(engine.dispose)
        own = opened.enter_context(closing(open_store(snapshot(state / "app.db", Path(place)).parent)))
        target = opened.enter_context(closing(open_store(settings.database)))
        for run in open_runs(own, RunLocks(state).owner):
            if run.process is not None:
                message = f"process {run.process} works on {run.trace_id}: nothing was copied"
                raise UsageError(message, hint=f"wait for it, or `setpoint stop {run.short_id}`")
        return copy_record(own.engine, engine, _artifacts(folders), target)


def _artifacts(folders: Sequence[Path]) -> Iterator[tuple[str, bool, bytes]]:
    """Yield each artifact with its name, and whether it is hidden: those of all folders but the first are."""
    seen = set[str]()
    for folder in folders:
        for file in sorted(folder.glob("??/*")):
            digest = f"{file.parent.name}{file.name}"
            if digest not in seen:
                seen.add(digest)
                yield digest, folder != folders[0], file.read_bytes()
