"""The event log and everything that is read out of it."""
