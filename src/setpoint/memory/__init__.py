"""What was learnt, kept in the store's tables: evidence, belief and the words by which it is found."""

from setpoint.memory.learnings import SqlMemory

__all__ = ["SqlMemory"]
