"""Verified runs as signed statements that others can check."""
