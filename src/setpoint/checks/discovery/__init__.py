"""Discover a project: layout, interpreters, packages, and the tools it uses."""
