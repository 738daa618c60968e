"""Setpoint closes the loop around coding agents: it measures every claim and keeps the evidence."""

__version__ = "0.1.0"
