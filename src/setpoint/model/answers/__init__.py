"""Structured answers of agents: roles, reflections, change requests."""
