"""Tests and commands that fail without a change and pass with it."""
