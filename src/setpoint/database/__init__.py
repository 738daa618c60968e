"""Connection, tables and migrations, the same on SQLite and Postgres."""
