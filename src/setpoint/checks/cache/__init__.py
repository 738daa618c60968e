"""Keep results of checks by tree, tool and configuration; keep durations; evict."""
