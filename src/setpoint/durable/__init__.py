"""Engines behind the `Durable` port: DBOS for real runs, one in memory for tests."""
