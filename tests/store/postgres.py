"""Postgres for contract tests, where `SETPOINT_TEST_POSTGRES` holds the URL of a server."""

from __future__ import annotations

import os
import secrets

import sqlalchemy as sa

SERVER = os.environ.get("SETPOINT_TEST_POSTGRES", "")
WHERE_GIVEN = ("postgres",) if SERVER else ()
"""The parameter to add to a fixture."""


def fresh_database() -> str:
    """Make an empty database on the server and give its URL."""
    name = f"setpoint_{secrets.token_hex(6)}"
    url = sa.make_url(SERVER).set(drivername="postgresql+psycopg")
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return url.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
