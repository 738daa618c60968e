"""The tables of the durable engine: bringing them up to date, and which version of them is found."""

from __future__ import annotations

import logging

from dbos import DBOS, error

# Not among its public names: it says which version this engine needs without an attempt to start.
from dbos._migration import get_migration_versions

from setpoint.database.connect import Store, refusals
from setpoint.errors import RecordedDataError


def migrate_engine(url: str, role: str = "") -> None:
    """Bring the engine's tables up to date; where a role is named, it may use them afterwards.

    Raises `RecordedDataError` where the database refuses.
    """
    keep_off_the_terminal()
    with refusals(url, "the engine's tables"):
        DBOS.migrate(url, application_role=role or None)


def engine_versions(store: Store) -> tuple[int, int]:
    """Return which version of the engine's tables is found on a server, 0 for none, and which is needed."""
    found, needed = get_migration_versions(store.engine, "dbos", use_listen_notify=True)
    return found, needed


def launched() -> None:
    """Launch the engine; `RecordedDataError` where it cannot work in the database."""
    try:
        DBOS.launch()
    except error.DBOSInitializationError as failure:
        message = f"the durable engine cannot work in the database: {failure}"
        raise RecordedDataError(message, hint="`setpoint db check` says what is missing") from None


def keep_off_the_terminal() -> None:
    """Leave what the engine logs to the program's own logging: it writes to stderr where nobody listens."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
