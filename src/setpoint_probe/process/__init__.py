"""Fork, limit and end child processes."""
