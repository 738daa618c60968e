"""Where Alembic begins: applies the steps on the connection that `store.connect` hands over."""

from __future__ import annotations

from alembic import context

from setpoint.database.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
with context.begin_transaction():
    context.run_migrations()
