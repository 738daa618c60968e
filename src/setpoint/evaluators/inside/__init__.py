"""Programs that run in the project's own interpreter.

They use the standard library alone (the plugin also pytest) and the syntax of Python 3.8, and import nothing
of Setpoint.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parent
"""Where the programs lie; on the import path of the project's tests, for the sake of the report plugin."""
PROBE = FOLDER / "probe.py"
PARSE = FOLDER / "parse.py"
COVERED = FOLDER / "setpoint_covered.py"
"""Writes coverage's report, got ready while the tests still run."""
REWRITTEN = FOLDER / "setpoint_rewritten.py"
"""Rewrites the assertions of tests beside pytest."""
UNITTEST = FOLDER / "setpoint_unittest.py"
"""Runs tests where there is no pytest; writes what the plugin would write."""
PLUGIN = "setpoint_report"
"""Module name of the pytest plugin that reports."""
TRACER = "setpoint_spectra"
"""Module name of the pytest plugin that traces."""
