"""Run tests of the project in one warm process."""
