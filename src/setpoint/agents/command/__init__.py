"""Agents that are a plain command: one process for each attempt, judged by its changes."""
