"""Measure which lines and branches a call reaches."""
