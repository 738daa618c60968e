"""Reading whether a lock file agrees with what its project declares."""
