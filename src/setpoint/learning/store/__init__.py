"""Store learnings with their evidence, and find them by words."""

from setpoint.learning.store.learnings import SqlMemory

__all__ = ["SqlMemory"]
