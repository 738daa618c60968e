"""Measures what tests reach and writes tests for what they do not; runs in the project's own interpreter."""
