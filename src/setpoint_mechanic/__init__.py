"""Agents that need no key: `repair` mends failing tests, `generate` writes tests."""
