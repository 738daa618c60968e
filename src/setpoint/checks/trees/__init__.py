"""Checked-out trees to measure, and the user's own working tree."""
