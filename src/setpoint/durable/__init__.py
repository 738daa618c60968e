"""Engines behind the `Durable` port: DBOS for real runs, an in-memory one for tests."""
