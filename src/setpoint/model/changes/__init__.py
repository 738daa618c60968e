"""Changes of files: diffs, edits, branch names, redaction."""
