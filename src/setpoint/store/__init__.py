"""SQLite or Postgres, and files by content: where everything recorded lies."""
