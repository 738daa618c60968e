"""A check that reports lines with a TODO."""

from __future__ import annotations

import sys
from pathlib import Path

from setpoint.model.config.custom_check import CustomCheck, ReportFormat


def todo() -> CustomCheck:
    """Run `find_todos.py` with Setpoint's own Python, as this package is not installed in the project."""
    script = Path(__file__).with_name("find_todos.py")
    return CustomCheck(command=(sys.executable, str(script)), format=ReportFormat.SARIF)
