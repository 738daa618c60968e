"""Atomic files, locks, and artifacts by content hash."""
