"""Canaries: tests that must fail are reported as failing."""
