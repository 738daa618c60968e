"""Store learnings with their evidence, and find them by words and by meaning."""

from setpoint.learning.store.learnings import SqlMemory

__all__ = ["SqlMemory"]
