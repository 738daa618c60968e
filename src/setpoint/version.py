"""The version of Setpoint, and where it is installed."""

from pathlib import Path

__version__ = "0.1.0"

INSTALLED = Path(__file__).parent
"""Folder of the package."""
