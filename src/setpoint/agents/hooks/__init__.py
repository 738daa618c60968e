"""Hooks that the user's own coding agent calls: where it looks for them, what it sends and what it reads."""
