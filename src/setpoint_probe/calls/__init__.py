"""Calls of functions: recorded in tests, varied, and answered by another state of the code."""
