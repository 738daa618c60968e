"""Decide which story is ready and how far its run has come."""
