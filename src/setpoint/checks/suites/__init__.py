"""Run test suites of each language: outcomes, causes, re-runs, selections."""
