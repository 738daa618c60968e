"""Programs that run in the project's own interpreter.

They use the standard library alone (the plugin also pytest) and the syntax of Python 3.9, and import nothing
of Setpoint.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
"""Where the programs lie; on the import path of the project's tests, for the sake of the report plugin."""
PROBE = FOLDER / "setpoint_interpreter.py"
PARSE = FOLDER / "setpoint_parse.py"
UNITTEST = FOLDER / "setpoint_unittest_runner.py"
"""Runs tests where there is no pytest; writes what the plugin would write."""
PLUGIN = "setpoint_report"
"""Module name of the pytest plugin that reports."""
TRACER = "setpoint_line_traces"
"""Module name of the pytest plugin that traces."""
