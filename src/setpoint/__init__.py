"""Setpoint closes the loop around coding agents: it measures every claim and keeps the evidence."""

from setpoint.version import __version__

__all__ = ["__version__"]
