"""Patterns that read the text of a change and yield notes; a note decides nothing."""
