"""Search for edits that make failing tests pass."""
