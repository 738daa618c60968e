"""Decide what became of a delivered branch."""
