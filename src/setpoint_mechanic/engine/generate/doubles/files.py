"""Writes files that tests read."""


def file_with(path, text):
    """Write a file and return its path."""
    path.write_text(text, encoding="utf-8")
    return path
