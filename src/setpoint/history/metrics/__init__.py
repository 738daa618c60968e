"""Metrics of the five loops, counted from the event log."""
