"""Test integrity: tests, runner configuration and thresholds are judged as they stood at the base."""
