"""Decide when an agent repeats itself."""
