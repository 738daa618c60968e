"""Explain failures: causes, distance to the change, suspicious lines."""
