"""What a worker's role may do in a Postgres database: it adds, and changes only what follows from facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from setpoint.database.tables import METADATA

if TYPE_CHECKING:
    import sqlalchemy as sa

APPEND_ONLY = frozenset({"event", "learning", "learning_evidence", "artifact"})
"""Tables with facts: a role that does not own them reads and adds, and changes or deletes nothing."""


def needed() -> dict[str, tuple[str, ...]]:
    """Return the rights that a worker needs, by table."""
    facts = ("SELECT", "INSERT")
    others = dict.fromkeys(METADATA.tables.keys() - APPEND_ONLY, (*facts, "UPDATE", "DELETE"))
    return {"alembic_version": ("SELECT",), **others, **dict.fromkeys(APPEND_ONLY, facts)}


def grant(connection: sa.Connection, role: str) -> None:
    """Give a role what a worker needs of Setpoint's own tables, and take away what else it had."""
    quote = connection.dialect.identifier_preparer.quote_identifier
    schema = connection.exec_driver_sql("SELECT current_schema()").scalar()
    who = quote(role)
    connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {quote(str(schema))} TO {who}")
    for table, rights in needed().items():
        connection.exec_driver_sql(f"REVOKE ALL ON {quote(table)} FROM {who}")
        connection.exec_driver_sql(f"GRANT {', '.join(rights)} ON {quote(table)} TO {who}")


def lacking(connection: sa.Connection) -> list[str]:
    """Return which rights the role of a connection lacks, as `UPDATE on run`."""
    asked = [(right, table) for table, rights in needed().items() for right in rights]
    ask = "SELECT has_table_privilege(%s, %s)"
    return [
        f"{right} on {table}"
        for right, table in asked
        if not connection.exec_driver_sql(ask, (table, right)).scalar()
    ]
