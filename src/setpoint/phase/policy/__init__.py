"""Decide what comes next in a run: gates, bounces, guards, halting, best state."""
