"""Confine agent processes and name what they may write."""
