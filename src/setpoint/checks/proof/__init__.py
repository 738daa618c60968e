"""Proving a change: a test or command that fails without it, and tests that notice when it is sabotaged."""
