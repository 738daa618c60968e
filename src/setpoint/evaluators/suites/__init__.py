"""Test suites of other languages than Python, in the full sense: outcomes, causes, re-runs, selections."""
