"""Decide what a run may still spend."""
