"""Measuring a tree: checks that Setpoint runs itself, compared with the base commit."""
