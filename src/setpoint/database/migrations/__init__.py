"""Migrations of the tables, applied by `database.connect`."""
