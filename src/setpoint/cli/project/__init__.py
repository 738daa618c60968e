"""Verbs of a project: init, doctor, check, agents, metrics, serve."""
