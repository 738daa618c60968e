"""Decide which signals are one incident, which commit is suspect, whether a fix holds."""
