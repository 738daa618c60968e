"""Flaky tests: re-runs and the quarantine, one rule for all languages."""
