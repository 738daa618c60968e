"""The event log: the only source of truth about runs, and what is read out of it."""
